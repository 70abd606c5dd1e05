//! `minds fmt`

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use minds_diagnostics::emit;
use minds_operations::documents::FmtDocument;
use minds_operations::{FmtOutcome, FmtRequest, OperationError, UnsavedText};
use minds_process::{standard_input, terminal_width};

use super::check::WIDTH;
use minds_output::format::{Format, FormatArgs};
use minds_output::{Failure, Output};

/// Format files: order of keys, indentation and blank lines
///
/// Comments stay with the lines that they belong to, and the meaning of a file does not change: the new text is parsed
/// again and compared before it is written. The workspace is found as for `minds check`.
///
/// A file with errors is not changed, and the errors are reported; other files are still formatted. Exits with 0 if all
/// files are formatted, with 1 if a file could not be formatted or, with --check or --diff, would change, and with 2 if
/// PATH does not exist or a file cannot be written.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  minds fmt                     Format all files of the workspace
  minds fmt .minds/team.yaml    Format only this file
  minds fmt --check             List the files that would change
  minds fmt --diff              Show what would change
  minds fmt --stdin-filename .minds/team.yaml < draft.yaml
                                Format text that is not saved yet")]
pub(crate) struct FmtArgs {
    /// Format only these directories or files of the workspace
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// List the files that would change, write nothing, and exit with 1 if there are any
    #[arg(long)]
    check: bool,
    /// Show what would change as a unified diff, write nothing, and exit with 1 if there are changes
    #[arg(long, conflicts_with = "check")]
    diff: bool,
    /// Format stdin as the contents of the file NAME, and print the result on stdout
    #[arg(long, value_name = "NAME", conflicts_with_all = ["paths", "check", "diff"])]
    stdin_filename: Option<PathBuf>,
    #[command(flatten)]
    format: FormatArgs,
}

pub(crate) fn run(directory: &Path, args: &FmtArgs, out: &mut Output) -> Result<ExitCode, Failure> {
    if let Some(name) = &args.stdin_filename {
        return format_stdin(directory, name, args, out);
    }
    let is_json = args.format.chosen(out) == Format::Json;
    let write = !args.check && !args.diff;
    let outcome =
        minds_operations::fmt(&FmtRequest { paths: &args.paths, write, ..FmtRequest::new(directory) })?;
    let left = if is_json { count_unformatted(&outcome) } else { report_unformatted(&outcome, out) };
    if let (Some(reason), false) = (&outcome.nothing, is_json) {
        Output::remark(reason);
        return Ok(ExitCode::SUCCESS);
    }
    if is_json {
        out.document(&FmtDocument::new(&outcome, None));
    } else if args.diff {
        out.data(&outcome.diff);
    } else {
        let done = if write { "formatted" } else { "would format" };
        for (file, _) in &outcome.changed {
            out.data(&format!("{done} {file}\n"));
        }
    }
    if !is_json {
        out.trailing_remark(&summary(&outcome, left, write));
    }
    let is_stale = !write && !outcome.changed.is_empty();
    Ok(if left > 0 || is_stale { ExitCode::from(1) } else { ExitCode::SUCCESS })
}

/// Prints the formatted text of stdin. Text of a file that has no canonical form is printed unchanged, so that an editor
/// can always use the output if the exit code is 0.
fn format_stdin(
    directory: &Path,
    name: &Path,
    args: &FmtArgs,
    out: &mut Output,
) -> Result<ExitCode, Failure> {
    let bytes = standard_input().map_err(OperationError::from)?;
    let text = Some(UnsavedText { name, bytes: &bytes });
    let outcome = minds_operations::fmt(&FmtRequest { text, ..FmtRequest::new(directory) })?;
    if args.format.chosen(out) == Format::Json {
        let text = match outcome.changed.first() {
            Some((_, text)) => Some(text.clone()),
            None => String::from_utf8(bytes).ok(),
        };
        let is_left = count_unformatted(&outcome) > 0 || text.is_none();
        out.document(&FmtDocument::new(&outcome, text.filter(|_| !is_left)));
        return Ok(ExitCode::from(u8::from(is_left)));
    }
    if let Some(reason) = &outcome.nothing {
        Output::remark(reason);
    }
    if report_unformatted(&outcome, out) > 0 {
        return Ok(ExitCode::from(1));
    }
    match (outcome.changed.first(), String::from_utf8(bytes)) {
        (Some((_, text)), _) => out.data(text),
        (None, Ok(text)) => out.data(&text),
        (None, Err(_)) => return Ok(ExitCode::from(1)),
    }
    Ok(ExitCode::SUCCESS)
}

/// Reports why files were not formatted, and returns their number.
fn report_unformatted(outcome: &FmtOutcome, out: &Output) -> usize {
    let style = emit::Human { color: out.are_remarks_colored(), width: terminal_width().unwrap_or(WIDTH) };
    Output::remarks(&emit::human_findings(&outcome.report, style));
    for place in &outcome.unsure {
        Output::warning(&format!("{place}: not formatted, because formatting could change its meaning"));
    }
    count_unformatted(outcome)
}

/// Returns the number of files that were not formatted.
fn count_unformatted(outcome: &FmtOutcome) -> usize {
    let mut files: Vec<&str> = outcome
        .report
        .diagnostics
        .iter()
        .filter_map(|finding| finding.primary.as_ref().map(|label| label.source.name()))
        .collect();
    files.dedup();
    files.len() + outcome.unsure.len()
}

fn summary(outcome: &FmtOutcome, left: usize, write: bool) -> String {
    let count = |count: usize| format!("{count} {}", if count == 1 { "file" } else { "files" });
    let changed = outcome.changed.len();
    let done = if write { "formatted" } else { "would format" };
    let same = outcome.report.files.len().saturating_sub(changed + left);
    let mut parts = vec![format!("{done} {}", count(changed))];
    if same > 0 {
        parts.push(format!("{} already formatted", count(same)));
    }
    if left > 0 {
        parts.push(format!("{} not formatted", count(left)));
    }
    parts.join(", ")
}
