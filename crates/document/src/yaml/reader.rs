//! The text as the parser reads it.

use std::str::Chars;

use saphyr_parser::Input;
use saphyr_parser::input::{is_blank_or_breakz, is_breakz, is_flow};

const BOM: char = '\u{feff}';

/// A text, read from its start to its end.
///
/// It gives the parser the same characters as the input for texts that the parser brings along, and promises fewer at
/// once: the parser makes room for as many before each word of a plain text. Unlike that input it counts characters, not
/// bytes, in directives.
#[derive(Debug)]
pub(super) struct Reader<'t> {
    /// The next character; none at the end. The parser looks at it several times before it goes on.
    next: Option<char>,
    /// What follows it.
    rest: Chars<'t>,
}

impl<'t> Reader<'t> {
    /// The number of characters that the parser may ask for at once. So many more fit into the room that it gives to every
    /// plain text from the start, as long as the words before are few.
    const AHEAD: usize = 8;

    pub(super) fn new(text: &'t str) -> Self {
        let mut rest = text.chars();
        Self { next: rest.next(), rest }
    }
}

impl Input for Reader<'_> {
    #[inline]
    fn lookahead(&mut self, _count: usize) {
        // All of the text is there.
    }

    #[inline]
    fn buflen(&self) -> usize {
        Self::AHEAD
    }

    #[inline]
    fn bufmaxlen(&self) -> usize {
        Self::AHEAD
    }

    #[inline]
    fn raw_read_ch(&mut self) -> char {
        let next = self.peek();
        self.skip();
        next
    }

    #[inline]
    fn raw_read_non_breakz_ch(&mut self) -> Option<char> {
        let next = self.next.filter(|next| !is_breakz(*next) && *next != BOM)?;
        self.skip();
        Some(next)
    }

    #[inline]
    fn skip(&mut self) {
        self.next = self.rest.next();
    }

    #[inline]
    fn skip_n(&mut self, count: usize) {
        (0..count).for_each(|_| self.skip());
    }

    #[inline]
    fn peek(&self) -> char {
        self.next.unwrap_or('\0')
    }

    #[inline]
    fn peek_nth(&self, n: usize) -> char {
        let mut rest = self.rest.clone();
        let next = (0..n).fold(self.next, |_, _| rest.next());
        next.unwrap_or('\0')
    }

    #[inline]
    fn peek_opt(&self) -> Option<char> {
        self.next
    }

    // The parser has a slower way of its own to find this out.
    #[inline]
    fn next_can_be_plain_scalar(&self, in_flow: bool) -> bool {
        match self.peek() {
            ':' => {
                let behind = self.peek_nth(1);
                !(is_blank_or_breakz(behind) || in_flow && is_flow(behind))
            }
            BOM => false,
            next => !(in_flow && is_flow(next)),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use saphyr_parser::{Event, Parser, ScanError, Span};

    use super::*;

    /// Returns what the parser says of a text, up to its first error.
    fn events(mut parser: Parser<'_, impl Input>) -> (Vec<(Event<'_>, Span)>, Option<ScanError>) {
        let mut events = Vec::new();
        loop {
            match parser.next_event() {
                None => return (events, None),
                Some(Ok(event)) => events.push(event),
                Some(Err(error)) => return (events, Some(error)),
            }
        }
    }

    #[track_caller]
    fn check(text: &str) {
        assert_eq!(events(Parser::new(Reader::new(text))), events(Parser::new_from_str(text)), "{text:?}");
    }

    #[test]
    fn texts_of_every_length_are_read_whole() {
        for length in 0..200 {
            for letter in ["a", "é", "日", "🧑"] {
                let word = letter.repeat(length);
                check(&format!("{word}: {word} # {word}\nk: [{word}, {word}]\nl: |\n  {word}\n"));
            }
        }
    }

    #[test]
    fn directives_are_read_alike() {
        for directive in ["%YAML 1.2", "%TAG ! tag:example.org,2000:", "%TAG !é! é", "%other word # e"] {
            check(&format!("{directive}\n---\n!a b: !é!c d\n"));
        }
    }

    #[test]
    fn directives_are_counted_in_characters() {
        let text = "%é é\n---\na";
        let (events, _) = events(Parser::new(Reader::new(text)));
        let starts: Vec<usize> = events.iter().map(|(_, span)| span.start.index()).collect();
        assert_eq!(starts, [0, 5, 9, 10, 10]);
    }

    #[test]
    fn comments_end_where_the_parser_ends_them() {
        for end in ["", "\n", "\r", "\r\n", "\0", "\u{feff}"] {
            check(&format!("# é{end}a: b # é{end}c: d\n"));
        }
    }

    const PARTS: &[&str] = &[
        "a",
        "key",
        "é",
        "日本",
        "\u{feff}",
        "\0",
        ": ",
        ":",
        "- ",
        "-",
        "? ",
        ", ",
        ",",
        "[",
        "]",
        "{",
        "}",
        "'",
        "\"",
        "\\",
        "#",
        " # c é",
        "|",
        ">-",
        "&a ",
        "*a",
        "!t ",
        "@",
        "---",
        "...",
        " ",
        "  ",
        "\t",
        "\n",
        "\n  ",
        "\n    ",
        "\r\n",
        "\r",
        "a word that is longer than what is looked at ahead",
        "\n                                                                  ",
    ];

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(10_000))]

        /// The parser reads the same through its own input for texts.
        #[test]
        fn the_parser_is_told_the_same(parts in prop::collection::vec(prop::sample::select(PARTS), 0..16)) {
            let text = parts.concat();
            prop_assert_eq!(
                events(Parser::new(Reader::new(&text))),
                events(Parser::new_from_str(&text)),
                "{:?}", text
            );
        }
    }
}
