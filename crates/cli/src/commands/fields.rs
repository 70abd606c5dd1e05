//! What agents and members are like: a block for each, with a line for each value.

use std::process::ExitCode;

use minds_diagnostics::emit::printable;
use serde_json::Value;
use unicode_width::UnicodeWidthStr as _;

use crate::output::Output;

/// Values of more columns do not widen their column.
const LONGEST: usize = 48;

/// Adds a block: its title, and in each row a name, a value, and where that comes from. The cells are safe for a terminal.
pub(super) fn add_block(text: &mut String, title: &str, rows: &[[String; 3]]) {
    if !text.is_empty() {
        text.push('\n');
    }
    text.push_str(title);
    text.push('\n');
    let width = |column: usize| {
        let widths = rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.width());
        widths.filter(|width| *width <= LONGEST).max().unwrap_or_default()
    };
    let (names, values) = (width(0), width(1));
    for [name, value, from] in rows {
        let pad = |cell: &str, width: usize| " ".repeat(width.saturating_sub(cell.width()));
        let line = format!("  {name}{}  {value}{}  {from}", pad(name, names), pad(value, values));
        text.push_str(line.trim_end());
        text.push('\n');
    }
}

/// Returns a value in one line: lists in brackets, texts without quotes where that cannot be misread.
pub(super) fn show(value: &Value) -> String {
    match value {
        Value::String(text) if !text.is_empty() && text.trim() == text => printable(text).into_owned(),
        Value::Array(items) => {
            let shown: Vec<String> = items.iter().map(show).collect();
            format!("[{}]", shown.join(", "))
        }
        Value::Null => "unreadable".to_owned(),
        other => printable(&other.to_string()).into_owned(),
    }
}

/// Says that something may be missing if the files that were read have errors: 0 if they have none, else 1.
pub(super) fn told_of_errors(files: &str, errors: usize) -> ExitCode {
    if errors == 0 {
        return ExitCode::SUCCESS;
    }
    let errors = if errors == 1 { "an error".to_owned() } else { format!("{errors} errors") };
    Output::warning(&format!("{files} have {errors}, so something may be missing; see `minds check`"));
    ExitCode::from(1)
}
