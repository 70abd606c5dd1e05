#![doc = include_str!("../README.md")]
//!
//! # Rules
//!
//! [`Edit::on`] applies an edit to a string. [`reapply`] applies an edit that was planned on a base version to the current
//! version, by these rules:
//!
//! 1. If both versions are equal, the edit is applied as planned, and the match is *exact*.
//! 2. Appended lines go to the end of the current version, and the match is *fuzzy* if the versions differ.
//! 3. Any other edit is applied to its own lines: the replaced ones, or the one with the anchor. Every shortest diff between
//!    the versions must keep each of them at the same place (module `alignment`), with nothing inserted between them. The lines
//!    around them may have changed.
//! 4. These lines, together with all unchanged lines directly around them, must occur once in each version. Otherwise a
//!    three-way merge (of the base, the base with the edit, and the current version) must give the same result (module `merge`);
//!    it refuses changes that touch each other.
//! 5. Anchors of blocks are searched again, by the rules with which the block was planned, and must match the place of
//!    rule 3.
//! 6. The match is *exact* if the target has the planned line numbers, else *fuzzy*.
//!
//! So an unplanned line is never changed instead of a planned one that looks like it, and ambiguous cases are refused. After
//! one concurrent change elsewhere, however close, rule 3 always finds the true place: a diff that keeps the target at
//! another place is not shorter than the one that keeps it where it is.

mod alignment;
mod anchors;
mod excerpt;
mod lines;
mod merge;
mod passage;
#[cfg(test)]
mod properties;
mod range;
mod rematch;
mod splice;
mod target;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use anchors::{Block, Matching, Occurrence};
pub use excerpt::{blank_line_counts, excerpt, first_lines, last_lines};
pub use lines::{
    LineEnding, LineEndings, body, count_lines, ensure_final_newline, is_blank, is_ended, split,
};
pub use passage::{LineRange, Passage};
pub use range::Range;
pub use rematch::{Rejection, current_lines, reapply};
pub use splice::{Span, SpliceResult};
pub use target::{Action, Target, TargetMatch};

/// An edit, as it was requested.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Edit {
    /// `content` replaces the lines of a range.
    Range {
        /// The range, such as `3`, `3~7` or `3~`.
        range: String,
        /// The new lines; if it is empty, the lines are deleted.
        content: String,
    },
    /// `content` is appended after the last line.
    Append {
        /// The new lines.
        content: String,
    },
    /// `content` is inserted before or after the line with an anchor.
    Insert {
        /// The side.
        side: Side,
        /// The anchor: text of the line.
        anchor: String,
        /// How the anchor is compared.
        matching: Matching,
        /// Which of several matches is used.
        occurrence: Option<Occurrence>,
        /// The new lines.
        content: String,
    },
    /// `content` replaces the lines between two anchors, optionally including the anchors.
    Block {
        /// The text of the line at the start.
        start_anchor: String,
        /// The text of the line at the end.
        end_anchor: String,
        /// How the anchors are compared.
        matching: Matching,
        /// Which of several blocks is used.
        occurrence: Option<Occurrence>,
        /// Whether the lines of the anchors stay.
        include_anchors: bool,
        /// Whether the first of several blocks is used.
        first_will_do: bool,
        /// The new lines.
        content: String,
    },
}

/// A side of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Side {
    /// After the line.
    After,
    /// In front of the line.
    Before,
}

/// Why an edit does not fit the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EditError {
    /// The range is not valid.
    InvalidRange,
    /// The range is outside the text, which has this many lines.
    RangeOutOfBounds {
        /// The number of lines.
        lines: usize,
    },
    /// The content is empty.
    ContentRequired,
    /// The anchor is not part of a single line.
    InvalidAnchor,
    /// The anchor does not occur, or starts a block without an end.
    AnchorNotFound,
    /// The anchor matches this many places, and none is selected.
    AnchorAmbiguous {
        /// The number of places.
        count: usize,
    },
    /// An anchor occurs inside the block.
    Nested,
    /// There are only this many matches.
    OccurrenceOutOfRange {
        /// The number of matches.
        count: usize,
    },
}

/// The result of an edit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EditResult {
    /// The target in the old text.
    pub target: Target,
    /// The new text.
    pub spliced: SpliceResult,
}

