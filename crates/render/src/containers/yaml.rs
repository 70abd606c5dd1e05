//! Strings in the YAML of a compose file.

use std::fmt::Write as _;

/// Returns a quoted string in which `$` does not start a variable.
pub(super) fn scalar(text: &str) -> String {
    quote(&text.replace('$', "$$"))
}

/// Returns a quoted string in which variables are expanded.
pub(super) fn expandable(text: &str) -> String {
    quote(text)
}

/// Returns a list of strings on one line.
pub(super) fn list<'s>(strings: impl IntoIterator<Item = &'s str>) -> String {
    let items: Vec<String> = strings.into_iter().map(scalar).collect();
    format!("[{}]", items.join(", "))
}

/// Returns a string in double quotes. Characters that are neither printable ASCII nor alphanumeric are
/// escaped: some parsers treat U+2028 as a line break and ignore U+FEFF.
fn quote(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            ' '..='~' => out.push(c),
            c if c.is_alphanumeric() => out.push(c),
            c => {
                let code = u32::from(c);
                // Writing to a string cannot fail.
                let _ = match code {
                    0..=0xff => write!(out, "\\x{code:02X}"),
                    0x100..=0xffff => write!(out, "\\u{code:04X}"),
                    _ => write!(out, "\\U{code:08X}"),
                };
            }
        }
    }
    out.push('"');
    out
}
