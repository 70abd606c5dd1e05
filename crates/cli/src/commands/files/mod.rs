//! `minds files`

mod desk;
mod preview;
mod show;

use std::path::Path;
use std::process::ExitCode;

use clap::Subcommand;
use serde_json::{Map, Value};

use crate::exit_codes;
use crate::format::{Format, FormatArgs};
use crate::output::{Failure, Output};
use desk::{Desk, text};

/// Work on files with the tools of agents
///
/// PATHs are relative to the workspace, wherever the command is run. What lies in `.minds/` is touched with the
/// `team_mgmt_*` tools, everything else with the general ones, and what these refuse is refused here: task packages, and
/// with `--as` what the lists of the member do not allow.
///
/// Exits with 0 if it was done, with 1 if it was refused, and with 2 if a file, directory, change or member does not exist,
/// and on wrong usage or environment.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  minds files ls .minds            List a directory
  minds files read .minds/team.yaml
                                   Print a file
  minds files preview range .minds/team.yaml 3~4 '  coder: {}'
                                   Show what a change would do, and plan it
  minds files apply 1a2b3c4d       Do what was planned
  minds files write notes.md - < draft.md
                                   Give a file a new content
  minds files rm src/old.rs --as coder
                                   Try what a member of the team may do")]
pub(crate) struct FilesArgs {
    /// Do it as this member of the team, with its tools and paths
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
        /// Only these lines: `3`, `3~5`, `3~`, `~5`
        #[arg(long, value_name = "RANGE")]
        range: Option<String>,
        /// At most so many lines
        #[arg(long, value_name = "COUNT")]
        max_lines: Option<u64>,
        /// Number the lines
        #[arg(long)]
        numbered: bool,
    },
    /// Make a text file where nothing is
    #[command(after_help = "\
Examples:
  minds files create .minds/team/coder/persona.md - < persona.md
  minds files create notes.md 'First note'")]
    Create {
        /// The file
        #[arg(value_name = "PATH")]
        path: String,
        /// What it holds; `-` reads it from standard input
        #[arg(
            value_name = "CONTENT",
            default_value = "",
            hide_default_value = true,
            allow_hyphen_values = true
        )]
        content: String,
    },
    /// Give a text file another content
    ///
    /// The file is read first, and is not written if somebody changes it in between.
    #[command(after_help = "\
Examples:
  minds files write notes.md - < draft.md
  minds files write .minds/llm.yaml 'providers: {}' --as fuxi")]
    Write {
        /// The file
        #[arg(value_name = "PATH")]
        path: String,
        /// What it will hold; `-` reads it from standard input
        #[arg(value_name = "CONTENT", allow_hyphen_values = true)]
        content: String,
        /// Only if it still has this content
        #[arg(long, value_name = "HASH")]
        sha256: Option<String>,
        /// What the content is, so that a difference is not taken for a mistake
        #[arg(long, value_name = "FORMAT")]
        content_format: Option<String>,
    },
    Preview(preview::PreviewArgs),
    /// Do what was planned
    #[command(after_help = "\
Examples:
  minds files apply 1a2b3c4d
  minds files apply 1a2b3c4d --as coder")]
    Apply {
        /// The id that a preview gave
        #[arg(value_name = "ID")]
        id: String,
    },
    /// Move a file or a directory to where nothing is
    #[command(after_help = "\
Examples:
  minds files mv notes.md docs/notes.md
  minds files mv .minds/team/codr .minds/team/coder")]
    Mv {
        /// What to move
        #[arg(value_name = "FROM")]
        from: String,
        /// Where to
        #[arg(value_name = "TO")]
        to: String,
    },
    /// Remove a file or a directory
    #[command(after_help = "\
Examples:
  minds files rm notes.md
  minds files rm -r .minds/team/ghost")]
    Rm {
        /// What to remove
        #[arg(value_name = "PATH")]
        path: String,
        /// Remove a directory with all that is in it
        #[arg(short, long)]
        recursive: bool,
    },
    /// Make a directory, and those above it
    #[command(after_help = "\
Examples:
  minds files mkdir docs/notes")]
    Mkdir {
        /// The directory
        #[arg(value_name = "PATH")]
        path: String,
        /// Fail if the directory above it is not there
        #[arg(long)]
        no_parents: bool,
    },
    /// Find the lines of the workspace that hold a text
    #[command(after_help = "\
Examples:
  minds files search 'old name'
  minds files search coder .minds --ignore-case --glob '*.yaml'")]
    Search {
        /// The text
        #[arg(value_name = "TEXT", allow_hyphen_values = true)]
        text: String,
        /// Only below this directory
        #[arg(value_name = "PATH", default_value = ".", hide_default_value = true)]
        path: String,
        /// Only in files of this name, such as `*.rs`; with a `/` it is a whole path
        #[arg(long, value_name = "GLOB")]
        glob: Option<String>,
        /// Take capital letters and small ones for the same
        #[arg(short, long)]
        ignore_case: bool,
    },
}

pub(crate) fn run(directory: &Path, args: &FilesArgs, out: &mut Output) -> Result<ExitCode, Failure> {
    let desk = Desk::open(directory, args.member.as_deref())?;
    let answer = match &args.command {
        FilesCommand::Ls { path } => desk.at(path, "list_dir", Arguments::new()),
        FilesCommand::Read { path, range, max_lines, numbered } => {
            let mut values = Arguments::new();
            values.add("range", range.as_deref()).add("max_lines", *max_lines);
            values.add("show_linenos", numbered.then_some(true));
            desk.at(path, "read_file", values)
        }
        FilesCommand::Create { path, content } => {
            let mut values = Arguments::new();
            values.add("content", Some(text(content)?));
            desk.at(path, "create_new_file", values)
        }
        FilesCommand::Write { path, content, sha256, content_format } => {
            desk.overwrite(path, text(content)?, sha256.as_deref(), content_format.as_deref())
        }
        FilesCommand::Preview(preview) => preview.run(&desk)?,
        FilesCommand::Apply { id } => desk.apply(id),
        FilesCommand::Mv { from, to } => desk.relocate(from, to),
        FilesCommand::Rm { path, recursive } => desk.remove(path, *recursive),
        FilesCommand::Mkdir { path, no_parents } => {
            let mut values = Arguments::new();
            values.add("parents", Some(!no_parents));
            desk.at(path, "mk_dir", values)
        }
        FilesCommand::Search { text, path, glob, ignore_case } => {
            let mut values = Arguments::new();
            values.add("text", Some(text.as_str())).add("path", Some(path.as_str()));
            values.add("glob", glob.as_deref()).add("case_sensitive", Some(!ignore_case));
            desk.call("search_text", values)
        }
    };
    let code =
        answer.refusal().map_or(ExitCode::SUCCESS, |refusal| exit_codes::of_refusal(refusal.code.as_str()));
    if args.format.chosen(out) == Format::Json {
        out.json_answer(&answer);
    } else {
        let again = desk.again(directory);
        show::show(&answer, &args.command, &again, out);
    }
    Ok(code)
}

/// The arguments of a tool; those that are not given are left out.
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
