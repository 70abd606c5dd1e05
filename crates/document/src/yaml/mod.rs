//! Parsing of YAML 1.2 into a tree with spans.
//!
//! One pass over the events of `saphyr-parser` builds the arena. What the parser accepts and this crate does not is
//! reported with its place: duplicate keys, a second document, too many aliased values, too deep nesting.

mod builder;
mod characters;
mod duplicates;
mod key_order;
mod keys;
mod line_breaks;
mod locator;
mod open_nodes;
mod properties;
mod reader;
mod syntax;
mod tags;

use minds_diagnostics::{Parsed, Problems, SourceFile, Span};

pub use self::key_order::KeyOrder;
pub use self::locator::Locator;
use crate::format::Format;
use crate::{Document, comments, encoding};

/// Parses one YAML document.
///
/// There is no value if no reliable tree exists: the source is not UTF-8, has a syntax error, exceeds a limit, or is
/// split into different lines by other YAML readers. Everything else is reported and leaves a tree, in which a value
/// that could not be read is [`Value::Unknown`](crate::Value::Unknown).
///
/// The suppressions in the comments apply from then on; see [`Suppressions`](minds_diagnostics::Suppressions).
///
/// The document of an empty source is null. Time and memory are linear in the length of the source.
pub fn parse(source: &SourceFile) -> Parsed<Option<Document>> {
    let mut problems = Problems::new();
    let part = encoding::text_of(source, Format::Yaml, &mut problems);
    let value = part.and_then(|part| read(source, part, &mut problems));
    Parsed { value, problems }
}

/// Parses the document that is `part` of a source.
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
