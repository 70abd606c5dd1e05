//! Text from the output of programs, which arrives in pieces.

use std::time::Duration;

use crate::limits::{MAX_FRAME_TEXT_BYTES, PARTIAL_LINE_DELAY};

/// Decodes UTF-8 that is split at any byte.
///
/// The bytes of a character that is not complete wait, at most 3 of them. Bytes that are not valid UTF-8 become
/// U+FFFD, as they would if the text had arrived in one piece.
#[derive(Clone, Debug, Default)]
pub struct Utf8Carry {
    carried: Vec<u8>,
}

impl Utf8Carry {
    /// Adds bytes, and returns the complete characters.
    pub fn push(&mut self, bytes: &[u8]) -> String {
        self.carried.extend_from_slice(bytes);
        let bytes = std::mem::take(&mut self.carried);
        let mut text = String::with_capacity(bytes.len());
        let mut chunks = bytes.utf8_chunks().peekable();
        while let Some(chunk) = chunks.next() {
            text.push_str(chunk.valid());
            let invalid = chunk.invalid();
            if invalid.is_empty() {
                continue;
            }
            if chunks.peek().is_none() && is_incomplete(invalid) {
                self.carried = invalid.to_vec();
            } else {
                text.push(char::REPLACEMENT_CHARACTER);
            }
        }
        text
    }

    /// Returns what remains at the end: U+FFFD for a character that is not complete.
    pub fn finish(&mut self) -> String {
        String::from_utf8_lossy(&std::mem::take(&mut self.carried)).into_owned()
    }
}

/// Returns whether bytes that are not valid may become a character with further bytes.
fn is_incomplete(bytes: &[u8]) -> bool {
    std::str::from_utf8(bytes).is_err_and(|error| error.error_len().is_none())
}

/// Releases output line by line; the beginning of a line waits for at most [`PARTIAL_LINE_DELAY`].
#[derive(Clone, Debug)]
pub struct LineFlusher {
    delay: Duration,
    partial: String,
    deadline: Option<Duration>,
}

impl Default for LineFlusher {
    fn default() -> Self {
        Self::new(PARTIAL_LINE_DELAY)
    }
}

impl LineFlusher {
    /// Makes a flusher with another delay than [`PARTIAL_LINE_DELAY`].
    pub fn new(delay: Duration) -> Self {
        Self { delay, partial: String::new(), deadline: None }
    }

    /// Adds text, and returns all complete lines as one string.
    ///
    /// A line of more than [`MAX_FRAME_TEXT_BYTES`] does not wait.
    pub fn push(&mut self, text: &str, now: Duration) -> Option<String> {
        self.partial.push_str(text);
        let end = self.partial.rfind('\n').map_or(0, |newline| newline + 1);
        let rest = self.partial.split_off(end);
        let lines = std::mem::replace(&mut self.partial, rest);
        if !lines.is_empty() {
            self.deadline = None;
        }
        if self.partial.len() > MAX_FRAME_TEXT_BYTES {
            return Some(lines + &self.finish().unwrap_or_default());
        }
        if !self.partial.is_empty() {
            self.deadline.get_or_insert(now.saturating_add(self.delay));
        }
        (!lines.is_empty()).then_some(lines)
    }

    /// Returns the beginning of a line that has waited long enough.
    pub fn poll(&mut self, now: Duration) -> Option<String> {
        self.deadline.is_some_and(|deadline| deadline <= now).then(|| self.finish()).flatten()
    }

    /// Returns what remains, at the end of the output.
    pub fn finish(&mut self) -> Option<String> {
        self.deadline = None;
        let text = std::mem::take(&mut self.partial);
        (!text.is_empty()).then_some(text)
    }

    /// Returns when to call [`LineFlusher::poll`].
    pub fn deadline(&self) -> Option<Duration> {
        self.deadline
    }
}
