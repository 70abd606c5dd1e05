//! Tabs in block scalars.

use super::{Issue, span};

/// Checks the block scalar whose header, `|` or `>`, is at the offset `header`.
///
/// The first line that is not blank determines the indentation. Every line, even a blank one, may be indented
/// with spaces only; in YAML 1.2 a tab would start the contents.
pub(super) fn check(bytes: &[u8], header: usize, end: usize, issues: &mut Vec<Issue>) {
    let text = bytes.get(header..end).unwrap_or_default();
    let mut at = header;
    let mut indentation = None;
    for (number, line) in text.split_inclusive(|byte| *byte == b'\n').enumerate() {
        let from = at;
        at += line.len();
        if number == 0 {
            // The header gives the indentation explicitly.
            let word = line.iter().skip(1).take_while(|byte| !byte.is_ascii_whitespace());
            if word.into_iter().any(u8::is_ascii_digit) {
                return;
            }
            continue;
        }
        let spaces = line.iter().take_while(|byte| **byte == b' ').count();
        if line.get(spaces) == Some(&b'\t') && indentation.is_none_or(|most| spaces < most) {
            issues.push((
                span(from + spaces, from + spaces + 1),
                "a tab in the indentation of a block scalar",
                "use spaces",
            ));
            return;
        }
        if !matches!(line.get(spaces), None | Some(b'\n' | b'\r')) {
            indentation.get_or_insert(spaces);
        }
    }
}
