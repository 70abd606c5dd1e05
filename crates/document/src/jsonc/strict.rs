//! What the readers of a dialect refuse, and the parser takes.

use super::{Dialect, JsonError, JsonErrorKind};
use crate::encoding::BOM;

/// Where a letter stands.
#[derive(Clone, Copy, PartialEq)]
enum Part {
    Between,
    Text,
    LineComment,
    BlockComment,
}

/// Looks for what the readers of a dialect refuse in a text that was parsed; `mark` is the byte order mark before it.
///
/// Texts of strict dialects hold no control characters, and between values stands no other white space than JSON has. A
/// lenient reader ends a text at a line break. Where comments are blanked before JSON is read, white space in them stays.
pub(super) fn check(mark: &str, text: &str, dialect: Dialect) -> Result<(), JsonError> {
    let refused = |reason: &str, start: usize, length: usize| {
        Err(JsonError::new(JsonErrorKind::Syntax(reason.to_owned()), start..start + length))
    };
    if dialect == Dialect::Comments && mark == BOM {
        return refused("its reader takes no byte order mark", 0, mark.len());
    }
    let is_lenient = dialect == Dialect::CommentsAndCommas;
    let mut part = Part::Between;
    let mut letters = text.char_indices().peekable();
    while let Some((at, letter)) = letters.next() {
        let (place, length) = (mark.len() + at, letter.len_utf8());
        let next = letters.peek().map(|(_, next)| *next);
        match (part, letter) {
            (Part::Text, '"') | (Part::LineComment, '\n') => part = Part::Between,
            (Part::Text, '\\') => {
                letters.next();
                let digits = text.get(at + 2..at + 6).unwrap_or_default();
                if next == Some('u') && !digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
                    return refused("`\\u` without four digits", place, 2);
                }
            }
            (Part::Text, '\n' | '\r') => return refused("a line break in a text", place, length),
            (Part::Text, letter) if letter < ' ' && !is_lenient => {
                return refused("a control character in a text", place, length);
            }
            (Part::Between, '"') => part = Part::Text,
            (Part::Between, '/') => {
                part = if next == Some('*') { Part::BlockComment } else { Part::LineComment };
                letters.next();
            }
            (Part::Between, letter) if letter.is_whitespace() && !is_blank(letter) && !is_lenient => {
                return refused("white space that is none in JSON", place, length);
            }
            (Part::BlockComment, '*') if next == Some('/') => {
                letters.next();
                part = Part::Between;
            }
            (Part::LineComment | Part::BlockComment, letter)
                if dialect == Dialect::Comments && stays(letter) =>
            {
                return refused("white space in a comment that its reader does not take out", place, length);
            }
            (Part::Text | Part::Between | Part::LineComment | Part::BlockComment, _) => {}
        }
    }
    Ok(())
}

/// Returns whether a letter is white space of JSON.
fn is_blank(letter: char) -> bool {
    matches!(letter, ' ' | '\t' | '\n' | '\r')
}

/// Returns whether ECMAScript has a letter for white space, and JSON has not.
fn stays(letter: char) -> bool {
    (letter.is_whitespace() && !is_blank(letter) && letter != '\u{85}') || letter == '\u{feff}'
}
