//! Lines with their line breaks.

/// A line break.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// `\n`.
    Lf,
    /// `\r\n`.
    CrLf,
}

impl Ending {
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
        assert_eq!(Ending::of_text("a"), None);
        assert_eq!(Ending::of_text("a\nb\r\n"), Some(Ending::Lf));
        assert_eq!(Ending::of_text("a\r\nb\n"), Some(Ending::CrLf));
        assert_eq!(Ending::of_text("a\r\nb\nc\nd"), Some(Ending::Lf));
        assert_eq!(Ending::of_text("a\nb\r\nc\r\n"), Some(Ending::CrLf));
    }
}
