//! Reading ranges of lines.

/// The maximum number of characters of a passage.
const MAX_CHARACTERS: usize = 100_000;

/// A range of lines, counted from 1: `3`, `3~7`, `3~`, `~7`, `~`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineRange {
    /// The first line.
    pub start: usize,
    /// The last line; `None` for the last line of the text.
    pub end: Option<usize>,
}

impl LineRange {
    /// All lines.
    pub const ALL: Self = Self { start: 1, end: None };

    /// Parses a range; `None` if it is not valid.
    pub fn parse(text: &str) -> Option<Self> {
        let range = match text.trim().split_once('~') {
            None => number(text).map(|line| Self { start: line, end: Some(line) }),
            Some((start, end)) => bound(start, 1)
                .zip(bound(end, usize::MAX))
                .map(|(start, end)| Self { start, end: Some(end).filter(|end| *end != usize::MAX) }),
        };
        let is_ordered = |range: &Self| range.end.is_none_or(|end| range.start <= end);
        range.filter(is_ordered)
    }

    /// Returns the first and last line of the range of `total` lines; the range may end after the last line. `None` if it
    /// begins after the last line.
    pub fn within(self, total: usize) -> Option<(usize, usize)> {
        (self.start <= total.max(1)).then(|| (self.start, self.end.unwrap_or(total).min(total)))
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

/// Consecutive lines of a file, possibly truncated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Passage {
    /// The text, with its line breaks.
    pub text: String,
    /// The number of lines.
    pub lines: usize,
    /// Whether it ends at the maximum number of lines.
    pub by_lines: bool,
    /// Whether it ends at the maximum number of characters.
    pub by_characters: bool,
    /// Whether the first line alone exceeds the limit.
    pub is_line_cut: bool,
    /// The number of the first line that is not included.
    pub continues_at: Option<usize>,
}

impl Passage {
    /// Returns the lines from `first` to `last`, counted from 1: at most `max_lines` lines and 100,000 characters, with line
    /// numbers if `is_numbered`.
    pub fn of(lines: &[&str], first: usize, last: usize, max_lines: usize, is_numbered: bool) -> Self {
        let mut passage = Self {
            text: String::new(),
            lines: 0,
            by_lines: false,
            by_characters: false,
            is_line_cut: false,
            continues_at: None,
        };
        let mut left = MAX_CHARACTERS;
        let wanted = lines.iter().enumerate().take(last).skip(first.saturating_sub(1));
        for (index, line) in wanted {
            let number = if is_numbered { format!("{:>4}| ", index + 1) } else { String::new() };
            let characters = number.chars().count() + line.chars().count();
            passage.by_lines = passage.lines == max_lines;
            passage.by_characters = !passage.by_lines && characters > left;
            if passage.by_lines || passage.by_characters {
                passage.continues_at = Some(index + 1);
                if passage.lines == 0 {
                    passage.text = number.chars().chain(line.chars()).take(left).collect();
                    (passage.lines, passage.is_line_cut) = (1, true);
                    passage.continues_at = (index + 1 < last).then_some(index + 2);
                }
                return passage;
            }
            passage.text.push_str(&number);
            passage.text.push_str(line);
            passage.lines += 1;
            left -= characters;
        }
        passage
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, total: usize, expected: Option<(usize, usize)>) {
        let found = LineRange::parse(text).expect("the range is valid").within(total);
        assert_eq!(found, expected, "`{text}` of {total}");
    }

    #[test]
    fn ranges_are_parsed_and_limited() {
        check("3", 5, Some((3, 3)));
        check(" 2 ~ 4 ", 5, Some((2, 4)));
        check("4~", 5, Some((4, 5)));
        check("~2", 5, Some((1, 2)));
        check("~", 5, Some((1, 5)));
        check("1~9", 5, Some((1, 5)));
        check("5~5", 5, Some((5, 5)));
        check("~", 0, Some((1, 0)));
        check("1", 0, Some((1, 0)));
        check("6", 5, None);
        check("6~", 5, None);
        check("2", 0, None);
        for text in ["0", "5~4", "2-3", "a", "~0", "1~2~3", "-1", "+1", "1.0", "99999999999999999999", "1~b"]
        {
            assert_eq!(LineRange::parse(text), None, "{text}");
        }
    }
}
