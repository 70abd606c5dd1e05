//! The lines that an edit changes.

use schemars::JsonSchema;
use serde::Serialize;

use crate::{Block, Range, Span};

/// What an edit does to the lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Action {
    /// Replaces them.
    Replace,
    /// Adds lines after the last one.
    Append,
    /// Removes them.
    Delete,
    /// Adds lines next to a line.
    Insert,
}

impl Action {
    /// Returns the name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Replace => "replace",
            Self::Append => "append",
            Self::Delete => "delete",
            Self::Insert => "insert",
        }
    }
}

/// How the target of an edit was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TargetMatch {
    /// By line numbers.
    Range(Range),
    /// At the end of the text.
    End,
    /// By an anchor in `line`, the match number `occurrence` (from 1) of `count`.
    Anchor {
        /// The line, from 0.
        line: usize,
        /// The number of matches.
        count: usize,
        /// The number of the match.
        occurrence: usize,
    },
    /// By anchors around a block, the match number `occurrence` (from 1) of `count`.
    Block {
        /// The lines of the anchors.
        block: Block,
        /// The number of matches.
        count: usize,
        /// The number of the match.
        occurrence: usize,
    },
}

/// The target of an edit in the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Target {
    /// The lines that are replaced, or the gap for new lines.
    pub span: Span,
    /// What the edit does to them.
    pub action: Action,
    /// How they were found.
    pub found: TargetMatch,
}

impl Target {
    /// Returns the target with another first line.
    pub(crate) fn shifted_to(&self, start: usize) -> Self {
        let shift = |line: usize| (line + start).saturating_sub(self.span.start);
        let found = match self.found {
            TargetMatch::Range(range) => {
                TargetMatch::Range(Range { start: shift(range.start), end: shift(range.end) })
            }
            TargetMatch::End => TargetMatch::End,
            TargetMatch::Anchor { line, count, occurrence } => {
                TargetMatch::Anchor { line: shift(line), count, occurrence }
            }
            TargetMatch::Block { block: Block { start, end }, count, occurrence } => TargetMatch::Block {
                block: Block { start: shift(start), end: shift(end) },
                count,
                occurrence,
            },
        };
        Self { span: Span { start, ..self.span }, found, ..*self }
    }
}
