//! TOML 1.1 as a tree with spans.
//!
//! `toml_parser` splits the text into words and says what they are; each line, with the lines that its brackets hold
//! together, is read by itself, so that a mistake in one costs none of the others. What one table has may stand all over
//! the text: `tables` brings it together, refuses what is given twice, and hands over the arena.

mod builder;
mod decode;
mod lines;
mod literal;
mod syntax;
mod tables;

use minds_diagnostics::{Parsed, Problems, SourceFile, Span};

pub(crate) use self::literal::{Literal, is_number};
use crate::Document;
use crate::comments;
use crate::encoding::{self, BOM};
use crate::format::Format;

/// Reads a TOML document.
///
/// The value is missing where the text is not UTF-8 or exceeds a limit. A line with a mistake in its syntax leaves a tree
/// that [is partial](Document::is_partial): what the line was to say is unknown or missing in it, never guessed, and what
/// stands below a broken header belongs to no table.
///
/// The root is a mapping, also of an empty text. The place of a table is its header or its braces; where there is neither,
/// as of `a` in `[a.b]`, it is the key. Time and memory are linear in the length of the text.
///
/// ```
/// use minds_diagnostics::SourceFile;
/// use minds_document::{Value, toml};
///
/// let source = SourceFile::new("minds.toml", "[check]\nstrict = true\n\n[check.since]\nday = 2026-11-20\n");
/// let parsed = toml::parse(&source);
/// assert!(parsed.problems.is_empty());
///
/// let document = parsed.value.expect("the text is no larger than is read");
/// let check = document.root().get("check").expect("it has a header");
/// assert_eq!(check.get("strict").map(|node| node.value()), Some(Value::Bool(true)));
/// let day = check.get("since").and_then(|since| since.get("day")).expect("it is there");
/// assert_eq!((day.value(), day.pointer().as_str()), (Value::Date("2026-11-20"), "/check/since/day"));
/// ```
pub fn parse(source: &SourceFile) -> Parsed<Option<Document>> {
    let mut problems = Problems::new();
    let part = encoding::text_of(source, Format::Toml, &mut problems);
    let value = part.and_then(|part| read(source, part, &mut problems));
    Parsed { value, problems }
}

/// Reads the document that is `part` of a text.
pub(crate) fn read(source: &SourceFile, part: Span, problems: &mut Problems) -> Option<Document> {
    // The library would take a second mark for a first one.
    let marked = source.slice(part).starts_with(BOM);
    if marked {
        let mark = Span::new(part.start(), part.start() + offset(BOM.len()));
        problems.push(syntax::forbidden_character(source, mark));
    }
    let mut document = lines::read(source, part, problems)?;
    document.is_partial |= marked;
    comments::respect(&document, problems);
    Some(document)
}

fn offset(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}
