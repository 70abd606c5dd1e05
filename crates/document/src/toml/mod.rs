//! Parsing of TOML 1.1 into a tree with spans.
//!
//! `toml_parser` splits the source into tokens and classifies them. Each line, with the lines that its brackets
//! continue on, is read separately, so that an error in one line does not affect the others. The keys of one table
//! may be spread over the source: `tables` collects them, reports duplicates, and builds the arena.

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

/// Parses a TOML document.
///
/// There is no value if the source is not UTF-8 or exceeds a limit. A line with a syntax error leaves a tree that [is
/// partial](Document::is_partial): the values of the line are unknown or missing, never guessed, and what follows a
/// broken header belongs to no table.
///
/// The root is always a mapping. The span of a table is its header or its braces; where there is neither, as for `a`
/// in `[a.b]`, it is the key. Time and memory are linear in the length of the source.
///
/// ```
/// use minds_diagnostics::SourceFile;
/// use minds_document::{Value, toml};
///
/// let source = SourceFile::new("minds.toml", "[check]\nstrict = true\n\n[check.since]\nday = 2026-11-20\n");
/// let parsed = toml::parse(&source);
/// assert!(parsed.problems.is_empty());
///
/// let document = parsed.value.expect("the file is below the size limit");
/// let check = document.root().get("check").expect("it has a header");
/// assert_eq!(check.get("strict").map(|node| node.value()), Some(Value::Bool(true)));
/// let day = check.get("since").and_then(|since| since.get("day")).expect("the key exists");
/// assert_eq!((day.value(), day.pointer().as_str()), (Value::Date("2026-11-20"), "/check/since/day"));
/// ```
pub fn parse(source: &SourceFile) -> Parsed<Option<Document>> {
    let mut problems = Problems::new();
    let part = encoding::text_of(source, Format::Toml, &mut problems);
    let value = part.and_then(|part| read(source, part, &mut problems));
    Parsed { value, problems }
}

/// Parses the document that is `part` of a source.
pub(crate) fn read(source: &SourceFile, part: Span, problems: &mut Problems) -> Option<Document> {
    // The library would accept a second byte order mark.
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
