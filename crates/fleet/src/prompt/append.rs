//! Appending a line.

use super::lines::{ensure_final_break, line_break};
use super::violation::{Violation, ViolationKind, ViolationText};
use super::{Blocks, MAX_PROMPT_BYTES, neutralize};

/// Appends a line to `text`, outside of protected blocks.
///
/// The line gets the line break of the first line. The existing text does not change, including white space.
///
/// # Errors
///
/// Returns why the line is not valid (it is blank, contains a line break or a control character other than tab, or looks
/// like a marker), or which markers of `text` do not match: then its end may be within a block.
pub fn append(text: &str, line: &str) -> Result<String, Violation> {
    let refused = |kind| Err(Violation::new(ViolationText::Line, 1, kind));
    if line.trim().is_empty() {
        return refused(ViolationKind::Blank);
    }
    // Some programs treat these as line breaks, although they are not control characters.
    let breaks = |c: char| (c.is_control() && c != '\t') || matches!(c, '\u{2028}' | '\u{2029}');
    if line.contains(breaks) {
        return refused(ViolationKind::NotOneLine);
    }
    if neutralize::looks_like_marker(line) {
        return refused(ViolationKind::Marker);
    }
    if let Some(broken) = Blocks::find(text).broken.into_iter().next() {
        return Err(Violation::new(ViolationText::Old, broken.line, broken.kind.into()));
    }
    let ending = line_break(text);
    let longer = ensure_final_break(text.to_owned(), ending) + line + ending;
    if longer.len() > MAX_PROMPT_BYTES {
        return Err(Violation::new(ViolationText::Old, 1, ViolationKind::TooLarge));
    }
    Ok(longer)
}

#[cfg(test)]
mod tests {
    use super::*;

    const BLOCK: &str = "<!-- ateam-protect:start:toolbox -->\nx\n<!-- ateam-protect:end:toolbox -->";

    #[test]
    fn a_line_is_appended() {
        for (text, expected) in [
            ("", "be terse\n"),
            ("a", "a\nbe terse\n"),
            ("a\n", "a\nbe terse\n"),
            ("  a\n\n\n", "  a\n\n\nbe terse\n"),
            ("a\r\nb", "a\r\nb\r\nbe terse\r\n"),
        ] {
            assert_eq!(append(text, "be terse").as_deref(), Ok(expected), "{text:?}");
        }
        assert_eq!(append(BLOCK, "be terse"), Ok(format!("{BLOCK}\nbe terse\n")));
        assert_eq!(append("", "  - a\tb  "), Ok("  - a\tb  \n".to_owned()));
    }

    #[test]
    fn invalid_lines_are_refused() {
        for (line, kind) in [
            ("", ViolationKind::Blank),
            (" \t", ViolationKind::Blank),
            ("a\nb", ViolationKind::NotOneLine),
            ("a\rb", ViolationKind::NotOneLine),
            ("a\u{2028}b", ViolationKind::NotOneLine),
            ("a\u{85}b", ViolationKind::NotOneLine),
            ("a\0b", ViolationKind::NotOneLine),
            ("<!-- ateam-protect:end:toolbox -->", ViolationKind::Marker),
            ("see ATEAM-PROTECT:x", ViolationKind::Marker),
        ] {
            assert_eq!(append(BLOCK, line), Err(Violation::new(ViolationText::Line, 1, kind)), "{line:?}");
        }
        let half = BLOCK.rsplit_once('\n').unwrap().0;
        let broken = append(half, "a").unwrap_err();
        assert_eq!((broken.within, broken.line), (ViolationText::Old, 1));
        assert_eq!(
            append(&"a".repeat(MAX_PROMPT_BYTES), "a"),
            Err(Violation::new(ViolationText::Old, 1, ViolationKind::TooLarge))
        );
    }
}
