//! Counting lines, ranges of lines, and line breaks.
//!
//! A line includes its line feed and a carriage return in front of it. The last line may have no line break, so `a` and
//! `a\n` both have one line, and an empty string has none.

use std::borrow::Cow;

use crate::Code;
use crate::answer::{Fields, Refusal};
use crate::file_refusal::quote;

/// Counts the lines.
pub(crate) fn count(bytes: &[u8]) -> usize {
    bytes.split_inclusive(|byte| *byte == b'\n').count()
}

/// Returns the line endings of `text`, which its lines do not show; `None` without a line break.
pub(crate) fn line_endings(text: &str) -> Option<&'static str> {
    let (all, crlf) = (text.matches('\n').count(), text.matches("\r\n").count());
    match (all, crlf) {
        (0, _) => None,
        (_, 0) => Some("lf"),
        (all, crlf) if all == crlf => Some("crlf"),
        _ => Some("mixed"),
    }
}

/// Adds a missing final line break, in the style of the other lines. Returns the text, and whether it was changed.
pub(crate) fn ensure_final_newline(text: &str) -> (Cow<'_, str>, bool) {
    if text.is_empty() || text.ends_with('\n') {
        return (Cow::Borrowed(text), false);
    }
    let breaks = text.bytes().filter(|byte| *byte == b'\n').count();
    let end = if breaks > 0 && text.matches("\r\n").count() == breaks { "\r\n" } else { "\n" };
    (Cow::Owned(format!("{text}{end}")), true)
}

/// A range of lines, counted from 1: `3`, `3~7`, `3~`, `~7`, `~`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Range {
    /// The first line.
    pub(crate) start: usize,
    /// The last line; `None` for the last line of the text.
    pub(crate) end: Option<usize>,
}

impl Range {
    /// All lines.
    pub(crate) const ALL: Self = Self { start: 1, end: None };

    /// Parses a range.
    ///
    /// # Errors
    ///
    /// Refuses an invalid range.
    pub(crate) fn parse(text: &str) -> Result<Self, Refusal> {
        let range = match text.trim().split_once('~') {
            None => number(text).map(|line| Self { start: line, end: Some(line) }),
            Some((start, end)) => bound(start, 1)
                .zip(bound(end, usize::MAX))
                .map(|(start, end)| Self { start, end: Some(end).filter(|end| *end != usize::MAX) }),
        };
        let is_ordered = |range: &Self| range.end.is_none_or(|end| range.start <= end);
        range.filter(is_ordered).ok_or_else(|| {
            Refusal::new(Code::InvalidRange, format!("{} is not a valid range of lines", quote(text)))
                .next("pass `3`, `3~7`, `3~`, `~7` or `~`; lines count from 1")
        })
    }

    /// Returns the first and last line of the range of `total` lines; the range may end after the last line.
    ///
    /// # Errors
    ///
    /// Refuses a range that begins after the text.
    pub(crate) fn within(self, total: usize) -> Result<(usize, usize), Refusal> {
        if self.start > total.max(1) {
            let message = format!("the file has {total} lines, but the range begins at line {}", self.start);
            let refusal = Refusal::new(Code::RangeOutOfBounds, message);
            let refusal = refusal.details(Fields::new().with("total_lines", total));
            return Err(refusal.next(format!("pass a range within `1~{}`", total.max(1))));
        }
        Ok((self.start, self.end.unwrap_or(total).min(total)))
    }
}

fn bound(text: &str, open: usize) -> Option<usize> {
    if text.trim().is_empty() { Some(open) } else { number(text) }
}

/// Parses a line number.
fn number(text: &str) -> Option<usize> {
    let digits = text.trim();
    let is_plain = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    digits.parse().ok().filter(|line| is_plain && *line > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_line_may_have_no_line_break() {
        for (text, lines) in [
            ("", 0),
            ("a", 1),
            ("a\n", 1),
            ("\n", 1),
            ("\n\n", 2),
            ("a\nb", 2),
            ("a\r\nb\r\n", 2),
            ("a\rb", 1),
        ] {
            assert_eq!(count(text.as_bytes()), lines, "{text:?}");
            assert_eq!(text.split_inclusive('\n').count(), lines, "{text:?}");
        }
    }

    #[test]
    fn a_missing_final_line_break_is_added_in_the_style_of_the_text() {
        for (text, expected) in
            [("x", "x\n"), ("a\nb", "a\nb\n"), ("a\r\nb", "a\r\nb\r\n"), ("a\r\nb\nc", "a\r\nb\nc\n")]
        {
            assert_eq!(ensure_final_newline(text), (expected.into(), true), "{text:?}");
        }
        for text in ["", "\n", "x\n", "x\r\n", "x\n\n"] {
            assert_eq!(ensure_final_newline(text), (text.into(), false), "{text:?}");
        }
    }

    #[track_caller]
    fn check(text: &str, total: usize, expected: Result<(usize, usize), Code>) {
        let found = Range::parse(text).and_then(|range| range.within(total));
        assert_eq!(found.map_err(|refusal| refusal.code), expected, "`{text}` of {total}");
    }

    #[test]
    fn ranges_are_parsed_and_limited() {
        check("3", 5, Ok((3, 3)));
        check(" 2 ~ 4 ", 5, Ok((2, 4)));
        check("4~", 5, Ok((4, 5)));
        check("~2", 5, Ok((1, 2)));
        check("~", 5, Ok((1, 5)));
        check("1~9", 5, Ok((1, 5)));
        check("5~5", 5, Ok((5, 5)));
        check("~", 0, Ok((1, 0)));
        check("1", 0, Ok((1, 0)));
        check("6", 5, Err(Code::RangeOutOfBounds));
        check("6~", 5, Err(Code::RangeOutOfBounds));
        check("2", 0, Err(Code::RangeOutOfBounds));
        for text in ["0", "5~4", "2-3", "a", "~0", "1~2~3", "-1", "+1", "1.0", "99999999999999999999", "1~b"]
        {
            check(text, 5, Err(Code::InvalidRange));
        }
    }
}
