//! A part of a file, in bytes.

use std::ops::Range;

/// A half-open range of byte offsets into a file of at most 4 GiB.
///
/// The start is never greater than the end. Whether the ends are character boundaries depends on where the span comes
/// from: parsers only return spans with such ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    start: u32,
    end: u32,
}

impl Span {
    /// Returns the span from `start` to `end`; a span that would end before it starts is empty at `start`.
    pub const fn new(start: u32, end: u32) -> Self {
        Self { start, end: if end < start { start } else { end } }
    }

    /// Returns the empty span at `offset`.
    pub const fn at(offset: u32) -> Self {
        Self { start: offset, end: offset }
    }

    /// Returns the first byte offset of the span.
    pub const fn start(self) -> u32 {
        self.start
    }

    /// Returns the offset after the last byte of the span.
    pub const fn end(self) -> u32 {
        self.end
    }

    /// Returns the number of bytes in the span.
    pub const fn len(self) -> u32 {
        self.end - self.start
    }

    /// Returns whether the span covers no byte.
    pub const fn is_empty(self) -> bool {
        self.start == self.end
    }

    /// Returns whether every byte of `other` is in this span.
    pub const fn covers(self, other: Self) -> bool {
        self.start <= other.start && other.end <= self.end
    }

    /// Returns the smallest span that covers both.
    #[must_use]
    pub const fn join(self, other: Self) -> Self {
        Self {
            start: if self.start < other.start { self.start } else { other.start },
            end: if self.end > other.end { self.end } else { other.end },
        }
    }

    /// Returns the span as a range of indices.
    pub const fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }
}
