//! Lines and line breaks.

/// Returns the lines, each with its line break.
pub(super) fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.split_inclusive('\n')
}

/// Returns a line without its line break.
pub(super) fn without_break(line: &str) -> &str {
    let line = line.strip_suffix('\n').unwrap_or(line);
    line.strip_suffix('\r').unwrap_or(line)
}

/// Returns the line break of the first line.
pub(super) fn line_break(text: &str) -> &'static str {
    match text.find('\n') {
        Some(at) if text.get(..at).is_some_and(|before| before.ends_with('\r')) => "\r\n",
        // A final carriage return is completed to a line break.
        None if text.ends_with('\r') => "\r\n",
        _ => "\n",
    }
}

/// Adds a missing final line break.
pub(super) fn ensure_final_break(mut text: String, line_break: &str) -> String {
    if text.ends_with('\r') {
        text.push('\n');
    } else if !text.is_empty() && !text.ends_with('\n') {
        text.push_str(line_break);
    }
    text
}

/// Removes a byte order mark.
pub(super) fn without_byte_order_mark(text: &str) -> &str {
    text.strip_prefix('\u{feff}').unwrap_or(text)
}
