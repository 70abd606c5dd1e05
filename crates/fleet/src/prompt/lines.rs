//! Lines, with what ends them.

/// Returns the lines of a text, each with its line break.
pub(super) fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.split_inclusive('\n')
}

/// Returns a line without its line break.
pub(super) fn without_break(line: &str) -> &str {
    let line = line.strip_suffix('\n').unwrap_or(line);
    line.strip_suffix('\r').unwrap_or(line)
}

/// Returns how the lines of a text end: as the first one does.
pub(super) fn line_break(text: &str) -> &'static str {
    match text.find('\n') {
        Some(at) if text.get(..at).is_some_and(|before| before.ends_with('\r')) => "\r\n",
        // Half a line break is what the other half makes whole.
        None if text.ends_with('\r') => "\r\n",
        _ => "\n",
    }
}

/// Returns a text with a line break at its end, if there is a line that has none.
pub(super) fn closed(mut text: String, line_break: &str) -> String {
    if text.ends_with('\r') {
        text.push('\n');
    } else if !text.is_empty() && !text.ends_with('\n') {
        text.push_str(line_break);
    }
    text
}

/// Returns a text without the sign at its beginning which says that a file is Unicode.
pub(super) fn without_sign(text: &str) -> &str {
    text.strip_prefix('\u{feff}').unwrap_or(text)
}
