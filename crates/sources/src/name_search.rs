//! Finding names of items in text.

use std::ops::Range;

use crate::Item;
use crate::dependencies::Siblings;
use crate::tokens::tokens;

/// Returns where names of other items of a source occur in the text of an item, from `from` on: whole words
/// outside of braces. Takes time linear in the text.
pub(crate) fn find_item_names<'t>(
    text: &'t str,
    from: usize,
    item: &Item,
    siblings: &Siblings<'_>,
) -> impl Iterator<Item = (Range<usize>, &'t str)> {
    let mut braces = tokens(text).map(|(at, _)| at).peekable();
    split_words(text, from).filter(move |(place, word)| {
        while braces.next_if(|at| at.end <= place.start).is_some() {}
        let is_in_braces = braces.peek().is_some_and(|at| at.start <= place.start);
        !is_in_braces && *word != item.name.as_str() && !siblings.with_name(word).is_empty()
    })
}

/// Returns whether a word is a part of a path or of a dotted name.
pub(crate) fn is_in_path(text: &str, place: &Range<usize>) -> bool {
    let before = text.get(..place.start).and_then(|text| text.chars().next_back());
    let mut after = text.get(place.end..).unwrap_or_default().chars();
    let is_separator = |c: Option<char>| matches!(c, Some('/' | '\\' | '.' | ':' | '@' | '#'));
    match after.next() {
        // A period at the end of a sentence is not a part of a name.
        Some('.' | ':') => is_separator(before) || after.next().is_some_and(char::is_alphanumeric),
        next => is_separator(before) || is_separator(next),
    }
}

/// Returns the words of `text` from `from` on: sequences of letters, digits, `_` and `-`.
fn split_words(text: &str, from: usize) -> impl Iterator<Item = (Range<usize>, &str)> {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
    let mut at = from;
    text.get(from..).unwrap_or_default().split_inclusive(move |c| !is_part(c)).filter_map(move |piece| {
        let start = at;
        at += piece.len();
        let word = piece.trim_end_matches(|c| !is_part(c));
        (!word.is_empty()).then(|| (start..start + word.len(), word))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Text, the offset to start from, and its words with their offsets.
    type Case<'c> = (&'c str, usize, &'c [(usize, &'c str)]);

    #[test]
    fn a_word_ends_at_a_character_that_names_do_not_have() {
        let cases: [Case<'_>; 9] = [
            ("", 0, &[]),
            (" .,;", 0, &[]),
            ("style", 0, &[(0, "style")]),
            ("a, b_c-d.e", 0, &[(0, "a"), (3, "b_c-d"), (9, "e")]),
            ("x{{ns:a}}", 0, &[(0, "x"), (3, "ns"), (6, "a")]),
            ("é style ä1", 0, &[(0, "é"), (3, "style"), (9, "ä1")]),
            ("one\ntwo\r\n`three`", 0, &[(0, "one"), (4, "two"), (10, "three")]),
            ("head body", 5, &[(5, "body")]),
            ("é", 1, &[]),
        ];
        for (text, from, expected) in cases {
            let found: Vec<(usize, &str)> =
                split_words(text, from).map(|(at, word)| (at.start, word)).collect();
            assert_eq!(found, expected, "{text:?} from {from}");
            assert!(split_words(text, from).all(|(at, word)| text.get(at) == Some(word)), "{text:?}");
        }
    }

    #[test]
    fn a_slash_continues_a_path_and_a_period_ends_a_sentence() {
        let cases = [
            ("style", false),
            ("a style.", false),
            ("style: x", false),
            ("`style`", false),
            ("(style)", false),
            ("style/x", true),
            ("x/style", true),
            ("style.md", true),
            (".style", true),
            ("style:x", true),
            ("@style", true),
            ("#style", true),
            ("x\\style", true),
        ];
        for (text, expected) in cases {
            let start = text.find("style").unwrap();
            assert_eq!(is_in_path(text, &(start..start + 5)), expected, "{text}");
        }
    }
}
