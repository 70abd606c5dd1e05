//! `minds source init`

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use minds_diagnostics::emit::printable;
use minds_installer::{InitSource, InitSourceDocument};

use super::flags::{FormatFlags, YesFlag};
use minds_output::{Failure, Output};

/// Create a `mind.toml`, and list the items of a source
///
/// Lists the items in the directory PATH and where they refer to other items: dependencies (references in braces), and
/// plain names, which are wrong once a user adds the source with a prefix. An existing `mind.toml` is never changed.
///
/// With --template, plain names in Markdown files become references, `{{ns:NAME}}`; either all files are written or none.
/// Check the changes first with --dry-run, because a name can also be an ordinary word.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  minds source init                        Create a `mind.toml` here
  minds source init --template --dry-run   Show names to replace")]
pub(crate) struct InitSourceArgs {
    /// The directory of the source
    #[arg(value_name = "PATH", default_value = ".")]
    path: PathBuf,
    /// Replace plain names of items with references
    #[arg(long)]
    template: bool,
    /// Print the changes as a unified diff, and write nothing
    #[arg(short = 'n', long)]
    dry_run: bool,
    #[command(flatten)]
    pub(super) format: FormatFlags,
    #[command(flatten)]
    yes: YesFlag,
}

pub(super) fn run(directory: &Path, args: &InitSourceArgs, out: &mut Output) -> Result<ExitCode, Failure> {
    let done = minds_installer::init_source(directory, &args.path, args.template, !args.dry_run)?;
    if args.format.wants_json(out) {
        out.document(&InitSourceDocument::new(&done, args.dry_run));
        return Ok(ExitCode::SUCCESS);
    }
    out.data(&human(&done, args.dry_run));
    if args.dry_run {
        Output::remark(&format!("dry run, nothing was written; files to write: {}", done.written.len()));
    } else if done.has_manifest && done.written.is_empty() {
        Output::remark("`mind.toml` exists, nothing was written");
    }
    Ok(ExitCode::SUCCESS)
}

fn human(done: &InitSource, dry_run: bool) -> String {
    let mut text = String::new();
    // Writing to a string cannot fail.
    for item in &done.items {
        let _ = writeln!(text, "{}", printable(&item.item.to_string()));
        for need in &item.needs {
            let _ = writeln!(text, "  needs {}", printable(&need.to_string()));
        }
        for mention in &item.mentions {
            let place = format!("{}:{}", mention.path, mention.line);
            let _ = writeln!(text, "  {}: plain name `{}`", printable(&place), printable(&mention.name));
        }
    }
    if done.items.is_empty() {
        text.push_str("the source offers no items\n");
    }
    if dry_run {
        text.push_str(&done.diff);
    } else {
        for file in &done.written {
            let _ = writeln!(text, "wrote {}", printable(file));
        }
    }
    text
}
