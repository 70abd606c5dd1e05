//! The canonical form of a text: the same tree and the same comments, laid out in one way.
//!
//! A text is read with its tree into a [`Layout`](layout::Layout), its keys are put in order, and it is printed. What was
//! printed is read again and compared: a text that would say anything else is refused, not returned.

mod arrange;
mod block_text;
mod comments;
mod flow;
mod key_order;
mod layout;
mod printer;
mod proof;
mod reader;

use minds_diagnostics::{Problems, SourceFile, Span};

pub use self::key_order::KeyOrder;
use self::reader::Unsure;
use crate::encoding::BOM;

/// Why a text is left as it is.
#[derive(Debug)]
#[non_exhaustive]
pub enum Refusal {
    /// It is not read without these problems.
    Problems(Problems),
    /// It would not have been certain that the text says the same afterwards; where.
    Unsure(Span),
}

/// Returns a text in canonical form.
///
/// - Keys of the mappings that `order` knows come in its order; comments above and behind an entry move with it. Nothing
///   moves past a comment with a blank line below, and no alias away from its anchor.
/// - Each level is indented by two spaces, items of lists below their key too. One space stands behind `:` and `-`, and
///   before a comment behind a value. Where a comment goes on in the same column of the next lines, it still does.
/// - Brackets and braces have spaces behind `,` and `:` only, and keep their lines.
/// - At most one blank line stands in a row, none at the start of a mapping or list, and no blanks at the end of a line.
/// - Texts and comments stay as they are written; the lines of a text are indented with it.
/// - Line breaks are those of the first line. A byte order mark, directives, `---` and `...` stay.
///
/// The canonical form of a canonical form is itself. Time and memory are linear in the length of the text.
///
/// ```
/// use minds_diagnostics::SourceFile;
/// use minds_document::yaml::{KeyOrder, format};
///
/// static ORDER: KeyOrder = KeyOrder::Fields(&[("name", KeyOrder::Free), ("tools", KeyOrder::Free)]);
/// let source = SourceFile::new("x.yaml", "tools:   [a,b]   # two\nname: x\n");
/// assert_eq!(format(&source, &ORDER).unwrap(), "name: x\ntools: [a, b] # two\n");
/// ```
///
/// # Errors
///
/// Returns why the text must be left as it is: it has problems, or what it says would not certainly stay.
pub fn format(source: &SourceFile, order: &KeyOrder) -> Result<String, Refusal> {
    let mut text = form(source, order)?;
    let mut is_canonical = text.as_bytes() == source.bytes();
    // Comments in strange places can stand in other places behind the first round, so that a second one moves on.
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

/// After so many rounds a text has its form, or none.
const MAX_ROUNDS: usize = 4;

/// Returns the form of a text, proven to say the same.
fn form(source: &SourceFile, order: &KeyOrder) -> Result<String, Refusal> {
    let parsed = super::parse(source);
    let document = match parsed.value {
        Some(document) if parsed.problems.is_empty() => document,
        _ => return Err(Refusal::Problems(parsed.problems)),
    };
    let unsure = |unsure: Unsure| Refusal::Unsure(Span::at(unsure.at));
    let (mut layout, comments) = reader::read(&document).map_err(unsure)?;
    arrange::arrange(&mut layout.root, order, &document);
    let printed = printer::print(&layout, source);
    let text = with_breaks_of(source, &printed.text);
    if text.as_bytes() != source.bytes() {
        let after = SourceFile::new(source.name(), text.as_str());
        proof::holds(&document, comments, &printed, &after).map_err(unsure)?;
    }
    Ok(text)
}

/// Returns a text with the line breaks and the byte order mark that `source` begins with.
fn with_breaks_of(source: &SourceFile, text: &str) -> String {
    let bytes = source.bytes();
    let first = bytes.iter().position(|byte| *byte == b'\n');
    let is_crlf = first.and_then(|at| bytes.get(at.checked_sub(1)?)) == Some(&b'\r');
    let mark = if bytes.starts_with(BOM.as_bytes()) { BOM } else { "" };
    if is_crlf { format!("{mark}{}", text.replace('\n', "\r\n")) } else { format!("{mark}{text}") }
}
