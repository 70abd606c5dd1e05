//! `minds clean`

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use minds_diagnostics::emit::{JSON_VERSION, printable};
use serde::Serialize;

use super::render::Format;
use crate::output::{Failure, Output};

/// Remove what was rendered in a compose root
///
/// Removes, without asking, the files that `minds render` wrote and that are as it wrote them, for whatever target. Files that were changed
/// since stay, and so does everything else.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  minds clean --root .team --dry-run    Show what would be removed
  minds clean --root .team              Remove it")]
pub(crate) struct CleanArgs {
    /// The compose root, or the `.ateam` directory of a fleet; found as for `minds render` if none is named
    #[arg(long, value_name = "DIR")]
    root: Option<PathBuf>,
    /// Show what would be removed, and remove nothing
    #[arg(long)]
    dry_run: bool,
    /// How to print the files
    #[arg(long, value_enum, default_value_t = Format::Human)]
    pub(crate) format: Format,
}

pub(crate) fn run(directory: &Path, args: &CleanArgs, out: &mut Output) -> Result<ExitCode, Failure> {
    let outcome = minds_operations::clean(directory, args.root.as_deref(), !args.dry_run)?;
    if args.format == Format::Json {
        #[derive(Serialize)]
        struct Document<'a> {
            version: u32,
            removed: &'a [String],
            kept: &'a [String],
        }
        out.json(&Document { version: JSON_VERSION, removed: &outcome.removed, kept: &outcome.kept });
        return Ok(ExitCode::SUCCESS);
    }
    let removed = if args.dry_run { "would remove" } else { "removed" };
    for path in &outcome.removed {
        out.data(&format!("{removed} {}\n", printable(path)));
    }
    for path in &outcome.kept {
        Output::remark(&format!("`{path}` was changed since it was rendered, so it stays"));
    }
    if outcome.removed.is_empty() {
        Output::remark("nothing to remove");
    }
    Ok(ExitCode::SUCCESS)
}
