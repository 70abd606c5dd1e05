//! Replaces secrets in what an agent reports.

use std::borrow::Cow;
use std::ops::Range;
use std::time::Duration;

use minds_text::secrets::{self, REDACTED, TextKind};
use regex::{Regex, RegexBuilder};

use crate::limits::{MAX_FRAME_TEXT_BYTES, MIN_SECRET_BYTES, REDACTION_DELAY, REDACTION_WINDOW_BYTES};

/// What is a secret: the patterns of the configuration, known values, and the formats of keys and tokens.
#[derive(Clone, Debug)]
pub struct Redactor {
    patterns: Vec<Regex>,
    /// Known values, the longest first.
    values: Vec<String>,
}

/// A pattern that is not a valid regular expression.
#[derive(Clone, Debug, thiserror::Error)]
#[error("`{pattern}` is not a valid regular expression")]
pub struct PatternError {
    pattern: String,
    #[source]
    source: regex::Error,
}

impl Redactor {
    /// The maximum size of a compiled pattern, in bytes.
    const MAX_PATTERN_BYTES: usize = 1 << 20;

    /// Makes a redactor from patterns and from values that are secrets, for example of environment variables.
    ///
    /// Values of fewer than [`MIN_SECRET_BYTES`] are ignored: they would redact parts of words.
    ///
    /// # Errors
    ///
    /// Returns the first pattern that is not valid or too large.
    pub fn new(
        patterns: impl IntoIterator<Item = impl AsRef<str>>,
        values: impl IntoIterator<Item = impl Into<String>>,
    ) -> Result<Self, PatternError> {
        let compile = |pattern: &str| {
            RegexBuilder::new(pattern)
                .size_limit(Self::MAX_PATTERN_BYTES)
                .build()
                .map_err(|source| PatternError { pattern: pattern.chars().take(80).collect(), source })
        };
        let patterns =
            patterns.into_iter().map(|pattern| compile(pattern.as_ref())).collect::<Result<_, _>>()?;
        let mut values: Vec<String> = values.into_iter().map(Into::into).collect();
        values.retain(|value| value.len() >= MIN_SECRET_BYTES);
        values.sort_by_key(|value| std::cmp::Reverse(value.len()));
        Ok(Self { patterns, values })
    }

    /// Replaces the secrets of a complete text by `****`.
    pub fn redact<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let ranges = self.find(text);
        if ranges.is_empty() {
            return Cow::Borrowed(text);
        }
        let mut redacted = String::with_capacity(text.len());
        replace(text, 0, text.len(), &ranges, &mut redacted);
        Cow::Owned(redacted)
    }

    /// Returns the ranges of secrets in bytes, in order and without overlaps.
    fn find(&self, text: &str) -> Vec<Range<usize>> {
        let mut ranges: Vec<Range<usize>> =
            secrets::find(text, TextKind::Settings).into_iter().map(|secret| secret.hidden).collect();
        let matches = self.patterns.iter().flat_map(|pattern| pattern.find_iter(text));
        ranges.extend(matches.map(|found| found.range()).filter(|range| !range.is_empty()));
        for value in &self.values {
            ranges.extend(text.match_indices(value).map(|(at, _)| at..at + value.len()));
        }
        secrets::in_order(ranges)
    }

    /// Returns the start of the longest known value that the end of the text may be the beginning of.
    fn find_beginning(&self, text: &str) -> usize {
        let lengths = self.values.iter().filter_map(|value| {
            let longest = value.len().min(text.len() + 1).saturating_sub(1);
            (1..=longest).rev().find(|length| value.get(..*length).is_some_and(|start| text.ends_with(start)))
        });
        text.len() - lengths.max().unwrap_or(0)
    }

    fn window(&self) -> usize {
        self.values.first().map_or(0, String::len).max(REDACTION_WINDOW_BYTES)
    }
}

/// Writes a part of the text, with the parts of it in `ranges` replaced.
fn replace(text: &str, from: usize, to: usize, ranges: &[Range<usize>], out: &mut String) {
    let mut at = from;
    for range in ranges.iter().filter(|range| range.end > from && range.start < to) {
        out.push_str(text.get(at..range.start).unwrap_or_default());
        out.push_str(REDACTED);
        at = range.end.min(to);
    }
    out.push_str(text.get(at..to).unwrap_or_default());
}