impl Edit {
    /// Returns the content.
    pub fn content(&self) -> &str {
        match self {
            Self::Range { content, .. }
            | Self::Append { content }
            | Self::Insert { content, .. }
            | Self::Block { content, .. } => content,
        }
    }

    /// Returns whether both edits are of the same kind.
    pub fn is_same_kind(&self, other: &Self) -> bool {
        std::mem::discriminant(self) == std::mem::discriminant(other)
    }

    /// Applies the edit.
    ///
    /// # Errors
    ///
    /// Fails if the target does not exist or is ambiguous.
    pub fn on(&self, text: &str) -> Result<EditResult, EditError> {
        let target = self.target(&split(text))?;
        Ok(EditResult { target, spliced: splice::splice(text, target.span, self.content()) })
    }

    /// Finds the target in `lines`.
    fn target(&self, lines: &[&str]) -> Result<Target, EditError> {
        let end = Span { start: lines.len(), count: 0 };
        if self.content().is_empty() && !matches!(self, Self::Range { .. }) {
            return Err(EditError::ContentRequired);
        }
        match self {
            Self::Append { .. } => Ok(Target { span: end, action: Action::Append, found: TargetMatch::End }),
            Self::Range { range, content } => {
                let range = Range::resolve(range, lines.len())?;
                let found = TargetMatch::Range(range);
                match (range.is_after_last_line(), content.is_empty()) {
                    (true, true) => Err(EditError::ContentRequired),
                    (true, false) => Ok(Target { span: end, action: Action::Append, found }),
                    (false, is_empty) => {
                        let start = (range.start - 1).min(lines.len());
                        let span = Span { start, count: range.end.min(lines.len()) - start };
                        let action = if is_empty { Action::Delete } else { Action::Replace };
                        Ok(Target { span, action, found })
                    }
                }
            }
            Self::Insert { side, anchor, matching, occurrence, .. } => {
                let found = matching.find(lines, anchor)?;
                let (line, occurrence) = anchors::choose(&found, *occurrence, false)?;
                let start = if *side == Side::After { line + 1 } else { line };
                let found = TargetMatch::Anchor { line, count: found.len(), occurrence };
                Ok(Target { span: Span { start, count: 0 }, action: Action::Insert, found })
            }
            Self::Block {
                start_anchor,
                end_anchor,
                matching,
                occurrence,
                include_anchors,
                first_will_do,
                ..
            } => {
                let starts = matching.find(lines, start_anchor)?;
                let ends = matching.find(lines, end_anchor)?;
                let blocks = Block::pair(&starts, &ends);
                let (block, occurrence) = anchors::choose(&blocks, *occurrence, *first_will_do)?;
                if block.has_nested_marker(&starts, &ends) {
                    return Err(EditError::Nested);
                }
                let (start, end) = if *include_anchors {
                    (block.start + 1, block.end)
                } else {
                    (block.start, block.end + 1)
                };
                let span = Span { start, count: end - start };
                let found = TargetMatch::Block { block, count: blocks.len(), occurrence };
                Ok(Target { span, action: Action::Replace, found })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(edit: &Edit, text: &str, expected: Result<&str, EditError>) {
        let done = edit.on(text).map(|done| done.spliced.text);
        assert_eq!(done.as_deref().map_err(|error| *error), expected, "{edit:?} on {text:?}");
    }

    fn range(range: &str, content: &str) -> Edit {
        Edit::Range { range: range.into(), content: content.into() }
    }

    fn insert(side: Side, anchor: &str, occurrence: Option<Occurrence>) -> Edit {
        let (anchor, content) = (anchor.into(), "X".into());
        Edit::Insert { side, anchor, matching: Matching::Contains, occurrence, content }
    }

    fn block(occurrence: Option<u64>, include_anchors: bool, first_will_do: bool) -> Edit {
        Edit::Block {
            start_anchor: "<a>".into(),
            end_anchor: "</a>".into(),
            matching: Matching::Contains,
            occurrence: occurrence.map(Occurrence::Number),
            include_anchors,
            first_will_do,
            content: "X\n".into(),
        }
    }

    #[test]
    fn ranges_replace_delete_and_append() {
        check(&range("2", "B\n"), "a\nb\nc\n", Ok("a\nB\nc\n"));
        check(&range("2~", ""), "a\nb\nc\n", Ok("a\n"));
        check(&range("~", ""), "a\nb", Ok(""));
        check(&range("3~", "c"), "a\nb\n", Ok("a\nb\nc\n"));
        check(&range("3~", ""), "a\nb\n", Err(EditError::ContentRequired));
        check(&range("1", "a"), "", Ok("a\n"));
        check(&range("~", "a"), "", Ok("a\n"));
        check(&range("2~", "a"), "", Ok("a\n"));
        check(&range("4", "a"), "a\nb\n", Err(EditError::RangeOutOfBounds { lines: 2 }));
    }

    #[test]
    fn content_is_appended_after_the_last_line() {
        let append = |content: &str| Edit::Append { content: content.into() };
        check(&append("b"), "\n", Ok("\nb\n"));
        check(&append("b"), "a", Ok("a\nb\n"));
        check(&append("b"), "", Ok("b\n"));
        check(&append("\n"), "a\n", Ok("a\n\n"));
        check(&append(""), "a\n", Err(EditError::ContentRequired));
    }

    #[test]
    fn an_anchor_must_match_one_line() {
        check(&insert(Side::After, "a", None), "a\nb\n", Ok("a\nX\nb\n"));
        check(&insert(Side::Before, "b", None), "a\nb", Ok("a\nX\nb"));
        check(&insert(Side::After, "b", None), "a\r\nb", Ok("a\r\nb\r\nX\r\n"));
        check(&insert(Side::After, "a", None), "a\na\n", Err(EditError::AnchorAmbiguous { count: 2 }));
        let third = Some(Occurrence::Number(3));
        check(&insert(Side::After, "a", third), "a\na\n", Err(EditError::OccurrenceOutOfRange { count: 2 }));
        check(&insert(Side::After, "a", Some(Occurrence::Last)), "a\na\n", Ok("a\na\nX\n"));
        check(&insert(Side::After, "z", None), "a\n", Err(EditError::AnchorNotFound));
        check(&insert(Side::After, "", None), "a\n", Err(EditError::InvalidAnchor));
    }

    #[test]
    fn a_block_keeps_its_anchors_or_loses_them() {
        let text = "p\n<a>\n1\n2\n</a>\nq\n";
        check(&block(None, true, false), text, Ok("p\n<a>\nX\n</a>\nq\n"));
        check(&block(None, false, false), text, Ok("p\nX\nq\n"));
        check(&block(None, true, false), "<a>\n</a>", Ok("<a>\nX\n</a>"));
        check(&block(None, true, false), "</a>\n<a>\n", Err(EditError::AnchorNotFound));
        check(&block(None, true, false), "<a></a>\n", Err(EditError::AnchorNotFound));
    }

    #[test]
    fn one_of_several_blocks_must_be_selected_unless_the_first_is_used() {
        let two = "<a>\n1\n</a>\n<a>\n2\n</a>\n";
        check(&block(None, true, false), two, Err(EditError::AnchorAmbiguous { count: 2 }));
        check(&block(None, true, true), two, Ok("<a>\nX\n</a>\n<a>\n2\n</a>\n"));
        check(&block(Some(2), true, false), two, Ok("<a>\n1\n</a>\n<a>\nX\n</a>\n"));
        check(&block(Some(3), true, true), two, Err(EditError::OccurrenceOutOfRange { count: 2 }));
        let nested = "<a>\n<a>\n</a>\n</a>\n";
        check(&block(None, true, false), nested, Err(EditError::AnchorAmbiguous { count: 2 }));
        check(&block(Some(1), true, false), nested, Err(EditError::Nested));
        check(&block(None, true, true), nested, Err(EditError::Nested));
    }

    #[test]
    fn the_same_anchor_may_start_and_end_a_block() {
        let mut edit = block(None, true, false);
        if let Edit::Block { start_anchor, end_anchor, .. } = &mut edit {
            (*start_anchor, *end_anchor) = ("S".into(), "S".into());
        }
        check(&edit, "S\n1\nS\n", Ok("S\nX\nS\n"));
        check(&edit, "S\n", Err(EditError::AnchorNotFound));
    }
}
