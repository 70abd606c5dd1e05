//! YAML 1.2 as a tree with spans.
//!
//! One pass over the events of `saphyr-parser` builds the arena. What the parser does not refuse is refused here, with
//! a place: keys that repeat, a second document, aliases that multiply, nesting without end.

mod builder;
mod characters;
mod duplicates;
mod format;
mod keys;
mod line_breaks;
mod open;
mod places;
mod properties;
mod reader;
mod syntax;
mod tags;

pub use self::format::{KeyOrder, Refusal, format};
use minds_diagnostics::{Parsed, Problems, SourceFile, Span};

use crate::format::Format;
use crate::{Document, comments, encoding};

/// Reads one YAML document.
///
/// The value is missing where there is no tree that one could rely on: the text is not UTF-8, its syntax is broken, or
/// it exceeds a limit, or not every YAML reader splits it into the same lines. Everything else is reported and leaves a tree; what has no value in it is unknown.
///
/// Comments that allow findings do so from then on; see [`Allowances`](minds_diagnostics::Allowances).
///
/// An empty text is a document that is null. Time and memory are linear in the length of the text.
pub fn parse(source: &SourceFile) -> Parsed<Option<Document>> {
    let mut problems = Problems::new();
    let part = encoding::text_of(source, Format::Yaml, &mut problems);
    let value = part.and_then(|part| read(source, part, &mut problems));
    Parsed { value, problems }
}

/// Reads the one document that is `part` of a text.
pub(crate) fn read(source: &SourceFile, part: Span, problems: &mut Problems) -> Option<Document> {
    if let Some(found) = syntax::control_character(source, part) {
        problems.push(found);
    }
    if let Some(found) = line_breaks::carriage_returns(source, part) {
        problems.push(found);
        return None;
    }
    let document = builder::build(source, part, problems)?;
    if let Some(found) = line_breaks::separators(&document, part) {
        problems.push(found);
        return None;
    }
    comments::respect(&document, problems);
    Some(document)
}
