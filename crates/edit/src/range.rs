//! Ranges of lines in arguments.

use crate::EditError;

/// A range of lines, counted from 1, both ends inclusive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    /// The first line.
    pub start: usize,
    /// The last line; `start - 1` for the position after the last line.
    pub end: usize,
}

impl Range {
    /// Parses a range for a file with `lines` lines: `N`, `N~M`, `N~`, `~M` or `~`. An empty file counts as one blank line,
    /// and `N~` directly after the last line is the position for appending.
    ///
    /// # Errors
    ///
    /// Fails for another form, a range that ends before it begins, and lines that do not exist.
    pub(crate) fn resolve(text: &str, lines: usize) -> Result<Self, EditError> {
        let last = lines.max(1);
        let out_of_bounds = Err(EditError::RangeOutOfBounds { lines });
        let (start, end) = match text.trim().split_once('~') {
            None => number(text.trim()).map(|line| (line, line))?,
            Some((start, "")) => (number_or(start, 1)?, last),
            Some((start, end)) => {
                let (start, end) = (number_or(start, 1)?, number(end)?);
                if start > end {
                    return Err(EditError::InvalidRange);
                }
                (start, end)
            }
        };
        let is_after_last = start == last.saturating_add(1) && end == last;
        if end > last || start > end && !is_after_last { out_of_bounds } else { Ok(Self { start, end }) }
    }

    /// Returns whether it is the position after the last line.
    pub(crate) fn is_after_last_line(self) -> bool {
        self.start > self.end
    }
}

fn number_or(text: &str, default: usize) -> Result<usize, EditError> {
    if text.is_empty() { Ok(default) } else { number(text) }
}

fn number(text: &str) -> Result<usize, EditError> {
    if text.is_empty() || !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(EditError::InvalidRange);
    }
    match text.parse().unwrap_or(usize::MAX) {
        0 => Err(EditError::InvalidRange),
        number => Ok(number),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, lines: usize, expected: Result<(usize, usize), EditError>) {
        let found = Range::resolve(text, lines).map(|range| (range.start, range.end));
        assert_eq!(found, expected, "`{text}` of {lines}");
    }

    #[test]
    fn ranges_count_from_one() {
        check("3", 5, Ok((3, 3)));
        check("2~4", 5, Ok((2, 4)));
        check("2~", 5, Ok((2, 5)));
        check("~2", 5, Ok((1, 2)));
        check("~", 5, Ok((1, 5)));
        check(" 5 ", 5, Ok((5, 5)));
        check("6~", 5, Ok((6, 5)));
    }

    #[test]
    fn an_empty_file_counts_as_one_blank_line() {
        check("1", 0, Ok((1, 1)));
        check("~", 0, Ok((1, 1)));
        check("2~", 0, Ok((2, 1)));
        check("2", 0, Err(EditError::RangeOutOfBounds { lines: 0 }));
        check("3~", 0, Err(EditError::RangeOutOfBounds { lines: 0 }));
    }

    #[test]
    fn invalid_ranges_differ_from_those_out_of_bounds() {
        for text in ["", "0", "0~", "~0", "5~4", "2-3", "a", "1~2~3", "-1", "+1", "1 ~ 2", "٣", "1.0"] {
            check(text, 5, Err(EditError::InvalidRange));
        }
        for text in ["6", "1~9", "7~", "6~6", "99999999999999999999999", "~18446744073709551615"] {
            check(text, 5, Err(EditError::RangeOutOfBounds { lines: 5 }));
        }
    }
}
