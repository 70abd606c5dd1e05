//! Texts in the YAML of a compose file.

use std::fmt::Write as _;

/// Returns a text in quotes, of which nothing is replaced: compose files have variables behind `$`.
pub(super) fn scalar(text: &str) -> String {
    quoted(&text.replace('$', "$$"))
}

/// Returns a text in quotes, with the variables that it names.
pub(super) fn with_variables(text: &str) -> String {
    quoted(text)
}

/// Returns a list of texts on one line.
pub(super) fn list<'t>(texts: impl IntoIterator<Item = &'t str>) -> String {
    let items: Vec<String> = texts.into_iter().map(scalar).collect();
    format!("[{}]", items.join(", "))
}

/// Returns a text in double quotes. What is neither printable ASCII nor a letter or digit is written by its number: some
/// readers take U+2028 for a line break, and U+FEFF for nothing.
fn quoted(text: &str) -> String {
    let mut written = String::with_capacity(text.len() + 2);
    written.push('"');
    for c in text.chars() {
        match c {
            '"' => written.push_str("\\\""),
            '\\' => written.push_str("\\\\"),
            '\n' => written.push_str("\\n"),
            '\t' => written.push_str("\\t"),
            ' '..='~' => written.push(c),
            c if c.is_alphanumeric() => written.push(c),
            c => {
                let code = u32::from(c);
                // Writing to a string cannot fail.
                let _ = match code {
                    0..=0xff => write!(written, "\\x{code:02X}"),
                    0x100..=0xffff => write!(written, "\\u{code:04X}"),
                    _ => write!(written, "\\U{code:08X}"),
                };
            }
        }
    }
    written.push('"');
    written
}
