//! Lines with their line breaks.
//!
//! A line includes its line feed and a carriage return in front of it. The last line may have no line break, so `a` and
//! `a\n` both have one line, and an empty string has none.

use std::borrow::Cow;
use std::fmt;

use schemars::JsonSchema;
use serde::Serialize;

/// A line break.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineEnding {
    /// `\n`.
    Lf,
    /// `\r\n`.
    CrLf,
}

impl LineEnding {
    /// Returns the string.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Lf => "\n",
            Self::CrLf => "\r\n",
        }
    }

    /// Returns the line break of a line.
    fn of_line(line: &str) -> Option<Self> {
        match line.strip_suffix('\n') {
            Some(body) if body.ends_with('\r') => Some(Self::CrLf),
            Some(_) => Some(Self::Lf),
            None => None,
        }
    }

    /// Returns the most frequent line break; of two equally frequent ones, the first.
    pub fn of_text(text: &str) -> Option<Self> {
        let mut endings = text.split_inclusive('\n').filter_map(Self::of_line);
        let first = endings.next()?;
        let (mut like_first, mut others) = (1_usize, 0_usize);
        for ending in endings {
            *(if ending == first { &mut like_first } else { &mut others }) += 1;
        }
        let other = if first == Self::Lf { Self::CrLf } else { Self::Lf };
        Some(if others > like_first { other } else { first })
    }
}

/// Splits text into lines with their line breaks. Empty text has no lines, and the part after the last line break is a line
/// if it is not empty.
pub fn split(text: &str) -> Vec<&str> {
    text.split_inclusive('\n').collect()
}

/// Returns a line without its line break.
pub fn body(line: &str) -> &str {
    match line.strip_suffix('\n') {
        Some(body) => body.strip_suffix('\r').unwrap_or(body),
        None => line,
    }
}

/// Returns whether the last line has a line break, or there is no line.
pub fn is_ended(text: &str) -> bool {
    text.is_empty() || text.ends_with('\n')
}

/// Returns whether a line contains only white space.
pub fn is_blank(line: &str) -> bool {
    line.trim().is_empty()
}

/// Counts the lines.
pub fn count_lines(bytes: &[u8]) -> usize {
    bytes.split_inclusive(|byte| *byte == b'\n').count()
}

/// The line breaks of a string, which its lines do not show.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum LineEndings {
    /// Only `\n`.
    Lf,
    /// Only `\r\n`.
    CrLf,
    /// Both.
    Mixed,
}

impl LineEndings {
    /// Returns the line breaks of `text`; `None` if it has none.
    pub fn of(text: &str) -> Option<Self> {
        let (all, crlf) = (text.matches('\n').count(), text.matches("\r\n").count());
        match (all, crlf) {
            (0, _) => None,
            (_, 0) => Some(Self::Lf),
            (all, crlf) if all == crlf => Some(Self::CrLf),
            _ => Some(Self::Mixed),
        }
    }
}

impl From<LineEnding> for LineEndings {
    fn from(ending: LineEnding) -> Self {
        match ending {
            LineEnding::Lf => Self::Lf,
            LineEnding::CrLf => Self::CrLf,
        }
    }
}

impl fmt::Display for LineEndings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Lf => "lf",
            Self::CrLf => "crlf",
            Self::Mixed => "mixed",
        })
    }
}

/// Adds a missing final line break, in the style of the other lines. Returns the text, and whether it was changed.
pub fn ensure_final_newline(text: &str) -> (Cow<'_, str>, bool) {
    if text.is_empty() || text.ends_with('\n') {
        return (Cow::Borrowed(text), false);
    }
    let breaks = text.bytes().filter(|byte| *byte == b'\n').count();
    let end = if breaks > 0 && text.matches("\r\n").count() == breaks { "\r\n" } else { "\n" };
    (Cow::Owned(format!("{text}{end}")), true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, lines: &[&str], bodies: &[&str]) {
        assert_eq!(split(text), lines, "{text:?}");
        assert_eq!(split(text).into_iter().map(body).collect::<Vec<_>>(), bodies, "{text:?}");
        assert_eq!(split(text).concat(), text);
    }

    #[test]
    fn every_line_keeps_its_own_line_break() {
        check("", &[], &[]);
        check("\n", &["\n"], &[""]);
        check("a", &["a"], &["a"]);
        check("a\r\nb\nc", &["a\r\n", "b\n", "c"], &["a", "b", "c"]);
        check("a\rb\r", &["a\rb\r"], &["a\rb\r"]);
        check("a\r\r\n", &["a\r\r\n"], &["a\r"]);
    }

    #[test]
    fn the_prevailing_line_break_is_used() {
        assert_eq!(LineEnding::of_text("a"), None);
        assert_eq!(LineEnding::of_text("a\nb\r\n"), Some(LineEnding::Lf));
        assert_eq!(LineEnding::of_text("a\r\nb\n"), Some(LineEnding::CrLf));
        assert_eq!(LineEnding::of_text("a\r\nb\nc\nd"), Some(LineEnding::Lf));
        assert_eq!(LineEnding::of_text("a\nb\r\nc\r\n"), Some(LineEnding::CrLf));
    }

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
            assert_eq!(count_lines(text.as_bytes()), lines, "{text:?}");
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
}
