//! `minds fmt`

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use minds_diagnostics::emit;
use minds_operations::{FmtOutcome, OperationError};
use minds_system::{standard_input, terminal_width};
use serde::Serialize;

use super::check::WIDTH;
use crate::format::{Format, FormatArgs};
use crate::output::{Failure, Output};

/// Bring files into their canonical form: order of keys, indentation, spaces and blank lines
///
/// Every comment is kept, with what it belongs to, and what a file says stays: the new text is read again and compared
/// before it is written. The workspace is found as `minds check` finds it.
///
/// A file that cannot be read without errors is left as it is, with the reason; others are formatted all the same. Exits
/// with 0 if nothing is left to do, with 1 if a file is left as it is or, with --check or --diff, would change, and with 2
/// if there is no such PATH or a file cannot be written.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  minds fmt                     Format the files of the workspace that you are in
  minds fmt .minds/team.yaml    Format only this file
  minds fmt --check             Name the files that would change, as in CI
  minds fmt --diff              Show what would change
  minds fmt --stdin-filename .minds/team.yaml < draft.yaml
                                Print the form of a text that is not saved yet")]
pub(crate) struct FmtArgs {
    /// Directories of the workspace, or files: then only these are formatted
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Write nothing, name the files that would change, and exit with 1 if there are any
    #[arg(long)]
    check: bool,
    /// Write nothing, show what would change as a unified diff, and exit with 1 if that is anything
    #[arg(long, conflicts_with = "check")]
    diff: bool,
    /// Format standard input as if it stood at NAME, to standard output
    #[arg(long, value_name = "NAME", conflicts_with_all = ["paths", "check", "diff"])]
    stdin_filename: Option<PathBuf>,
    #[command(flatten)]
    format: FormatArgs,
}

pub(crate) fn run(directory: &Path, args: &FmtArgs, out: &mut Output) -> Result<ExitCode, Failure> {
    if let Some(name) = &args.stdin_filename {
        return text(directory, name, args, out);
    }
    let is_json = args.format.chosen(out) == Format::Json;
    let write = !args.check && !args.diff;
    let outcome = minds_operations::fmt(directory, &args.paths, write)?;
    let left = if is_json { files_left(&outcome) } else { report(&outcome, out) };
    if let (Some(reason), false) = (&outcome.nothing, is_json) {
        Output::remark(reason);
        return Ok(ExitCode::SUCCESS);
    }
    if is_json {
        out.json(&document(&outcome, None));
    } else if args.diff {
        out.data(&outcome.diff);
    } else {
        let done = if write { "formatted" } else { "would format" };
        for (file, _) in &outcome.changed {
            out.data(&format!("{done} {file}\n"));
        }
    }
    if !is_json {
        out.remark_behind(&summary(&outcome, left, write));
    }
    let is_stale = !write && !outcome.changed.is_empty();
    Ok(if left > 0 || is_stale { ExitCode::from(1) } else { ExitCode::SUCCESS })
}

/// Prints the form of standard input. What has none here is printed as it is, so that an editor can always take the
/// output if the exit code is 0.
fn text(directory: &Path, name: &Path, args: &FmtArgs, out: &mut Output) -> Result<ExitCode, Failure> {
    let bytes = standard_input().map_err(OperationError::from)?;
    let outcome = minds_operations::fmt_text(directory, name, bytes.clone())?;
    if args.format.chosen(out) == Format::Json {
        let text = match outcome.changed.first() {
            Some((_, text)) => Some(text.clone()),
            None => String::from_utf8(bytes).ok(),
        };
        let is_left = files_left(&outcome) > 0 || text.is_none();
        out.json(&document(&outcome, text.filter(|_| !is_left)));
        return Ok(ExitCode::from(u8::from(is_left)));
    }
    if let Some(reason) = &outcome.nothing {
        Output::remark(reason);
    }
    if report(&outcome, out) > 0 {
        return Ok(ExitCode::from(1));
    }
    match (outcome.changed.first(), String::from_utf8(bytes)) {
        (Some((_, text)), _) => out.data(text),
        (None, Ok(text)) => out.data(&text),
        (None, Err(_)) => return Ok(ExitCode::from(1)),
    }
    Ok(ExitCode::SUCCESS)
}

/// Says why files are left as they are, and returns how many.
fn report(outcome: &FmtOutcome, out: &Output) -> usize {
    let style = emit::Human { color: out.are_remarks_coloured(), width: terminal_width().unwrap_or(WIDTH) };
    Output::remarks(&emit::human_findings(&outcome.report, style));
    for place in &outcome.unsure {
        Output::warning(&format!(
            "{place}: left as it is: it is not certain that it would say the same afterwards"
        ));
    }
    files_left(outcome)
}

/// Returns how many files are left as they are.
fn files_left(outcome: &FmtOutcome) -> usize {
    let mut files: Vec<&str> = outcome
        .report
        .diagnostics
        .iter()
        .filter_map(|found| found.primary.as_ref().map(|label| label.source.name()))
        .collect();
    files.dedup();
    files.len() + outcome.unsure.len()
}

/// What was formatted, as a document.
#[derive(Serialize)]
struct Document<'a, F> {
    /// The files that changed or would change.
    changed: Vec<&'a str>,
    /// Where it is not certain that a file would say the same, so that it is left as it is.
    unsure: &'a [String],
    /// Why files are left as they are.
    diagnostics: F,
    diff: &'a str,
    /// The formatted text of standard input.
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
}

fn document(outcome: &FmtOutcome, text: Option<String>) -> impl Serialize {
    Document {
        changed: outcome.changed.iter().map(|(file, _)| file.as_str()).collect(),
        unsure: &outcome.unsure,
        diagnostics: emit::json_findings(&outcome.report.diagnostics),
        diff: &outcome.diff,
        text,
    }
}

fn summary(outcome: &FmtOutcome, left: usize, write: bool) -> String {
    let count = |count: usize| format!("{count} {}", if count == 1 { "file" } else { "files" });
    let changed = outcome.changed.len();
    let done = if write { "formatted" } else { "would format" };
    let same = outcome.report.files.len().saturating_sub(changed + left);
    let mut parts = vec![format!("{done} {}", count(changed))];
    if same > 0 {
        parts.push(format!("{} in form already", count(same)));
    }
    if left > 0 {
        parts.push(format!("{} left as {}", count(left), if left == 1 { "it is" } else { "they are" }));
    }
    parts.join(", ")
}
