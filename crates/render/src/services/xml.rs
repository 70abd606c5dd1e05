//! Strings in XML 1.0.

use super::service::Reason;

/// Returns `text` escaped for the contents of an element. With `ascii` the result is pure ASCII, so it does
/// not depend on the encoding.
pub(super) fn text(text: &str, ascii: bool) -> Result<String, Reason> {
    let mut written = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => written.push_str("&amp;"),
            '<' => written.push_str("&lt;"),
            '>' => written.push_str("&gt;"),
            // A parser normalizes line breaks that are not written as references.
            '\t' | '\n' | '\r' | '\u{7f}'..='\u{9f}' => written.push_str(&reference(c)),
            '\0'..='\u{1f}' => return Err("it contains a control character, which XML cannot represent"),
            '\u{fffe}' | '\u{ffff}' => return Err("it contains a code point that XML cannot represent"),
            c if ascii && !c.is_ascii() => written.push_str(&reference(c)),
            c => written.push(c),
        }
    }
    Ok(written)
}

fn reference(c: char) -> String {
    format!("&#{};", u32::from(c))
}
