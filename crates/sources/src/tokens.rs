//! References in double braces in the text of items: names and paths of items of the same source.
//!
//! `{{ns:NAME}}` is the name under which an item is installed, `{{self}}` the path where the item itself is
//! stored, `{{tools:NAME}}` the program of a tool, `{{path:[KIND:]NAME}}` the path where an item is stored.
//! Anything else in braces does not change. A reference ends at the next closing braces, whatever precedes
//! them, so an unclosed one does not name anything.

use std::ops::Range;

use crate::ItemKind;

/// The maximum length of a reference in bytes, without the braces. Longer ones do not change.
const MAX_BYTES: usize = 512;

/// A reference to an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Token<'t> {
    /// The name under which an item is installed.
    Name(&'t str),
    /// The path where the item itself is stored.
    Own,
    /// The program of a tool.
    Tool(&'t str),
    /// The path where an item is stored.
    Path(Option<ItemKind>, &'t str),
}

/// Returns the references in `text` and their positions, including the braces. Takes time linear in its
/// length.
pub(crate) fn tokens(text: &str) -> Tokens<'_> {
    Tokens { text, at: 0 }
}

/// An iterator over the references in text.
#[derive(Debug)]
pub(crate) struct Tokens<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Iterator for Tokens<'t> {
    type Item = (Range<usize>, Token<'t>);

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let rest = self.text.get(self.at..)?;
            let mut start = self.at + rest.find("{{")?;
            // Of three braces in front of a name, the last two open the reference.
            if self.text.get(start + 1..).is_some_and(|rest| rest.starts_with("{{ns:")) {
                start += 1;
            }
            self.at = start + 2;
            let inside = self.text.get(self.at..)?;
            if let Some((token, length)) = read(inside) {
                self.at += length;
                return Some((start..self.at, token));
            }
        }
    }
}

/// Parses the reference after its opening braces; returns its length in bytes including the closing braces.
fn read(text: &str) -> Option<(Token<'_>, usize)> {
    // Most braces are something else; searching for the end of each would take quadratic time.
    let trimmed = text.trim_start();
    let is_reference = ["self", "tools:", "path:"].iter().any(|word| trimmed.starts_with(word));
    if !is_reference && !text.starts_with("ns:") {
        return None;
    }
    let window = text.get(..floor_boundary(text, MAX_BYTES))?;
    let end = window.find("}}")?;
    let inside = window.get(..end)?.trim();
    let token = match inside.split_once(':') {
        None if inside == "self" => Token::Own,
        Some(("ns", name)) => Token::Name(name.trim()),
        Some(("tools", name)) => Token::Tool(name.trim()),
        Some(("path", name)) => {
            match name.split_once(':').map(|(kind, rest)| (ItemKind::find(kind.trim()), rest)) {
                Some((Some(kind), name)) => Token::Path(Some(kind), name.trim()),
                // No item has a colon in its name, so an unknown kind cannot match.
                Some((None, _)) | None => Token::Path(None, name.trim()),
            }
        }
        _ => return None,
    };
    Some((token, end + 2))
}

/// Returns the last character boundary at or before `at`.
fn floor_boundary(text: &str, at: usize) -> usize {
    if at >= text.len() {
        return text.len();
    }
    (0..=at).rev().find(|at| text.is_char_boundary(*at)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_are_found_and_other_braces_do_not_change() {
        let text = "a {{ns:b}} {{ns: b }} {{ {{self}} {{path:tool:t}}/x{{path:t}}{{tools:t}} {{ ns:b }} {{{ns:b}}} \
                    {{ tools: t }} {{other}} {{{self}}} {{path:x:t}} {{ns:{{ns:b}}}} {{ns:open {{other}} {{ns:open";
        let found: Vec<(&str, Token<'_>)> =
            tokens(text).map(|(at, token)| (text.get(at).unwrap(), token)).collect();
        let expected = [
            ("{{ns:b}}", Token::Name("b")),
            ("{{ns: b }}", Token::Name("b")),
            ("{{self}}", Token::Own),
            ("{{path:tool:t}}", Token::Path(Some(ItemKind::Tool), "t")),
            ("{{path:t}}", Token::Path(None, "t")),
            ("{{tools:t}}", Token::Tool("t")),
            ("{{ns:b}}", Token::Name("b")),
            ("{{ tools: t }}", Token::Tool("t")),
            ("{{path:x:t}}", Token::Path(None, "x:t")),
            ("{{ns:{{ns:b}}", Token::Name("{{ns:b")),
            ("{{ns:open {{other}}", Token::Name("open {{other")),
        ];
        assert_eq!(found, expected);
    }
}
