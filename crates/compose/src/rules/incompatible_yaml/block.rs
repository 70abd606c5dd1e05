//! Block texts: where tabs can stand in them.

use super::{Found, span};

/// Looks at the block text whose header, `|` or `>`, stands at `header`.
///
/// The first line that is not blank says how far the text is indented. Up to there only spaces can stand in each line, also
/// in one that has nothing else; YAML 1.2 takes a tab for the start of the text.
pub(super) fn check(bytes: &[u8], header: usize, end: usize, found: &mut Vec<Found>) {
    let text = bytes.get(header..end).unwrap_or_default();
    let mut at = header;
    let mut indentation = None;
    for (number, line) in text.split_inclusive(|byte| *byte == b'\n').enumerate() {
        let from = at;
        at += line.len();
        if number == 0 {
            // A header that tells the indentation leaves nothing to find out.
            let word = line.iter().skip(1).take_while(|byte| !byte.is_ascii_whitespace());
            if word.into_iter().any(u8::is_ascii_digit) {
                return;
            }
            continue;
        }
        let spaces = line.iter().take_while(|byte| **byte == b' ').count();
        if line.get(spaces) == Some(&b'\t') && indentation.is_none_or(|most| spaces < most) {
            found.push((
                span(from + spaces, from + spaces + 1),
                "a tab in the indentation of a text",
                "use spaces",
            ));
            return;
        }
        if !matches!(line.get(spaces), None | Some(b'\n' | b'\r')) {
            indentation.get_or_insert(spaces);
        }
    }
}
