//! A text with a name.

use std::fmt;
use std::str::Utf8Error;
use std::sync::{Arc, OnceLock};

use crate::{Allowances, Contents, Label, LineIndex, PositionRange, Rule, Span};

/// A file as it was read: a name for messages, and the exact bytes.
///
/// Cloning is cheap. The bytes need not be UTF-8: a finding may be about just that.
#[derive(Clone)]
pub struct SourceFile(Arc<Inner>);

struct Inner {
    name: String,
    contents: Contents,
    lines: OnceLock<LineIndex>,
    allowances: OnceLock<Allowances>,
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
            allowances: OnceLock::new(),
            blank: OnceLock::new(),
        }))
    }

    /// Returns the name that messages use.
    pub fn name(&self) -> &str {
        &self.0.name
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

    /// Returns whether no finding may quote anything of the file, because it is outside the workspace.
    pub fn is_withheld(&self) -> bool {
        self.0.contents.is_withheld()
    }

    /// Returns whether some users may not read the file.
    pub fn is_restricted(&self) -> bool {
        self.0.contents.is_restricted()
    }

    /// Returns a file of the same name in which every position has the same line and column, and in which nothing else of
    /// this one is left.
    pub(crate) fn blank(&self) -> Self {
        let make = || {
            let mut text = String::with_capacity(self.bytes().len());
            for chunk in self.bytes().utf8_chunks() {
                text.extend(chunk.valid().chars().map(filler));
                text.extend(chunk.invalid().iter().map(|_| ' '));
            }
            Self::new(self.name(), Contents::from(text).withheld())
        };
        self.0.blank.get_or_init(make).clone()
    }

    /// Returns the text that `span` covers, or an empty one where the span does not fit the text.
    pub fn slice(&self, span: Span) -> &str {
        self.text().ok().and_then(|text| text.get(span.range())).unwrap_or_default()
    }

    /// Returns a label at `span`, without a message.
    pub fn label(&self, span: Span) -> Label {
        Label::new(self, span)
    }

    /// Returns the lines of the file; they are found at the first call.
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

    /// Sets what the comments of the text allow. They follow from the text, so the first answer is the only one.
    ///
    /// See [`Problems::respect`](crate::Problems::respect).
    pub(crate) fn set_allowances(&self, allowances: Allowances) {
        let _ = self.0.allowances.set(allowances);
    }

    /// Returns what the comments of the text allow, if a reader found any that allow something.
    pub fn allowances(&self) -> Option<&Allowances> {
        self.0.allowances.get()
    }

    /// Returns whether a comment suppresses findings of `rule` at `span`.
    pub fn is_allowed(&self, rule: &Rule, span: Span) -> bool {
        self.allowed_line(rule, span).is_some()
    }

    /// Returns the line of `span` if a comment allows findings of `rule` there.
    pub(crate) fn allowed_line(&self, rule: &Rule, span: Span) -> Option<u32> {
        let allowances = self.allowances().filter(|_| rule.is_allowable)?;
        let line = self.lines().line_of(span.start());
        allowances.find(self, line, rule.code).map(|_| line)
    }
}

/// Returns a blank of the same length, in UTF-8 and in UTF-16; the ends of lines stay.
fn filler(c: char) -> char {
    match c.len_utf8() {
        1 if matches!(c, '\n' | '\r') => c,
        1 => ' ',
        2 => '\u{a0}',
        3 => '\u{3000}',
        _ => '\u{f0000}',
    }
}

/// Shows the name and the size: the contents would bury whatever they are a part of.
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
        let file = SourceFile::new("f", Contents::from(bytes).withheld());
        let text = SourceFile::new("f", Contents::from("é: 語 😀\r\n\tend: secret\n").withheld());
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
