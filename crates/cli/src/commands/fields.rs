//! Members and agents as text: a block for each, with a line for each value.

use std::process::ExitCode;

use minds_diagnostics::emit::printable;
use serde_json::Value;
use unicode_width::UnicodeWidthStr as _;

use minds_output::Output;

/// Cells wider than this number of columns do not widen their column.
const MAX_WIDTH: usize = 48;

/// Appends a block: a title, and rows of name, value and source. The cells must already be safe to print on a terminal.
pub(super) fn add_block(text: &mut String, title: &str, rows: &[[String; 3]]) {
    if !text.is_empty() {
        text.push('\n');
    }
    text.push_str(title);
    text.push('\n');
    let width = |column: usize| {
        let widths = rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.width());
        widths.filter(|width| *width <= MAX_WIDTH).max().unwrap_or_default()
    };
    let (names, values) = (width(0), width(1));
    for [name, value, from] in rows {
        let pad = |cell: &str, width: usize| " ".repeat(width.saturating_sub(cell.width()));
        let line = format!("  {name}{}  {value}{}  {from}", pad(name, names), pad(value, values));
        text.push_str(line.trim_end());
        text.push('\n');
    }
}

/// Renders a value on one line: lists in brackets, strings without quotes where that is unambiguous.
pub(super) fn show(value: &Value) -> String {
    match value {
        Value::String(text) if !text.is_empty() && text.trim() == text => printable(text).into_owned(),
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(show).collect();
            format!("[{}]", items.join(", "))
        }
        Value::Null => "unreadable".to_owned(),
        other => printable(&other.to_string()).into_owned(),
    }
}

/// Warns that values may be missing if the files have errors. The exit code is 0 without errors, else 1.
pub(super) fn report_errors(files: &str, errors: usize) -> ExitCode {
    if errors == 0 {
        return ExitCode::SUCCESS;
    }
    let errors = if errors == 1 { "an error".to_owned() } else { format!("{errors} errors") };
    Output::warning(&format!("{files} have {errors}, so values may be missing; see `minds check`"));
    ExitCode::from(1)
}
