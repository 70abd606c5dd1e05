//! A named file in memory.

use std::fmt;
use std::str::Utf8Error;
use std::sync::{Arc, OnceLock};

use crate::{Contents, Label, LineIndex, PositionRange, Rule, Span, Suppressions};

/// A file as it was read: a name for messages, and the exact bytes.
///
/// Cloning is cheap. The bytes need not be UTF-8: that may be what a finding is about.
#[derive(Clone)]
pub struct SourceFile(Arc<Inner>);

struct Inner {
    name: String,
    contents: Contents,
    lines: OnceLock<LineIndex>,
    suppressions: OnceLock<Suppressions>,
    blank: OnceLock<SourceFile>,
}

impl SourceFile {
    /// Returns a source file with a name, usually a path relative to the workspace with `/`, and its contents of at
    /// most 4 GiB.
    pub fn new(name: impl Into<String>, contents: impl Into<Contents>) -> Self {
        Self(Arc::new(Inner {
            name: name.into(),
            contents: contents.into(),
            lines: OnceLock::new(),
            suppressions: OnceLock::new(),
            blank: OnceLock::new(),
        }))
    }

    /// Returns the name that messages use.
    pub fn name(&self) -> &str {
        &self.0.name
    }

    /// Returns the same contents under another name.
    #[must_use]
    pub fn with_name(&self, name: impl Into<String>) -> Self {
        Self::new(name, self.0.contents.clone())
    }

    /// Returns what tells files apart that are in memory at the same time.
    pub(crate) fn address(&self) -> usize {
        Arc::as_ptr(&self.0).addr()
    }

    /// Returns the contents as text.
    ///
    /// # Errors
    ///
    /// Returns where the contents stop being UTF-8.
    pub fn text(&self) -> Result<&str, Utf8Error> {
        self.0.contents.text()
    }

    /// Returns the contents as they were read.
    pub fn bytes(&self) -> &[u8] {
        &self.0.contents
    }

    /// Returns whether no finding may quote the file, because it is outside of the workspace.
    pub fn is_withheld(&self) -> bool {
        self.0.contents.is_withheld()
    }

    /// Returns whether some users may not read the file.
    pub fn is_restricted(&self) -> bool {
        self.0.contents.is_restricted()
    }

    /// Returns a file of the same name in which every position has the same line and column, without any other
    /// content.
    pub(crate) fn blank(&self) -> Self {
        let make = || {
            let mut text = String::with_capacity(self.bytes().len());
            for chunk in self.bytes().utf8_chunks() {
                text.extend(chunk.valid().chars().map(filler));
                text.extend(chunk.invalid().iter().map(|_| ' '));
            }
            Self::new(self.name(), Contents::from(text).into_withheld())
        };
        self.0.blank.get_or_init(make).clone()
    }

    /// Returns the text of `span`; empty if the span does not fit the file.
    pub fn slice(&self, span: Span) -> &str {
        self.text().ok().and_then(|text| text.get(span.range())).unwrap_or_default()
    }

    /// Returns a label at `span`, without a message.
    pub fn label(&self, span: Span) -> Label {
        Label::new(self, span)
    }

    /// Returns the lines of the file; they are computed on the first call.
    pub fn lines(&self) -> &LineIndex {
        self.0.lines.get_or_init(|| LineIndex::new(self.bytes()))
    }

    /// Returns the line and column of both ends of `span`.
    pub fn range(&self, span: Span) -> PositionRange {
        let lines = self.lines();
        PositionRange {
            start: lines.position(self.bytes(), span.start()),
            end: lines.position(self.bytes(), span.end()),
        }
    }

    /// Sets the suppressions in the comments of the file. They depend on its content only, so the first call
    /// determines them.
    ///
    /// See [`Problems::apply_suppressions`](crate::Problems::apply_suppressions).
    pub(crate) fn set_suppressions(&self, suppressions: Suppressions) {
        let _ = self.0.suppressions.set(suppressions);
    }

    /// Returns the suppressions in the comments of the file, if there are any.
    pub fn suppressions(&self) -> Option<&Suppressions> {
        self.0.suppressions.get()
    }

    /// Returns whether a comment suppresses findings of `rule` at `span`.
    pub fn is_suppressed(&self, rule: &Rule, span: Span) -> bool {
        self.suppressed_line(rule, span).is_some()
    }

    /// Returns the line of `span` if findings of `rule` are suppressed there.
    pub(crate) fn suppressed_line(&self, rule: &Rule, span: Span) -> Option<u32> {
        let suppressions = self.suppressions().filter(|_| rule.is_suppressible)?;
        let line = self.lines().line_of(span.start());
        suppressions.find(self, line, rule.code).map(|_| line)
    }
}

/// Returns a blank of the same length in UTF-8 and UTF-16; line breaks stay.
fn filler(c: char) -> char {
    match c.len_utf8() {
        1 if matches!(c, '\n' | '\r') => c,
        1 => ' ',
        2 => '\u{a0}',
        3 => '\u{3000}',
        _ => '\u{f0000}',
    }
}

/// Prints the name and the size: the contents would bury the rest of the output.
impl fmt::Debug for SourceFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SourceFile({:?}, {} bytes)", self.name(), self.bytes().len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_blank_file_has_the_same_positions_and_nothing_else() {
        let bytes = [b"key: \"\xff".as_slice(), "é 語 😀\r\n\tend: secret\n".as_bytes()].concat();
        let file = SourceFile::new("f", Contents::from(bytes).into_withheld());
        let text = SourceFile::new("f", Contents::from("é: 語 😀\r\n\tend: secret\n").into_withheld());
        for source in [&file, &text] {
            let blank = source.blank();
            assert!(blank.is_withheld() && blank.bytes().len() == source.bytes().len());
            let shown = String::from_utf8_lossy(blank.bytes()).into_owned();
            assert!(!shown.contains(|c: char| c.is_alphanumeric()), "{shown:?}");
        }
        let blank = text.blank();
        for (at, _) in text.text().unwrap().char_indices() {
            let span = Span::at(u32::try_from(at).unwrap());
            assert_eq!(blank.range(span), text.range(span), "{at}");
        }
    }
}
