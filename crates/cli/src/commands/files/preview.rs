//! `minds files preview`

use clap::{Subcommand, ValueEnum};
use minds_toolset::Answer;

use super::Arguments;
use super::desk::{Desk, text};
use crate::output::Failure;

/// Show what a change would do, and plan it
///
/// Nothing is written: the change is planned for an hour, and `minds files apply ID` does it once. It finds its place
/// again if other lines of the file have changed by then.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  minds files preview range .minds/team.yaml 3~4 '  coder: {}'
                                   Replace two lines
  minds files preview after .minds/team.yaml members: '  coder: {}'
                                   Add a line behind the one that holds a text
  minds files preview append .minds/team/coder/lessons.md - < new.md
                                   Add to the end of a file")]
pub(super) struct PreviewArgs {
    /// Plan it in the place of an earlier change that is not applied
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
        /// The lines: `3`, `3~5`, `3~`, `~5`; one behind the last one adds
        #[arg(value_name = "RANGE")]
        range: String,
        /// What to put there, nothing to delete; `-` reads it from standard input
        #[arg(
            value_name = "CONTENT",
            default_value = "",
            hide_default_value = true,
            allow_hyphen_values = true
        )]
        content: String,
    },
    /// Add to the end
    #[command(after_help = "\
Examples:
  minds files preview append .minds/team/coder/lessons.md - < new.md")]
    Append {
        /// The file
        #[arg(value_name = "PATH")]
        path: String,
        /// What to add; `-` reads it from standard input
        #[arg(value_name = "CONTENT", allow_hyphen_values = true)]
        content: String,
        /// Fail if the file is not there
        #[arg(long)]
        no_create: bool,
    },
    /// Add lines behind a line
    #[command(after_help = "\
Examples:
  minds files preview after .minds/team.yaml members: '  coder: {}'")]
    After(InsertArgs),
    /// Add lines before a line
    #[command(after_help = "\
Examples:
  minds files preview before notes.md '## Old' '## New' --occurrence last")]
    Before(InsertArgs),
    /// Replace what stands between two lines
    #[command(after_help = "\
Examples:
  minds files preview block notes.md '<!-- begin -->' '<!-- end -->' - < part.md")]
    Block {
        /// The file
        #[arg(value_name = "PATH")]
        path: String,
        /// What the line before it holds
        #[arg(value_name = "START", allow_hyphen_values = true)]
        start: String,
        /// What the line behind it holds
        #[arg(value_name = "END", allow_hyphen_values = true)]
        end: String,
        /// What to put there; `-` reads it from standard input
        #[arg(value_name = "CONTENT", allow_hyphen_values = true)]
        content: String,
        /// Replace the two lines as well
        #[arg(long)]
        with_anchors: bool,
        #[command(flatten)]
        which: Which,
    },
}

#[derive(Debug, clap::Args)]
struct InsertArgs {
    /// The file
    #[arg(value_name = "PATH")]
    path: String,
    /// What the line holds
    #[arg(value_name = "ANCHOR", allow_hyphen_values = true)]
    anchor: String,
    /// What to add; `-` reads it from standard input
    #[arg(value_name = "CONTENT", allow_hyphen_values = true)]
    content: String,
    #[command(flatten)]
    which: Which,
}

/// Which of several lines is meant.
#[derive(Debug, clap::Args)]
struct Which {
    /// The place that is meant where there are several: a number from 1 on, or `last`
    #[arg(long, value_name = "NUMBER")]
    occurrence: Option<String>,
    /// How a line is compared
    #[arg(long = "match", value_enum, value_name = "HOW")]
    how: Option<Match>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Match {
    /// The line holds the text
    Contains,
    /// The line is the text
    Equals,
}

impl PreviewArgs {
    pub(super) fn run(&self, desk: &Desk<'_>) -> Result<Answer, Failure> {
        let mut values = Arguments::new();
        values.add("existing_hunk_id", self.hunk.as_deref());
        let (path, tool) = match &self.command {
            PreviewCommand::Range { path, range, content } => {
                values.add("range", Some(range.as_str())).add("content", Some(text(content)?));
                (path, "preview_file_modification")
            }
            PreviewCommand::Append { path, content, no_create } => {
                values.add("content", Some(text(content)?)).add("create", Some(!no_create));
                (path, "preview_file_append")
            }
            PreviewCommand::After(insert) => (insert.add(&mut values)?, "preview_insert_after"),
            PreviewCommand::Before(insert) => (insert.add(&mut values)?, "preview_insert_before"),
            PreviewCommand::Block { path, start, end, content, with_anchors, which } => {
                values.add("start_anchor", Some(start.as_str())).add("end_anchor", Some(end.as_str()));
                values.add("content", Some(text(content)?)).add("include_anchors", Some(!with_anchors));
                which.add(&mut values);
                (path, "preview_block_replace")
            }
        };
        Ok(desk.at(path, tool, values))
    }
}

impl InsertArgs {
    /// Adds the arguments of the tool, and returns the path.
    fn add(&self, values: &mut Arguments) -> Result<&String, Failure> {
        values.add("anchor", Some(self.anchor.as_str())).add("content", Some(text(&self.content)?));
        self.which.add(values);
        Ok(&self.path)
    }
}

impl Which {
    fn add(&self, values: &mut Arguments) {
        let how = self.how.map(|how| match how {
            Match::Contains => "contains",
            Match::Equals => "equals",
        });
        values.add("occurrence", self.occurrence.as_deref()).add("match", how);
    }
}
