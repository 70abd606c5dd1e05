//! From the text of a file to its tree.

mod lines;
mod markdown;

use minds_diagnostics::{Problems, SourceFile, Span};
use minds_document::toml;

use crate::client::{Format, KindData};
use crate::json;
use crate::tree::Item;

/// What was read from a file.
#[derive(Clone, Debug, Default)]
pub struct Content {
    /// The front matter, or the whole document; none if there is none, or it cannot be read.
    pub data: Option<Item>,
    /// Where keys belong that do not exist: the front matter or the start of the document.
    pub place: Span,
    /// The text after the front matter.
    pub body: Option<Span>,
    /// Whether every value is a string, because the front matter was read as lines.
    pub is_untyped: bool,
    /// What a reader of the format does not accept.
    pub flaws: Vec<Flaw>,
}

/// Something in a file that its reader does not accept, or accepts differently than expected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Flaw {
    /// The front matter is not valid.
    FrontMatter {
        /// The place.
        span: Span,
        /// The reason.
        why: String,
    },
    /// The document is not valid.
    Syntax {
        /// The place.
        span: Span,
        /// The reason.
        why: &'static str,
    },
    /// Strict JSON does not allow it.
    Extension {
        /// The place.
        span: Span,
        /// What it is, as in "a comment".
        what: &'static str,
    },
    /// A key that is repeated in JSON.
    Repeated {
        /// The place of the repeated key.
        span: Span,
        /// The place of the first one.
        first: Span,
    },
}

/// Reads a file. Problems of the syntax of TOML and YAML are reported as in all documents.
pub(crate) fn read(source: &SourceFile, data: &KindData, problems: &mut Problems) -> Content {
    let end = u32::try_from(source.bytes().len()).unwrap_or(u32::MAX);
    let whole = Span::new(0, end);
    match data.format {
        Format::Text => Content { body: Some(whole), ..Content::default() },
        Format::Markdown => markdown::read(source, data, problems),
        Format::Lines => lines::read(source),
        Format::Toml => {
            let document = toml::parse(source).take(problems);
            Content { data: document.as_ref().map(Item::of_document), ..Content::default() }
        }
        Format::Json | Format::Jsonc => read_json(source, data.format == Format::Json),
    }
}

fn read_json(source: &SourceFile, is_strict: bool) -> Content {
    let Ok(text) = source.text() else {
        let flaws = vec![Flaw::Syntax { span: Span::at(0), why: "the file is not valid UTF-8" }];
        return Content { flaws, ..Content::default() };
    };
    let read = json::read(text);
    let mut flaws: Vec<Flaw> = Vec::new();
    if let Some((span, why)) = read.error {
        flaws.push(Flaw::Syntax { span, why });
    }
    if is_strict {
        flaws.extend(read.extensions.into_iter().map(|(span, what)| Flaw::Extension { span, what }));
    }
    flaws.extend(read.duplicates.into_iter().map(|(span, first)| Flaw::Repeated { span, first }));
    let place =
        read.item.as_ref().map_or(Span::at(0), |item| Span::new(item.span.start(), item.span.start() + 1));
    Content { data: read.item, place, flaws, ..Content::default() }
}
