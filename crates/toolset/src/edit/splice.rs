//! Putting lines in the place of others.

use super::lines::{Ending, body, is_ended, split};

/// Lines that stand together: where they begin, from 0 on, and how many there are. None is a gap between two lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Span {
    /// The first line, or the line behind the gap.
    pub(crate) start: usize,
    /// How many lines.
    pub(crate) count: usize,
}

impl Span {
    /// Returns the line behind the last one.
    pub(crate) fn end(self) -> usize {
        self.start.saturating_add(self.count)
    }

    /// Returns the lines of a text that stand here; none if they are not there.
    pub(crate) fn of<'l, 't>(self, lines: &'l [&'t str]) -> Option<&'l [&'t str]> {
        lines.get(self.start..self.end())
    }
}

/// A text in which lines were exchanged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Spliced {
    /// The whole text.
    pub(crate) text: String,
    /// How many lines are new.
    pub(crate) new_lines: usize,
    /// Whether the last line of the text had no line break, and got one because lines came behind it.
    pub(crate) file_break_added: bool,
    /// Whether the last new line had no line break and got one.
    pub(crate) content_break_added: bool,
}

/// Returns `text` with the lines of `content` in the place of those at `span`.
///
/// All other lines stay as they are, byte for byte. New lines get the line break that most lines of the text have, or
/// where it has none the one of `content`. One line break at the end of `content` only ends its last line. Where the last
/// line of the text is replaced and had no line break, the new last line has one if `content` ends with one.
pub(crate) fn splice(text: &str, span: Span, content: &str) -> Spliced {
    let lines = split(text);
    let start = span.start.min(lines.len());
    let end = span.end().clamp(start, lines.len());
    let (before, old, after) = (
        lines.get(..start).unwrap_or_default(),
        lines.get(start..end).unwrap_or_default(),
        lines.get(end..).unwrap_or_default(),
    );
    let ending = Ending::of_text(text).or_else(|| Ending::of_text(content)).unwrap_or(Ending::Lf).as_str();
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
    Spliced { text: out, new_lines: new.len(), file_break_added, content_break_added }
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
    fn lines_take_the_place_of_lines() {
        check("a\nb\nc\n", (1, 1), "B\n", "a\nB\nc\n", (false, false));
        check("a\nb\nc\n", (1, 1), "B", "a\nB\nc\n", (false, true));
        check("a\nb\nc\n", (0, 2), "", "c\n", (false, false));
        check("a\nb\n", (1, 0), "x\ny", "a\nx\ny\nb\n", (false, true));
        check("a\n", (0, 1), "", "", (false, false));
        check("", (0, 0), "x", "x\n", (false, true));
    }

    #[test]
    fn one_line_break_at_the_end_of_a_content_only_ends_it() {
        check("a\n", (1, 0), "\n", "a\n\n", (false, false));
        check("a\n", (1, 0), "Q\n\n", "a\nQ\n\n", (false, false));
        check("\n", (1, 0), "b\n", "\nb\n", (false, false));
    }

    #[test]
    fn a_file_keeps_its_kind_of_line_breaks() {
        check("a\r\nb\r\nc\r\n", (1, 1), "X", "a\r\nX\r\nc\r\n", (false, true));
        check("a\r\nb\r\n", (1, 1), "x\ny\n", "a\r\nx\r\ny\r\n", (false, false));
        check("a\nb\n", (1, 1), "x\r\ny\r\n", "a\nx\ny\n", (false, false));
        check("a\r\nb\nc\r\n", (2, 1), "C\n", "a\r\nb\nC\r\n", (false, false));
        check("a\r\nb", (2, 0), "c", "a\r\nb\r\nc\r\n", (true, true));
        check("", (0, 0), "x\r\ny\r\n", "x\r\ny\r\n", (false, false));
        check("a", (0, 1), "x\r\ny", "x\r\ny", (false, false));
    }

    #[test]
    fn a_missing_line_break_at_the_end_stays_missing_unless_lines_come_behind_it() {
        check("a\nb", (0, 1), "A", "A\nb", (false, true));
        check("a\nb", (1, 0), "x", "a\nx\nb", (false, true));
        check("a\nb", (1, 1), "B", "a\nB", (false, false));
        check("a\nb", (1, 1), "B\n", "a\nB\n", (false, false));
        check("a\nb", (1, 1), "", "a\n", (false, false));
        check("a", (1, 0), "b", "a\nb\n", (true, true));
        check("a", (1, 0), "b\n", "a\nb\n", (true, false));
    }

    #[test]
    fn what_is_not_there_is_the_end() {
        check("a\n", (5, 9), "b\n", "a\nb\n", (false, false));
        check("a\n", (usize::MAX, usize::MAX), "", "a\n", (false, false));
    }
}
