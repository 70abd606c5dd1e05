//! YAML 1.2 as a tree with spans.
//!
//! One pass over the events of `saphyr-parser` builds the arena. What the parser does not refuse is refused here, with
//! a place: keys that repeat, a second document, aliases that multiply, nesting without end.

mod builder;
mod characters;
mod duplicates;
mod format;
mod keys;
mod limits;
mod places;
mod syntax;
mod tags;

pub use self::format::{KeyOrder, Refusal, format};
use minds_diagnostics::{Parsed, Problems, SourceFile};

pub use self::limits::{MAX_ALIASED_NODES, MAX_BYTES, MAX_DEPTH, MAX_NODES, MAX_SCALAR_BYTES};
use crate::Document;

const BOM: &str = "\u{feff}";

/// Reads one YAML document.
///
/// The value is missing where there is no tree that one could rely on: the text is not UTF-8, its syntax is broken, or
/// it exceeds a limit. Everything else is reported and leaves a tree; what has no value in it is unknown.
///
/// An empty text is a document that is null. Time and memory are linear in the length of the text.
pub fn parse(source: &SourceFile) -> Parsed<Option<Document>> {
    let mut problems = Problems::new();
    if source.bytes().len() > MAX_BYTES {
        problems.push(limits::too_large(source));
        return Parsed { value: None, problems };
    }
    let text = match source.text() {
        Ok(text) => text,
        Err(error) => {
            problems.push(syntax::not_utf8(source, error));
            return Parsed { value: None, problems };
        }
    };
    let (base, text) = text.strip_prefix(BOM).map_or((0, text), |rest| (BOM.len(), rest));
    if let Some(found) = syntax::control_character(source) {
        problems.push(found);
    }
    let document = builder::build(source, text, base, &mut problems);
    Parsed { value: document, problems }
}
