//! Replaces secrets in what an agent reports.

use std::borrow::Cow;
use std::ops::Range;
use std::time::Duration;

use minds_text::secrets::{self, REDACTED, TextKind};
use regex::{Regex, RegexBuilder};

use crate::limits::{MAX_FRAME_TEXT_BYTES, MIN_SECRET_BYTES, REDACTION_DELAY, REDACTION_WINDOW_BYTES};

/// How the first line of a private key begins.
const PRIVATE_KEY: &str = "-----BEGIN ";

/// What is a secret: the patterns of the configuration, known values, and the formats of keys and tokens.
#[derive(Clone, Debug)]
pub struct Redactor {
    patterns: Vec<Regex>,
    /// Known values, the longest first.
    values: Vec<String>,
    /// Whether a pattern may match text with whitespace in it.
    spans_words: bool,
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
        let patterns: Vec<Regex> =
            patterns.into_iter().map(|pattern| compile(pattern.as_ref())).collect::<Result<_, _>>()?;
        let spans_words = !patterns.iter().all(|pattern| is_within_word(pattern.as_str()));
        let mut values: Vec<String> = values.into_iter().map(Into::into).collect();
        values.retain(|value| value.len() >= MIN_SECRET_BYTES);
        values.sort_by_key(|value| std::cmp::Reverse(value.len()));
        Ok(Self { patterns, values, spans_words })
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

    /// Returns the end of the part of the text that no secret may continue: the last whitespace, but not within a known value, and
    /// not after the first line of a private key, which is recognized by what follows.
    fn find_end_of_words(&self, text: &str) -> usize {
        let end = text.trim_end_matches(|c: char| !c.is_whitespace()).len().min(self.find_beginning(text));
        let key = text.rfind(PRIVATE_KEY).filter(|at| text.len() - at < self.window());
        let is_known = |at: &usize| self.find(text).iter().any(|range| range.start > *at);
        key.filter(|at| !is_known(at)).map_or(end, |at| end.min(at))
    }

    fn window(&self) -> usize {
        self.values.first().map_or(0, String::len).max(REDACTION_WINDOW_BYTES)
    }
}

/// Returns whether it is certain that no match of a pattern contains whitespace.
fn is_within_word(pattern: &str) -> bool {
    let pattern = pattern.replace("(?i)", "").replace("(?:", "(");
    let is_unclear = ["(?", "[^", "[:"].iter().any(|part| pattern.contains(part));
    let mut chars = pattern.chars();
    while let Some(c) = chars.next() {
        let is_clear = match c {
            '\\' => chars.next().is_some_and(|c| "dwSbB".contains(c) || c.is_ascii_punctuation()),
            '.' => false,
            // A range that ends with a character beyond ASCII may contain whitespace.
            c => c.is_ascii_graphic(),
        };
        if !is_clear {
            return false;
        }
    }
    !is_unclear
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
/// Text is released up to the last whitespace: a word that may be the beginning of a secret waits for its end, so that a secret is
/// recognized before its first part is released, however it is split. If a pattern may match more than a word, the last
/// [`REDACTION_WINDOW_BYTES`] are held back (more if a known value is longer), until [`REDACTION_DELAY`] has passed without new
/// text.
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
        let mut end = self.text.floor_char_boundary(self.text.len().saturating_sub(redactor.window()));
        if !redactor.spans_words {
            end = end.max(redactor.find_end_of_words(&self.text));
        }
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
        let end = redactor.find_end_of_words(&self.text);
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
        let may_continue = |range: &&Range<usize>| end < range.end || range.end == self.text.len();
        let open = ranges.iter().filter(|range| range.start < end).find(may_continue);
        let end = open.map_or(end, |range| range.start);
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
