//! Ranges of lines, as callers write them.

use super::EditError;

/// The lines that a range names, from 1 on and both inclusive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Range {
    /// The first line.
    pub(crate) start: usize,
    /// The last line; the one before `start` for the place behind the last line.
    pub(crate) end: usize,
}

impl Range {
    /// Returns the lines that `text` names in a file with `lines` lines: `N`, `N~M`, `N~`, `~M` or `~`. The file without
    /// lines has one blank line for this, and `N~` right behind the last line is the place to append at.
    ///
    /// # Errors
    ///
    /// Fails if it is none of these forms, ends before it begins, or names lines that are not there.
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

    /// Returns whether it is the place behind the last line.
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
    fn a_range_names_lines_from_one_on() {
        check("3", 5, Ok((3, 3)));
        check("2~4", 5, Ok((2, 4)));
        check("2~", 5, Ok((2, 5)));
        check("~2", 5, Ok((1, 2)));
        check("~", 5, Ok((1, 5)));
        check(" 5 ", 5, Ok((5, 5)));
        check("6~", 5, Ok((6, 5)));
    }

    #[test]
    fn the_empty_file_has_one_blank_line() {
        check("1", 0, Ok((1, 1)));
        check("~", 0, Ok((1, 1)));
        check("2~", 0, Ok((2, 1)));
        check("2", 0, Err(EditError::RangeOutOfBounds { lines: 0 }));
        check("3~", 0, Err(EditError::RangeOutOfBounds { lines: 0 }));
    }

    #[test]
    fn what_is_no_range_is_told_from_what_is_not_there() {
        for text in ["", "0", "0~", "~0", "5~4", "2-3", "a", "1~2~3", "-1", "+1", "1 ~ 2", "٣", "1.0"] {
            check(text, 5, Err(EditError::InvalidRange));
        }
        for text in ["6", "1~9", "7~", "6~6", "99999999999999999999999", "~18446744073709551615"] {
            check(text, 5, Err(EditError::RangeOutOfBounds { lines: 5 }));
        }
    }
}
