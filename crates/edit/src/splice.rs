//! Replacing lines.

use crate::lines::{LineEnding, body, is_ended, split};

/// Consecutive lines, counted from 0. With `count` 0 it is the gap in front of `start`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// The first line, or the line after the gap.
    pub start: usize,
    /// The number of lines.
    pub count: usize,
}

impl Span {
    /// Returns the index after the last line.
    pub fn end(self) -> usize {
        self.start.saturating_add(self.count)
    }

    /// Returns the lines of the span; `None` if they do not exist.
    pub fn of<'l, 't>(self, lines: &'l [&'t str]) -> Option<&'l [&'t str]> {
        lines.get(self.start..self.end())
    }
}

/// The result of replacing lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpliceResult {
    /// The new text.
    pub text: String,
    /// The number of new lines.
    pub new_lines: usize,
    /// Whether a line break was added to the last old line because lines were appended.
    pub file_break_added: bool,
    /// Whether a line break was added to the last new line.
    pub content_break_added: bool,
}

/// Replaces the lines at `span` by those of `content`.
///
/// All remaining lines stay the same, byte for byte. New lines get the most frequent line break of the old text, or that of
/// `content`. One final line break of `content` only ends its last line. If the last line is replaced and had no line break,
/// the new last line has one if `content` ends with one.
pub(crate) fn splice(text: &str, span: Span, content: &str) -> SpliceResult {
    let lines = split(text);
    let start = span.start.min(lines.len());
    let end = span.end().clamp(start, lines.len());
    let (before, old, after) = (
        lines.get(..start).unwrap_or_default(),
        lines.get(start..end).unwrap_or_default(),
        lines.get(end..).unwrap_or_default(),
    );
    let ending =
        LineEnding::of_text(text).or_else(|| LineEnding::of_text(content)).unwrap_or(LineEnding::Lf).as_str();
    let new = split(content);
    let mut out = String::with_capacity(text.len() + content.len() + new.len() + 2);
    out.extend(before.iter().copied());
    let file_break_added = !new.is_empty() && !is_ended(&out);
    if file_break_added {
        out.push_str(ending);
    }
    let ends_open = after.is_empty() && old.last().is_some_and(|last| !is_ended(last));
    let content_break_added = !is_ended(content) && !ends_open;
    for (number, line) in new.iter().enumerate() {
        out.push_str(body(line));
        let is_open = number + 1 == new.len() && ends_open && !is_ended(line);
        if !is_open {
            out.push_str(ending);
        }
    }
    out.extend(after.iter().copied());
    SpliceResult { text: out, new_lines: new.len(), file_break_added, content_break_added }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, (start, count): (usize, usize), content: &str, expected: &str, added: (bool, bool)) {
        let spliced = splice(text, Span { start, count }, content);
        assert_eq!(spliced.text, expected, "{text:?} {start} {count} {content:?}");
        assert_eq!((spliced.file_break_added, spliced.content_break_added), added, "{text:?} {content:?}");
    }

    #[test]
    fn lines_are_replaced() {
        check("a\nb\nc\n", (1, 1), "B\n", "a\nB\nc\n", (false, false));
        check("a\nb\nc\n", (1, 1), "B", "a\nB\nc\n", (false, true));
        check("a\nb\nc\n", (0, 2), "", "c\n", (false, false));
        check("a\nb\n", (1, 0), "x\ny", "a\nx\ny\nb\n", (false, true));
        check("a\n", (0, 1), "", "", (false, false));
        check("", (0, 0), "x", "x\n", (false, true));
    }

    #[test]
    fn one_final_line_break_of_the_content_only_ends_it() {
        check("a\n", (1, 0), "\n", "a\n\n", (false, false));
        check("a\n", (1, 0), "Q\n\n", "a\nQ\n\n", (false, false));
        check("\n", (1, 0), "b\n", "\nb\n", (false, false));
    }

    #[test]
    fn a_file_keeps_its_line_breaks() {
        check("a\r\nb\r\nc\r\n", (1, 1), "X", "a\r\nX\r\nc\r\n", (false, true));
        check("a\r\nb\r\n", (1, 1), "x\ny\n", "a\r\nx\r\ny\r\n", (false, false));
        check("a\nb\n", (1, 1), "x\r\ny\r\n", "a\nx\ny\n", (false, false));
        check("a\r\nb\nc\r\n", (2, 1), "C\n", "a\r\nb\nC\r\n", (false, false));
        check("a\r\nb", (2, 0), "c", "a\r\nb\r\nc\r\n", (true, true));
        check("", (0, 0), "x\r\ny\r\n", "x\r\ny\r\n", (false, false));
        check("a", (0, 1), "x\r\ny", "x\r\ny", (false, false));
    }

    #[test]
    fn a_missing_final_line_break_stays_missing_unless_lines_are_appended() {
        check("a\nb", (0, 1), "A", "A\nb", (false, true));
        check("a\nb", (1, 0), "x", "a\nx\nb", (false, true));
        check("a\nb", (1, 1), "B", "a\nB", (false, false));
        check("a\nb", (1, 1), "B\n", "a\nB\n", (false, false));
        check("a\nb", (1, 1), "", "a\n", (false, false));
        check("a", (1, 0), "b", "a\nb\n", (true, true));
        check("a", (1, 0), "b\n", "a\nb\n", (true, false));
    }

    #[test]
    fn a_span_after_the_text_is_its_end() {
        check("a\n", (5, 9), "b\n", "a\nb\n", (false, false));
        check("a\n", (usize::MAX, usize::MAX), "", "a\n", (false, false));
    }
}
