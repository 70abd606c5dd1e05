//! `minds files`

mod preview;
mod show;
mod tool_client;

use std::path::Path;
use std::process::ExitCode;

use clap::Subcommand;
use serde_json::{Map, Value};

use minds_output::exit_codes;
use minds_output::format::{Format, FormatArgs};
use minds_output::{Failure, Output};
use tool_client::{ToolClient, read_content};

/// Read, edit and search files with the tools of agents
///
/// PATHs are relative to the workspace, regardless of the current directory. Files in `.minds/` are accessed with the
/// `team_mgmt_*` tools, other files with the general ones, with the same limits: task packages are refused, and with `--as`
/// everything that the access lists of the member do not allow.
///
/// Exits with 0 on success, with 1 if the operation was refused, and with 2 if a file, directory, change or member does not
/// exist, or on wrong usage or a system error.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  minds files ls .minds            List a directory
  minds files read .minds/team.yaml
                                   Print a file
  minds files preview range .minds/team.yaml 3~4 '  coder: {}'
                                   Show the diff of a change, and plan it
  minds files apply 1a2b3c4d       Apply the planned change
  minds files write notes.md - < draft.md
                                   Replace a file
  minds files rm src/old.rs --as coder
                                   Remove a file with the permissions of a member")]
pub(crate) struct FilesArgs {
    /// Run as this member of the team, with its tools and paths
    #[arg(long = "as", value_name = "MEMBER", global = true)]
    member: Option<String>,
    #[command(flatten)]
    format: FormatArgs,
    #[command(subcommand)]
    command: FilesCommand,
}

#[derive(Debug, Subcommand)]
enum FilesCommand {
    /// List a directory
    #[command(after_help = "\
Examples:
  minds files ls
  minds files ls .minds/team")]
    Ls {
        /// The directory
        #[arg(value_name = "PATH", default_value = ".", hide_default_value = true)]
        path: String,
    },
    /// Print a text file
    #[command(after_help = "\
Examples:
  minds files read .minds/team.yaml
  minds files read src/main.rs --range 10~20 --numbered")]
    Read {
        /// The file
        #[arg(value_name = "PATH")]
        path: String,
        /// Print only these lines: `3`, `3~5`, `3~`, `~5`
        #[arg(long, value_name = "RANGE")]
        range: Option<String>,
        /// Print at most this number of lines
        #[arg(long, value_name = "COUNT")]
        max_lines: Option<u64>,
        /// Print line numbers
        #[arg(long)]
        numbered: bool,
    },
    /// Create a text file
    #[command(after_help = "\
Examples:
  minds files create .minds/team/coder/persona.md - < persona.md
  minds files create notes.md 'First note'")]
    Create {
        /// The file
        #[arg(value_name = "PATH")]
        path: String,
        /// The content of the file; `-` reads it from stdin
        #[arg(
            value_name = "CONTENT",
            default_value = "",
            hide_default_value = true,
            allow_hyphen_values = true
        )]
        content: String,
    },
    /// Replace the content of a text file
    ///
    /// The file is read first, and not written if it changes in the meantime.
    #[command(after_help = "\
Examples:
  minds files write notes.md - < draft.md
  minds files write .minds/llm.yaml 'providers: {}' --as fuxi")]
    Write {
        /// The file
        #[arg(value_name = "PATH")]
        path: String,
        /// The new content; `-` reads it from stdin
        #[arg(value_name = "CONTENT", allow_hyphen_values = true)]
        content: String,
        /// Refuse if the current content does not have this hash
        #[arg(long, value_name = "HASH")]
        sha256: Option<String>,
        /// The format of the content; suppresses the warning about a different style
        #[arg(long, value_name = "FORMAT")]
        content_format: Option<String>,
    },
    Preview(preview::PreviewArgs),
    /// Apply a planned change
    #[command(after_help = "\
Examples:
  minds files apply 1a2b3c4d
  minds files apply 1a2b3c4d --as coder")]
    Apply {
        /// The id that `minds files preview` printed
        #[arg(value_name = "ID")]
        id: String,
    },
    /// Move a file or a directory
    #[command(after_help = "\
