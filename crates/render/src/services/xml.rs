//! Texts in XML 1.0.

use super::service::Reason;

/// Returns a text between two tags. With `ascii` it is the same in every encoding that begins as ASCII does.
pub(super) fn text(text: &str, ascii: bool) -> Result<String, Reason> {
    let mut written = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => written.push_str("&amp;"),
            '<' => written.push_str("&lt;"),
            '>' => written.push_str("&gt;"),
            // A reader changes line breaks that are not written as references.
            '\t' | '\n' | '\r' | '\u{7f}'..='\u{9f}' => written.push_str(&reference(c)),
            '\0'..='\u{1f}' => return Err("it has a control character, which XML has no way to say"),
            '\u{fffe}' | '\u{ffff}' => return Err("it has a code point that XML does not know"),
            c if ascii && !c.is_ascii() => written.push_str(&reference(c)),
            c => written.push(c),
        }
    }
    Ok(written)
}

fn reference(c: char) -> String {
    format!("&#{};", u32::from(c))
}
