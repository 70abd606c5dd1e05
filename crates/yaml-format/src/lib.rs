#![doc = include_str!("../README.md")]

mod arrange;
mod block_text;
mod comments;
mod flow;
mod layout;
mod printer;
mod proof;
mod reader;

use minds_diagnostics::{Problems, SourceFile, Span};
use minds_document::BOM;
use minds_document::yaml::{self, KeyOrder};

use self::reader::UnsupportedLayout;

/// The reason why a file is not formatted.
#[derive(Debug)]
#[non_exhaustive]
pub enum Refusal {
    /// It cannot be parsed without these problems.
    Problems(Problems),
    /// It is not certain that the meaning would stay the same; with the place.
    Unsure(Span),
}

/// Returns a YAML file in canonical form.
///
/// - The keys of the mappings in `order` are sorted; comments above an entry and at the end of its line move with it.
///   Nothing moves past a comment followed by a blank line, and no alias away from its anchor.
/// - Each level is indented by two spaces, items of lists relative to their key, too. One space follows `:` and `-`
///   and precedes a trailing comment. A comment that continues in the same column of the next lines still does.
/// - Brackets and braces have spaces after `,` and `:` only, and keep their lines.
/// - There is at most one blank line in sequence, none at the start of a mapping or list, and no trailing white
///   space.
/// - Scalars and comments stay as written; the lines of a scalar are indented with it.
/// - Line breaks are those of the first line. A byte order mark, directives, `---` and `...` stay.
///
/// The function is idempotent. Time and memory are linear in the length of the file.
///
/// ```
/// use minds_diagnostics::SourceFile;
/// use minds_document::yaml::KeyOrder;
/// use minds_yaml_format::format;
///
/// static ORDER: KeyOrder = KeyOrder::Fields(&[("name", KeyOrder::Free), ("tools", KeyOrder::Free)]);
/// let source = SourceFile::new("x.yaml", "tools:   [a,b]   # two\nname: x\n");
/// assert_eq!(format(&source, &ORDER).unwrap(), "name: x\ntools: [a, b] # two\n");
/// ```
///
/// # Errors
///
/// Returns why the file must stay as it is: it has problems, or it is not certain that its meaning would stay the
/// same.
pub fn format(source: &SourceFile, order: &KeyOrder) -> Result<String, Refusal> {
    let mut text = form(source, order)?;
    let mut is_canonical = text.as_bytes() == source.bytes();
    // Comments in unusual places can be in other places after the first round, so that a second one moves them on.
    for _ in 0..MAX_ROUNDS {
        if is_canonical {
            return Ok(text);
        }
        let again = form(&SourceFile::new(source.name(), text.as_str()), order)?;
        is_canonical = again == text;
        text = again;
    }
    if is_canonical { Ok(text) } else { Err(Refusal::Unsure(Span::at(0))) }
}

/// The maximum number of rounds after which a file has its canonical form, or none.
const MAX_ROUNDS: usize = 4;

/// Returns the result of one round, verified to have the same meaning.
fn form(source: &SourceFile, order: &KeyOrder) -> Result<String, Refusal> {
    let parsed = yaml::parse(source);
    let document = match parsed.value {
        Some(document) if parsed.problems.is_empty() => document,
        _ => return Err(Refusal::Problems(parsed.problems)),
    };
    let unsure = |unsure: UnsupportedLayout| Refusal::Unsure(Span::at(unsure.at));
    let (mut layout, comments) = reader::read(&document).map_err(unsure)?;
    arrange::arrange(&mut layout.root, order, &document);
    let printed = printer::print(&layout, source);
    let text = with_breaks_of(source, &printed.text);
    if text.as_bytes() != source.bytes() {
        let after = SourceFile::new(source.name(), text.as_str());
        proof::verify(&document, comments, &printed, &after).map_err(unsure)?;
    }
    Ok(text)
}

/// Returns a file with the line breaks and the byte order mark of `source`.
fn with_breaks_of(source: &SourceFile, text: &str) -> String {
    let bytes = source.bytes();
    let first = bytes.iter().position(|byte| *byte == b'\n');
    let is_crlf = first.and_then(|at| bytes.get(at.checked_sub(1)?)) == Some(&b'\r');
    let mark = if bytes.starts_with(BOM.as_bytes()) { BOM } else { "" };
    if is_crlf { format!("{mark}{}", text.replace('\n', "\r\n")) } else { format!("{mark}{text}") }
}

/// Returns a length as an offset; a source that was parsed is far below the limit.
fn offset(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}