/// Redacts a stream of text. Each stream of a model or a tool has its own.
///
/// The last [`REDACTION_WINDOW_BYTES`] are held back (more if a known value is longer), so that a secret is recognized
/// before its first part is released, however it is split. After [`REDACTION_DELAY`] without new text, everything is
/// released up to the last whitespace: a word that may be the beginning of a secret waits for its end.
#[derive(Clone, Debug)]
pub struct RedactionStream {
    /// Text that was released, for the recognition of what follows, and text that is held back.
    text: String,
    released: usize,
    deadline: Option<Duration>,
    /// A secret was longer than the buffer: everything up to the next whitespace is a part of it.
    is_inside: bool,
}

impl Default for RedactionStream {
    fn default() -> Self {
        Self::new()
    }
}

impl RedactionStream {
    /// The maximum size of the text that waits for the end of a secret, in bytes.
    const MAX_HELD_BYTES: usize = 8 * MAX_FRAME_TEXT_BYTES;

    /// Begins a stream.
    pub fn new() -> Self {
        Self { text: String::new(), released: 0, deadline: None, is_inside: false }
    }

    /// Adds text, and returns what can be released.
    pub fn push(&mut self, redactor: &Redactor, text: &str, now: Duration) -> String {
        let text = self.skip_inside(text);
        if text.is_empty() {
            return String::new();
        }
        self.text.push_str(text);
        self.deadline = Some(now.saturating_add(REDACTION_DELAY));
        let end = self.text.floor_char_boundary(self.text.len().saturating_sub(redactor.window()));
        let mut out = self.release(redactor, end);
        if self.text.len() - self.released > Self::MAX_HELD_BYTES {
            out.push_str(REDACTED);
            self.clear();
            self.is_inside = true;
        }
        out
    }

    /// Releases what has waited long enough, up to the last whitespace.
    pub fn poll(&mut self, redactor: &Redactor, now: Duration) -> String {
        if self.deadline.is_none_or(|deadline| now < deadline) {
            return String::new();
        }
        self.deadline = None;
        let end = self.text.trim_end_matches(|c: char| !c.is_whitespace()).len();
        // A known value may contain whitespace.
        let end = end.min(redactor.find_beginning(&self.text));
        self.release(redactor, end)
    }

    /// Releases everything, at the end of the stream.
    pub fn finish(&mut self, redactor: &Redactor) -> String {
        let ranges = redactor.find(&self.text);
        let mut out = String::new();
        replace(&self.text, self.released, self.text.len(), &ranges, &mut out);
        self.clear();
        self.is_inside = false;
        out
    }

    /// Returns when to call [`RedactionStream::poll`].
    pub fn deadline(&self) -> Option<Duration> {
        self.deadline
    }

    fn clear(&mut self) {
        self.text.clear();
        self.released = 0;
        self.deadline = None;
    }

    /// Releases up to `end`, but no part of a secret that may continue after it.
    fn release(&mut self, redactor: &Redactor, end: usize) -> String {
        let mut out = String::new();
        if end <= self.released {
            return out;
        }
        let ranges = redactor.find(&self.text);
        let end =
            ranges.iter().find(|range| range.start < end && end < range.end).map_or(end, |range| range.start);
        if end <= self.released {
            return out;
        }
        replace(&self.text, self.released, end, &ranges, &mut out);
        self.released = end;
        let context = self.text.floor_char_boundary(end.saturating_sub(redactor.window()));
        self.text.drain(..context);
        self.released -= context;
        out
    }

    /// Skips the rest of a secret that was too long.
    fn skip_inside<'t>(&mut self, text: &'t str) -> &'t str {
        if !self.is_inside {
            return text;
        }
        match text.find(char::is_whitespace) {
            Some(end) => {
                self.is_inside = false;
                text.get(end..).unwrap_or_default()
            }
            None => "",
        }
    }
}
