//! What people see of an answer.

use minds_diagnostics::emit::{printable, visible};
use minds_toolset::{Answer, Success};
use serde_json::Value;
use unicode_width::UnicodeWidthStr as _;

use super::FilesCommand;
use super::desk::Again;
use crate::output::Output;
use crate::paint;

/// Prints an answer: what was asked for to standard output, remarks and refusals to standard error.
pub(super) fn show(answer: &Answer, command: &FilesCommand, again: &Again, out: &mut Output) {
    let success = match &answer.result {
        Ok(success) => success,
        Err(refusal) => {
            Output::refusal(refusal);
            return;
        }
    };
    match command {
        FilesCommand::Ls { .. } => list(success, out),
        FilesCommand::Read { .. } => content(success, out),
        FilesCommand::Preview(_) => preview(success, again, out),
        FilesCommand::Search { .. } => matches(success, out),
        _ => out.data(&format!("{}\n", printable(&success.summary))),
    }
}

/// Prints the entries of a directory: a directory ends in `/`, a link says where it leads.
fn list(success: &Success, out: &mut Output) {
    let entries = success.fields.get("entries").and_then(Value::as_array);
    let names: Vec<(String, &Value)> =
        entries.into_iter().flatten().map(|entry| (name(entry), entry)).collect();
    let width = names.iter().map(|(name, _)| name.width()).max().unwrap_or_default();
    if names.is_empty() && !leaves_out(success) {
        Output::remark("the directory is empty");
    }
    for (name, entry) in names {
        match entry.get("size_bytes").and_then(Value::as_u64) {
            Some(size) => {
                let padding = " ".repeat(width.saturating_sub(name.width()));
                out.data(&format!("{name}{padding}  {size:>10} bytes\n"));
            }
            None => out.data(&format!("{name}\n")),
        }
    }
    note(success);
}

fn name(entry: &Value) -> String {
    let text = |key: &str| entry.get(key).and_then(Value::as_str).unwrap_or_default();
    let name = printable(text("name")).into_owned();
    match text("type") {
        "dir" => name + "/",
        "symlink" => format!("{name} -> {}", printable(text("target"))),
        _ => name,
    }
}

/// Prints the text of a file.
fn content(success: &Success, out: &mut Output) {
    let text = success.fields.get("content").and_then(Value::as_str).unwrap_or_default();
    out.data(text);
    note(success);
}

/// Prints what would change, and the command that does it.
fn preview(success: &Success, again: &Again, out: &mut Output) {
    let text = |key: &str| success.fields.get(key).and_then(Value::as_str).unwrap_or_default();
    let coloured = out.is_coloured();
    out.painted(&paint::diff(text("diff"), coloured));
    let (before, behind, id) = (&again.before, &again.behind, text("hunk_id"));
    out.data(&format!("{}\n", printable(&format!("{before} apply {id}{behind}"))));
    for key in ["style_warning", "warning"] {
        if !text(key).is_empty() {
            Output::warning(text(key));
        }
    }
}

/// Prints the lines that were found, each with its place.
fn matches(success: &Success, out: &mut Output) {
    let found = success.fields.get("matches").and_then(Value::as_array);
    for found in found.into_iter().flatten() {
        let text = |key: &str| found.get(key).and_then(Value::as_str).unwrap_or_default();
        let line = found.get("line").and_then(Value::as_u64).unwrap_or_default();
        let coloured = out.is_coloured();
        let place =
            paint::paint(&format!("{}:{line}", printable(text("path"))), paint::Style::Cyan, coloured);
        out.painted(&format!("{place}: {}\n", visible(text("text"))));
    }
    note(success);
}

/// Says in short what a list leaves out.
fn note(success: &Success) {
    if leaves_out(success) {
        Output::remark(&success.summary);
    }
}

fn leaves_out(success: &Success) -> bool {
    let field = |name: &str| success.fields.get(name);
    let is_more = field("truncated").and_then(Value::as_bool) == Some(true);
    let is_hidden = field("hidden").and_then(Value::as_u64).is_some_and(|hidden| hidden > 0);
    is_more || is_hidden || field("note").is_some()
}
