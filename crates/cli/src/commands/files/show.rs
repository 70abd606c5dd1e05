//! Human-readable results of the tools for files.

use minds_diagnostics::emit::{printable, visible};
use minds_toolset::{Answer, Success};
use serde_json::Value;
use unicode_width::UnicodeWidthStr as _;

use super::FilesCommand;
use super::tool_client::NextCommand;
use minds_output::Output;
use minds_output::paint;

/// Prints an answer: results on stdout, remarks and refusals on stderr.
pub(super) fn print(answer: &Answer, command: &FilesCommand, next_command: &NextCommand, out: &mut Output) {
    let success = match &answer.result {
        Ok(success) => success,
        Err(refusal) => {
            Output::refusal(refusal);
            return;
        }
    };
    match command {
        FilesCommand::Ls { .. } => print_entries(success, out),
        FilesCommand::Read { .. } => print_content(success, out),
        FilesCommand::Preview(_) => print_preview(success, next_command, out),
        FilesCommand::Search { .. } => print_matches(success, out),
        _ => out.data(&format!("{}\n", printable(&success.summary))),
    }
}

/// Prints the entries of a directory: directories end with `/`, links show their target.
fn print_entries(success: &Success, out: &mut Output) {
    let entries = success.fields.get("entries").and_then(Value::as_array);
    let names: Vec<(String, &Value)> =
        entries.into_iter().flatten().map(|entry| (entry_name(entry), entry)).collect();
    let width = names.iter().map(|(name, _)| name.width()).max().unwrap_or_default();
    if names.is_empty() && !is_incomplete(success) {
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
    remark_if_incomplete(success);
}

fn entry_name(entry: &Value) -> String {
    let text = |key: &str| entry.get(key).and_then(Value::as_str).unwrap_or_default();
    let name = printable(text("name")).into_owned();
    match text("type") {
        "dir" => name + "/",
        "symlink" => format!("{name} -> {}", printable(text("target"))),
        _ => name,
    }
}

fn print_content(success: &Success, out: &mut Output) {
    let text = success.fields.get("content").and_then(Value::as_str).unwrap_or_default();
    out.data(text);
    remark_if_incomplete(success);
}

/// Prints the diff, and the command that applies the change.
fn print_preview(success: &Success, next_command: &NextCommand, out: &mut Output) {
    let text = |key: &str| success.fields.get(key).and_then(Value::as_str).unwrap_or_default();
    let is_colored = out.is_colored();
    out.push_styled(&paint::diff(text("diff"), is_colored));
    let (prefix, suffix, id) = (&next_command.prefix, &next_command.suffix, text("hunk_id"));
    out.data(&format!("{}\n", printable(&format!("{prefix} apply {id}{suffix}"))));
    for key in ["style_warning", "warning"] {
        if !text(key).is_empty() {
            Output::warning(text(key));
        }
    }
}

/// Prints the matching lines, each with its file and line number.
fn print_matches(success: &Success, out: &mut Output) {
    let matches = success.fields.get("matches").and_then(Value::as_array);
    for line_match in matches.into_iter().flatten() {
        let text = |key: &str| line_match.get(key).and_then(Value::as_str).unwrap_or_default();
        let line = line_match.get("line").and_then(Value::as_u64).unwrap_or_default();
        let is_colored = out.is_colored();
        let place =
            paint::paint(&format!("{}:{line}", printable(text("path"))), paint::Style::Cyan, is_colored);
        out.push_styled(&format!("{place}: {}\n", visible(text("text"))));
    }
    remark_if_incomplete(success);
}

/// Prints a remark if the result is incomplete.
fn remark_if_incomplete(success: &Success) {
    if is_incomplete(success) {
        Output::remark(&success.summary);
    }
}

fn is_incomplete(success: &Success) -> bool {
    let field = |name: &str| success.fields.get(name);
    let is_more = field("truncated").and_then(Value::as_bool) == Some(true);
    let is_hidden = field("hidden").and_then(Value::as_u64).is_some_and(|hidden| hidden > 0);
    is_more || is_hidden || field("note").is_some()
}
