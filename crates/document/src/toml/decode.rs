//! Decoding of tokens to keys and scalars.

use std::borrow::Cow;

use minds_diagnostics::Span;
use toml_parser::decoder::Encoding;
use toml_parser::{ErrorSink, ParseError, Raw};

use super::literal::Literal;
use super::offset;
use super::syntax::{BAD_DATE, MISSING_KEY, MISSING_VALUE, TOO_LARGE};
use crate::Value;
use crate::limits::MAX_SCALAR_BYTES;
use crate::tree::{Content, Text};

/// One segment of a key.
#[derive(Clone)]
pub(super) struct Key<'t> {
    /// The text of the segment; none if it is too long to be compared.
    pub(super) name: Option<Cow<'t, str>>,
    pub(super) span: Span,
    pub(super) content: Content,
}

/// The result of decoding a key or scalar.
pub(super) enum DecodeResult<T> {
    Read(T),
    /// It was reported as an error.
    Broken,
    /// It has more bytes than a string may have.
    TooLong,
}

/// The text of a document, and its position in the file.
#[derive(Clone, Copy)]
pub(super) struct DocumentText<'t> {
    pub(super) text: &'t str,
    pub(super) base: u32,
}

impl<'t> DocumentText<'t> {
    /// Returns the span of a token in the file.
    pub(super) fn place(self, word: toml_parser::Span) -> Span {
        Span::new(self.base + offset(word.start()), self.base + offset(word.end()))
    }

    /// Returns the span of the text, without white space around it.
    pub(super) fn all(self) -> Span {
        let inside = self.text.trim_ascii();
        let start = self.text.len() - self.text.trim_ascii_start().len();
        self.place(toml_parser::Span::new_unchecked(start, start + inside.len()))
    }

    /// Decodes a segment of a key, and stores it in `texts` if it differs from the source.
    pub(super) fn key(
        self,
        word: toml_parser::Span,
        encoding: Option<Encoding>,
        texts: &mut Vec<String>,
        errors: &mut dyn ErrorSink,
    ) -> DecodeResult<Key<'t>> {
        let span = self.place(word);
        let Some(raw) = self.raw(word, encoding) else {
            errors.report_error(ParseError::new(MISSING_KEY).with_unexpected(word));
            return DecodeResult::Broken;
        };
        let (mut name, mut faultless) = (Cow::Borrowed(""), true);
        raw.decode_key(&mut name, &mut |error| {
            faultless = false;
            errors.report_error(error);
        });
        if !faultless {
            return DecodeResult::Broken;
        }
        if name.len() > MAX_SCALAR_BYTES {
            return DecodeResult::TooLong;
        }
        let content = Content::Quoted(self.store(&name, word, encoding, texts));
        DecodeResult::Read(Key { name: Some(name), span, content })
    }

    /// Decodes a scalar, and stores it in `texts` if it differs from the source.
    pub(super) fn scalar(
        self,
        word: toml_parser::Span,
        encoding: Option<Encoding>,
        texts: &mut Vec<String>,
        errors: &mut dyn ErrorSink,
    ) -> DecodeResult<Content> {
        let Some(raw) = self.raw(word, encoding) else {
            errors.report_error(ParseError::new(MISSING_VALUE).with_unexpected(word));
            return DecodeResult::Broken;
        };
        let (mut text, mut faultless) = (Cow::Borrowed(""), true);
        let kind = raw.decode_scalar(&mut text, &mut |error| {
            faultless = false;
            errors.report_error(error);
        });
        if !faultless {
            return DecodeResult::Broken;
        }
        let Some(literal) = Literal::of(kind) else {
            if text.len() > MAX_SCALAR_BYTES {
                return DecodeResult::TooLong;
            }
            return DecodeResult::Read(Content::Quoted(self.store(&text, word, encoding, texts)));
        };
        if raw.len() > MAX_SCALAR_BYTES {
            return DecodeResult::TooLong;
        }
        if literal.value(raw.as_str()) == Value::Unknown {
            let complaint = if literal == Literal::Date { BAD_DATE } else { TOO_LARGE };
            errors.report_error(ParseError::new(complaint).with_unexpected(word));
            return DecodeResult::Broken;
        }
        let at = self.place(word);
        DecodeResult::Read(Content::Literal(literal, Text { at: at.start(), length: at.len() }))
    }

    /// Returns a token for the library to decode; none where the library inserted an empty one for something missing.
    fn raw(self, word: toml_parser::Span, encoding: Option<Encoding>) -> Option<Raw<'t>> {
        let text = self.text.get(word.start()..word.end())?;
        (!text.is_empty()).then(|| Raw::new_unchecked(text, encoding, word))
    }

    /// Returns where the text of a string is stored: in the source, in front of its closing quotes, if it does not
    /// differ from it.
    fn store(
        self,
        read: &str,
        word: toml_parser::Span,
        encoding: Option<Encoding>,
        texts: &mut Vec<String>,
    ) -> Text {
        let quotes = match encoding {
            None => 0,
            Some(Encoding::BasicString | Encoding::LiteralString) => 1,
            Some(Encoding::MlBasicString | Encoding::MlLiteralString) => 3,
        };
        let end = word.end().saturating_sub(quotes);
        let start = end.saturating_sub(read.len()).max(word.start());
        if self.text.get(start..end) == Some(read) {
            return Text { at: self.base + offset(start), length: offset(read.len()) };
        }
        texts.push(read.to_owned());
        Text { at: offset(texts.len() - 1), length: Text::OWNED }
    }
}
