//! Checks of a dialect that the parser does not perform.

use minds_document::BOM;

use super::{Dialect, JsonError, JsonErrorKind};

/// The lexical context of a character.
#[derive(Clone, Copy, PartialEq)]
enum Part {
    Between,
    Text,
    LineComment,
    BlockComment,
}

/// Checks a parsed text for what the readers of a dialect refuse; `mark` is the byte order mark in front of it.
///
/// In strict dialects, strings have no control characters, and only JSON white space is between values. A lenient
/// reader ends a string at a line break. Where comments are blanked before the JSON is parsed, white space in them
/// stays.
pub(super) fn check(mark: &str, text: &str, dialect: Dialect) -> Result<(), JsonError> {
    let refused = |reason: &str, start: usize, length: usize| {
        Err(JsonError::new(JsonErrorKind::Syntax(reason.to_owned()), start..start + length))
    };
    if matches!(dialect, Dialect::StrictJson | Dialect::Comments) && mark == BOM {
        return refused("its reader does not accept a byte order mark", 0, mark.len());
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
            (Part::Text, '\n' | '\r') => return refused("a line break in a string", place, length),
            (Part::Text, letter) if letter < ' ' && !is_lenient => {
                return refused("a control character in a string", place, length);
            }
            (Part::Between, '"') => part = Part::Text,
            (Part::Between, '/') => {
                part = if next == Some('*') { Part::BlockComment } else { Part::LineComment };
                letters.next();
            }
            (Part::Between, letter) if letter.is_whitespace() && !is_blank(letter) && !is_lenient => {
                return refused("white space that JSON does not allow", place, length);
            }
            (Part::BlockComment, '*') if next == Some('/') => {
                letters.next();
                part = Part::Between;
            }
            (Part::LineComment | Part::BlockComment, letter)
                if dialect == Dialect::Comments && is_foreign_blank(letter) =>
            {
                return refused("white space in a comment that its reader does not remove", place, length);
            }
            (Part::Text | Part::Between | Part::LineComment | Part::BlockComment, _) => {}
        }
    }
    Ok(())
}

/// Returns whether a character is JSON white space.
fn is_blank(letter: char) -> bool {
    matches!(letter, ' ' | '\t' | '\n' | '\r')
}

/// Returns whether a character is white space in ECMAScript and not in JSON.
fn is_foreign_blank(letter: char) -> bool {
    (letter.is_whitespace() && !is_blank(letter) && letter != '\u{85}') || letter == '\u{feff}'
}