Examples:
  minds files mv notes.md docs/notes.md
  minds files mv .minds/team/codr .minds/team/coder")]
    Mv {
        /// The file or directory
        #[arg(value_name = "FROM")]
        from: String,
        /// The new path, which must not exist
        #[arg(value_name = "TO")]
        to: String,
    },
    /// Remove a file or a directory
    #[command(after_help = "\
Examples:
  minds files rm notes.md
  minds files rm -r .minds/team/ghost")]
    Rm {
        /// The file or directory
        #[arg(value_name = "PATH")]
        path: String,
        /// Remove a directory with its contents
        #[arg(short, long)]
        recursive: bool,
    },
    /// Create a directory and its parents
    #[command(after_help = "\
Examples:
  minds files mkdir docs/notes")]
    Mkdir {
        /// The directory
        #[arg(value_name = "PATH")]
        path: String,
        /// Fail if the parent directory does not exist
        #[arg(long)]
        no_parents: bool,
    },
    /// Search the files of the workspace for text
    #[command(after_help = "\
Examples:
  minds files search 'old name'
  minds files search coder .minds --ignore-case --glob '*.yaml'")]
    Search {
        /// The text to search for
        #[arg(value_name = "TEXT", allow_hyphen_values = true)]
        text: String,
        /// Search only in this directory
        #[arg(value_name = "PATH", default_value = ".", hide_default_value = true)]
        path: String,
        /// Search only files with matching names, such as `*.rs`; a pattern with `/` matches the whole path
        #[arg(long, value_name = "GLOB")]
        glob: Option<String>,
        /// Ignore letter case
        #[arg(short, long)]
        ignore_case: bool,
    },
}

pub(crate) fn run(directory: &Path, args: &FilesArgs, out: &mut Output) -> Result<ExitCode, Failure> {
    let client = ToolClient::open(directory, args.member.as_deref())?;
    let answer = match &args.command {
        FilesCommand::Ls { path } => client.call_at(path, "list_dir", Arguments::new()),
        FilesCommand::Read { path, range, max_lines, numbered } => {
            let mut values = Arguments::new();
            values.add("range", range.as_deref()).add("max_lines", *max_lines);
            values.add("show_linenos", numbered.then_some(true));
            client.call_at(path, "read_file", values)
        }
        FilesCommand::Create { path, content } => {
            let mut values = Arguments::new();
            values.add("content", Some(read_content(content)?));
            client.call_at(path, "create_new_file", values)
        }
        FilesCommand::Write { path, content, sha256, content_format } => {
            client.overwrite(path, read_content(content)?, sha256.as_deref(), content_format.as_deref())
        }
        FilesCommand::Preview(preview) => preview.run(&client)?,
        FilesCommand::Apply { id } => client.apply(id),
        FilesCommand::Mv { from, to } => client.relocate(from, to),
        FilesCommand::Rm { path, recursive } => client.remove(path, *recursive),
        FilesCommand::Mkdir { path, no_parents } => {
            let mut values = Arguments::new();
            values.add("parents", Some(!no_parents));
            client.call_at(path, "mk_dir", values)
        }
        FilesCommand::Search { text, path, glob, ignore_case } => {
            let mut values = Arguments::new();
            values.add("text", Some(text.as_str())).add("path", Some(path.as_str()));
            values.add("glob", glob.as_deref()).add("case_sensitive", Some(!ignore_case));
            client.call("search_text", values)
        }
    };
    let code = answer.refusal().map_or(ExitCode::SUCCESS, |refusal| exit_codes::of_refusal(refusal.code));
    if args.format.chosen(out) == Format::Json {
        out.json_answer(&answer);
    } else {
        let next_command = client.next_command(directory);
        show::print(&answer, &args.command, &next_command, out);
    }
    Ok(code)
}

/// The arguments of a tool, without those that are not given.
#[derive(Debug, Default)]
struct Arguments(Map<String, Value>);

impl Arguments {
    fn new() -> Self {
        Self::default()
    }

    fn add(&mut self, name: &str, value: Option<impl Into<Value>>) -> &mut Self {
        if let Some(value) = value {
            self.0.insert(name.to_owned(), value.into());
        }
        self
    }
}
