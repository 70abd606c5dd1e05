//! Finding lines by their content.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::EditError;
use crate::lines::body;

/// How an anchor is compared with a line without its line break.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Matching {
    /// It is part of the line.
    #[default]
    Contains,
    /// It is the whole line.
    Equals,
}

impl Matching {
    /// Returns the name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Contains => "contains",
            Self::Equals => "equals",
        }
    }

    fn matches(self, line: &str, anchor: &str) -> bool {
        match self {
            Self::Contains => body(line).contains(anchor),
            Self::Equals => body(line) == anchor,
        }
    }

    /// Returns the indices of the lines that match an anchor.
    ///
    /// # Errors
    ///
    /// Fails if the anchor contains a line break, or is empty and would match every line.
    pub(crate) fn find(self, lines: &[&str], anchor: &str) -> Result<Vec<usize>, EditError> {
        if anchor.contains('\n') || anchor.is_empty() && self == Self::Contains {
            return Err(EditError::InvalidAnchor);
        }
        let numbered = lines.iter().enumerate();
        Ok(numbered.filter(|(_, line)| self.matches(line, anchor)).map(|(number, _)| number).collect())
    }
}

/// Returns the selected match and its number, from 1. Without `wanted` there must be exactly one, unless
/// `first_will_do`.
///
/// # Errors
///
/// Fails without a match, with several, or with fewer than requested.
pub(crate) fn choose<T: Copy>(
    found: &[T],
    wanted: Option<Occurrence>,
    first_will_do: bool,
) -> Result<(T, usize), EditError> {
    let count = found.len();
    let number = match wanted {
        None if count > 1 && !first_will_do => return Err(EditError::AnchorAmbiguous { count }),
        None => 1,
        Some(Occurrence::Number(number)) => usize::try_from(number).unwrap_or(usize::MAX),
        Some(Occurrence::Last) => count,
    };
    if count == 0 {
        return Err(EditError::AnchorNotFound);
    }
    let chosen = number.checked_sub(1).and_then(|index| found.get(index));
    chosen.map(|chosen| (*chosen, number)).ok_or(EditError::OccurrenceOutOfRange { count })
}

/// A block of lines: the line of its start and the line of its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block {
    /// The line of the start, from 0.
    pub start: usize,
    /// The line of the end, from 0.
    pub end: usize,
}

impl Block {
    /// Pairs each start with the first end after it.
    pub(crate) fn pair(starts: &[usize], ends: &[usize]) -> Vec<Self> {
        let mut ends = ends.iter().copied().peekable();
        let mut blocks = Vec::new();
        for start in starts.iter().copied() {
            while ends.next_if(|end| *end <= start).is_some() {}
            blocks.extend(ends.peek().map(|end| Self { start, end: *end }));
        }
        blocks
    }

    /// Returns whether another start or end is inside the block.
    pub(crate) fn has_nested_marker(self, starts: &[usize], ends: &[usize]) -> bool {
        starts.iter().chain(ends).any(|line| self.start < *line && *line < self.end)
    }
}

/// Selects one of several matches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Occurrence {
    /// By its number, from 1.
    Number(u64),
    /// The last match.
    Last,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_anchor_is_part_of_a_line_or_all_of_it() {
        let lines = ["ab\r\n", "b\n", "", "b"];
        assert_eq!(Matching::Contains.find(&lines, "b"), Ok(vec![0, 1, 3]));
        assert_eq!(Matching::Equals.find(&lines, "b"), Ok(vec![1, 3]));
        assert_eq!(Matching::Equals.find(&lines, "ab"), Ok(vec![0]));
        assert_eq!(Matching::Equals.find(&lines, "B"), Ok(vec![]));
        assert_eq!(Matching::Equals.find(&["\n", "x\n"], ""), Ok(vec![0]));
        assert_eq!(Matching::Contains.find(&lines, ""), Err(EditError::InvalidAnchor));
        assert_eq!(Matching::Equals.find(&lines, "a\nb"), Err(EditError::InvalidAnchor));
    }

    #[track_caller]
    fn check(
        found: &[char],
        wanted: Option<Occurrence>,
        will_do: bool,
        expected: Result<(char, usize), EditError>,
    ) {
        assert_eq!(choose(found, wanted, will_do), expected, "{found:?} {wanted:?}");
    }

    #[test]
    fn one_match_is_selected_or_none() {
        check(&['a'], None, false, Ok(('a', 1)));
        check(&['a', 'b'], None, false, Err(EditError::AnchorAmbiguous { count: 2 }));
        check(&['a', 'b'], None, true, Ok(('a', 1)));
        check(&['a', 'b'], Some(Occurrence::Number(2)), false, Ok(('b', 2)));
        check(&['a', 'b'], Some(Occurrence::Last), false, Ok(('b', 2)));
        check(
            &['a', 'b'],
            Some(Occurrence::Number(3)),
            true,
            Err(EditError::OccurrenceOutOfRange { count: 2 }),
        );
        check(&[], None, true, Err(EditError::AnchorNotFound));
        check(&[], Some(Occurrence::Last), false, Err(EditError::AnchorNotFound));
        check(&[], Some(Occurrence::Number(7)), false, Err(EditError::AnchorNotFound));
    }

    #[track_caller]
    fn pairs(starts: &[usize], ends: &[usize], expected: &[(usize, usize)]) {
        let blocks = Block::pair(starts, ends);
        assert_eq!(blocks.iter().map(|block| (block.start, block.end)).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn each_start_is_paired_with_the_first_end_after_it() {
        pairs(&[0, 5], &[2, 7], &[(0, 2), (5, 7)]);
        pairs(&[0, 1], &[2, 3], &[(0, 2), (1, 2)]);
        pairs(&[0, 2, 4], &[0, 2, 4], &[(0, 2), (2, 4)]);
        pairs(&[3], &[1, 3], &[]);
        assert!(Block { start: 0, end: 3 }.has_nested_marker(&[0, 1], &[3]));
        assert!(!Block { start: 0, end: 3 }.has_nested_marker(&[0, 5], &[3]));
    }
}
