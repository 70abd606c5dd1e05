//! Lines in a stream of bytes.

use std::collections::VecDeque;

/// Splits a stream of bytes into lines, which are the messages of the protocol.
///
/// A line longer than the limit is skipped to its end, so that the memory is bounded by the limit.
#[derive(Debug)]
pub struct LineSplitter {
    limit: usize,
    line: Vec<u8>,
    is_too_long: bool,
    found: VecDeque<FoundLine>,
}

/// A line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FoundLine {
    /// Its bytes, without the line break.
    Bytes(Vec<u8>),
    /// It was longer than the limit.
    TooLong,
}

impl LineSplitter {
    /// Returns a splitter for lines of at most `limit` bytes.
    pub fn new(limit: usize) -> Self {
        Self { limit, line: Vec::new(), is_too_long: false, found: VecDeque::new() }
    }

    /// Adds the next bytes of the stream.
    pub fn push(&mut self, bytes: &[u8]) {
        for part in bytes.split_inclusive(|byte| *byte == b'\n') {
            let (content, is_complete) = match part.strip_suffix(b"\n") {
                Some(content) => (content, true),
                None => (part, false),
            };
            if !self.is_too_long && self.line.len().saturating_add(content.len()) <= self.limit {
                self.line.extend_from_slice(content);
            } else {
                self.is_too_long = true;
                self.line = Vec::new();
            }
            if is_complete {
                let line = std::mem::take(&mut self.line);
                let is_too_long = std::mem::take(&mut self.is_too_long);
                self.found.push_back(if is_too_long { FoundLine::TooLong } else { FoundLine::Bytes(line) });
            }
        }
    }

    /// Returns the next complete line that is not blank.
    pub fn next_line(&mut self) -> Option<FoundLine> {
        loop {
            match self.found.pop_front()? {
                FoundLine::Bytes(line) if line.trim_ascii().is_empty() => {}
                line => return Some(line),
            }
        }
    }
}
