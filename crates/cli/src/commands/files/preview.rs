//! `minds files preview`

use clap::{Subcommand, ValueEnum};
use minds_toolset::Answer;

use super::Arguments;
use super::tool_client::{ToolClient, read_content};
use minds_output::Failure;

/// Show the diff of a change, and plan it
///
/// Nothing is written. `minds files apply ID` applies the change once, within an hour. The change is still found if other
/// lines of the file have changed in the meantime.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  minds files preview range .minds/team.yaml 3~4 '  coder: {}'
                                   Replace two lines
  minds files preview after .minds/team.yaml members: '  coder: {}'
                                   Insert a line after the line with this text
  minds files preview append .minds/team/coder/lessons.md - < new.md
                                   Append to a file")]
pub(super) struct PreviewArgs {
    /// Replace this planned change
    #[arg(long, value_name = "ID", global = true)]
    hunk: Option<String>,
    #[command(subcommand)]
    command: PreviewCommand,
}

#[derive(Debug, Subcommand)]
enum PreviewCommand {
    /// Replace or delete lines
    #[command(after_help = "\
Examples:
  minds files preview range .minds/team.yaml 3~4 '  coder: {}'
  minds files preview range notes.md 7~")]
    Range {
        /// The file
        #[arg(value_name = "PATH")]
        path: String,
        /// The lines: `3`, `3~5`, `3~`, `~5`; the number after the last line appends
        #[arg(value_name = "RANGE")]
        range: String,
        /// The new lines; empty to delete; `-` reads them from stdin
        #[arg(
            value_name = "CONTENT",
            default_value = "",
            hide_default_value = true,
            allow_hyphen_values = true
        )]
        content: String,
    },
    /// Append to a file
    #[command(after_help = "\
Examples:
  minds files preview append .minds/team/coder/lessons.md - < new.md")]
    Append {
        /// The file
        #[arg(value_name = "PATH")]
        path: String,
        /// The text to add; `-` reads it from stdin
        #[arg(value_name = "CONTENT", allow_hyphen_values = true)]
        content: String,
        /// Fail if the file does not exist
        #[arg(long)]
        no_create: bool,
    },
    /// Insert lines after a line
    #[command(after_help = "\
Examples:
  minds files preview after .minds/team.yaml members: '  coder: {}'")]
    After(InsertArgs),
    /// Insert lines in front of a line
    #[command(after_help = "\
Examples:
  minds files preview before notes.md '## Old' '## New' --occurrence last")]
    Before(InsertArgs),
    /// Replace the lines between two lines
    #[command(after_help = "\
Examples:
  minds files preview block notes.md '<!-- begin -->' '<!-- end -->' - < part.md")]
    Block {
        /// The file
        #[arg(value_name = "PATH")]
        path: String,
        /// Text of the line in front of the block
        #[arg(value_name = "START", allow_hyphen_values = true)]
        start: String,
        /// Text of the line after the block
        #[arg(value_name = "END", allow_hyphen_values = true)]
        end: String,
        /// The new lines; `-` reads them from stdin
        #[arg(value_name = "CONTENT", allow_hyphen_values = true)]
        content: String,
        /// Also replace the two lines
        #[arg(long)]
        with_anchors: bool,
        #[command(flatten)]
        line_match: LineMatch,
    },
}

#[derive(Debug, clap::Args)]
struct InsertArgs {
    /// The file
    #[arg(value_name = "PATH")]
    path: String,
    /// Text of the line
    #[arg(value_name = "ANCHOR", allow_hyphen_values = true)]
    anchor: String,
    /// The text to add; `-` reads it from stdin
    #[arg(value_name = "CONTENT", allow_hyphen_values = true)]
    content: String,
    #[command(flatten)]
    line_match: LineMatch,
}

/// How a line is selected.
#[derive(Debug, clap::Args)]
struct LineMatch {
    /// Which of several matches to use: a number, starting with 1, or `last`
    #[arg(long, value_name = "NUMBER")]
    occurrence: Option<String>,
    /// How lines are compared
    #[arg(long = "match", value_enum, value_name = "HOW")]
    how: Option<Match>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Match {
    /// The line contains the text
    Contains,
    /// The line is equal to the text
    Equals,
}

impl PreviewArgs {
    pub(super) fn run(&self, client: &ToolClient<'_>) -> Result<Answer, Failure> {
        let mut values = Arguments::new();
        values.add("existing_hunk_id", self.hunk.as_deref());
        let (path, tool) = match &self.command {
            PreviewCommand::Range { path, range, content } => {
                values.add("range", Some(range.as_str())).add("content", Some(read_content(content)?));
                (path, "preview_file_modification")
            }
            PreviewCommand::Append { path, content, no_create } => {
                values.add("content", Some(read_content(content)?)).add("create", Some(!no_create));
                (path, "preview_file_append")
            }
            PreviewCommand::After(insert) => (insert.add(&mut values)?, "preview_insert_after"),
            PreviewCommand::Before(insert) => (insert.add(&mut values)?, "preview_insert_before"),
            PreviewCommand::Block { path, start, end, content, with_anchors, line_match } => {
                values.add("start_anchor", Some(start.as_str())).add("end_anchor", Some(end.as_str()));
                values
                    .add("content", Some(read_content(content)?))
                    .add("include_anchors", Some(!with_anchors));
                line_match.add(&mut values);
                (path, "preview_block_replace")
            }
        };
        Ok(client.call_at(path, tool, values))
    }
}

impl InsertArgs {
    /// Adds the arguments of the tool. Returns the path.
    fn add(&self, values: &mut Arguments) -> Result<&String, Failure> {
        values.add("anchor", Some(self.anchor.as_str())).add("content", Some(read_content(&self.content)?));
        self.line_match.add(values);
        Ok(&self.path)
    }
}

impl LineMatch {
    fn add(&self, values: &mut Arguments) {
        let how = self.how.map(|how| match how {
            Match::Contains => "contains",
            Match::Equals => "equals",
        });
        values.add("occurrence", self.occurrence.as_deref()).add("match", how);
    }
}
