//! `minds init --from`

use std::path::Path;
use std::process::ExitCode;

use minds_diagnostics::emit::{self, printable};
use minds_diagnostics::{Report, Severity, Summary};
use minds_operations::documents::InitFromDocument;
use minds_operations::{ImportedEntry, ImportedFiles, InitFromOutcome, InitFromRequest};
use minds_process::terminal_width;

use super::ClientName;
use crate::commands::allow_nothing_to_do;
use crate::commands::check::WIDTH;
use minds_output::FailureKind;
use minds_output::exit_codes::REFUSED;
use minds_output::format::{Format, FormatArgs};
use minds_output::{Failure, Output, Verbosity};

/// The number of findings from which infos are only counted, and of warnings that are shown with an excerpt.
const MAX_EXCERPTS: usize = 25;

pub(super) fn run(
    directory: &Path,
    client: ClientName,
    dry_run: bool,
    format: FormatArgs,
    out: &mut Output,
) -> Result<ExitCode, Failure> {
    let request = InitFromRequest { base: directory, client: client.id(), write: !dry_run };
    let is_json = format.chosen(out) == Format::Json;
    let Some(outcome) = allow_nothing_to_do(minds_operations::init_from(&request), out)? else {
        if is_json {
            out.document(&InitFromDocument::new(&ImportedFiles::default(), dry_run));
        }
        return Ok(ExitCode::SUCCESS);
    };
    match outcome {
        InitFromOutcome::Exists(path) => {
            let message = format!(
                "`{path}` already exists, so it is not made from files of clients; nothing was written"
            );
            Err(Failure::refusal(FailureKind::Exists, message))
        }
        InitFromOutcome::Refused(report) => {
            if is_json {
                out.document(&InitFromDocument::of_refusal(&report));
            } else {
                report_findings(&report, out);
                let message = "a file of a client cannot be read; nothing was written";
                out.trailing_error("unreadable", message);
            }
            Ok(ExitCode::from(REFUSED))
        }
        InitFromOutcome::Done(imported) => {
            let has_errors = imported.report.summary().errors > 0;
            if is_json {
                out.document(&InitFromDocument::new(&imported, dry_run));
            } else {
                print(&imported, dry_run, out);
            }
            Ok(if has_errors { ExitCode::from(REFUSED) } else { ExitCode::SUCCESS })
        }
    }
}

/// Writes the findings to stderr. Of many findings, infos are left out, unless all output is wanted.
fn report_findings(report: &Report, out: &Output) {
    let mut report = report.clone();
    let is_long = report.diagnostics.len() > MAX_EXCERPTS;
    if is_long && Verbosity::current() != Verbosity::Verbose {
        report.diagnostics.retain(|found| found.severity > Severity::Info);
    }
    if report.diagnostics.len() > MAX_EXCERPTS {
        Output::remarks(&emit::concise(&report));
        return;
    }
    let width = terminal_width().unwrap_or(WIDTH);
    let style = emit::Human { color: out.are_remarks_colored(), width };
    Output::remarks(&emit::human_findings(&report, style));
}

fn print(imported: &ImportedFiles, dry_run: bool, out: &mut Output) {
    report_findings(&imported.report, out);
    if dry_run {
        out.data(&imported.diff);
    } else {
        print_entries("member", &imported.members, out);
        print_entries("server", &imported.servers, out);
        for file in &imported.written {
            out.data(&format!("wrote {file}\n"));
        }
    }
    let Summary { errors, warnings, infos, .. } = imported.report.summary();
    let is_shortened = imported.report.diagnostics.len() > MAX_EXCERPTS
        && infos > 0
        && Verbosity::current() != Verbosity::Verbose;
    out.trailing_remark(&format!(
        "{} and {} from {}: {}{}, {}{}{}",
        count_text(imported.members.len(), "member"),
        count_text(imported.servers.len(), "server"),
        imported.clients.join(", "),
        if errors > 0 { format!("{}, ", count_text(errors, "error")) } else { String::new() },
        count_text(warnings, "warning"),
        count_text(infos, "info"),
        if is_shortened { " (shown with `--verbose`)" } else { "" },
        if dry_run { "; dry run, nothing was written" } else { "" },
    ));
    if !dry_run {
        out.data("next: run `minds check`, then `minds team show` and `minds access matrix`\n");
    }
}

fn print_entries(kind: &str, entries: &[ImportedEntry], out: &mut Output) {
    for entry in entries {
        out.data(&format!("{kind} {} from {}\n", printable(&entry.id), printable(&entry.file)));
    }
}

fn count_text(count: usize, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}
