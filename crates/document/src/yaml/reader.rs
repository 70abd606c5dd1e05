//! The input of the parser.

use std::str::Chars;

use saphyr_parser::Input;
use saphyr_parser::input::{is_blank_or_breakz, is_flow};

const BOM: char = '\u{feff}';

/// A source, read from start to end.
///
/// It yields the same characters as the parser's own input for strings, but promises fewer characters of lookahead:
/// the parser reserves as much memory for each word of a plain scalar. Unlike that input it counts characters, not
/// bytes, in directives.
#[derive(Debug)]
pub(super) struct Reader<'t> {
    /// The next character; NUL at the end, as the parser requires. The parser examines it several times before it
    /// advances.
    next: char,
    /// The classes of that character.
    class: Class,
    /// The rest of the source.
    rest: Chars<'t>,
}

/// The classes of a character, determined once for all questions of the parser about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Class(u8);

impl Class {
    const BLANK: Self = Self(1);
    const BREAK: Self = Self(2);
    const NUL: Self = Self(4);
    const FLOW: Self = Self(8);
    const COLON: Self = Self(16);
    const BOM: Self = Self(32);
    /// The end of the source.
    const END: Self = Self(64);

    const fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Returns whether the character is in one of the classes `kinds`.
    #[inline]
    fn is(self, kinds: Self) -> bool {
        self.0 & kinds.0 != 0
    }

    #[inline]
    fn of(character: char) -> Self {
        match ASCII.get(character as usize) {
            Some(class) => *class,
            None if character == BOM => Self::BOM,
            None => Self(0),
        }
    }
}

static ASCII: [Class; 128] = ascii();

#[expect(clippy::indexing_slicing, reason = "the compiler evaluates this, and finds a wrong index")]
const fn ascii() -> [Class; 128] {
    let mut table = [Class(0); 128];
    let kinds: [(&[u8], Class); 5] = [
        (b" \t", Class::BLANK),
        (b"\n\r", Class::BREAK),
        (b"\0", Class::NUL),
        (b",[]{}", Class::FLOW),
        (b":", Class::COLON),
    ];
    let mut kind = 0;
    while kind < kinds.len() {
        let (mut bytes, class) = kinds[kind];
        while let [byte, rest @ ..] = bytes {
            table[*byte as usize] = class;
            bytes = rest;
        }
        kind += 1;
    }
    table
}

impl<'t> Reader<'t> {
    /// The number of characters that the parser may look ahead. That many more fit into the memory that it reserves
    /// for every plain scalar from the start, as long as there are few words in front of them.
    const AHEAD: usize = 8;

    pub(super) fn new(text: &'t str) -> Self {
        let mut reader = Self { next: '\0', class: Class::NUL.or(Class::END), rest: text.chars() };
        reader.skip();
        reader
    }
}

impl Input for Reader<'_> {
    #[inline]
    fn lookahead(&mut self, _count: usize) {
        // The complete source is available.
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
        let next = self.next;
        if self.class.is(Class::BREAK.or(Class::NUL).or(Class::BOM)) {
            return None;
        }
        self.skip();
        Some(next)
    }

    #[inline]
    fn skip(&mut self) {
        (self.next, self.class) = match self.rest.next() {
            Some(next) => (next, Class::of(next)),
            None => ('\0', Class::NUL.or(Class::END)),
        };
    }

    #[inline]
    fn skip_n(&mut self, count: usize) {
        (0..count).for_each(|_| self.skip());
    }

    #[inline]
    fn peek(&self) -> char {
        self.next
    }

    #[inline]
    fn peek_nth(&self, n: usize) -> char {
        match n.checked_sub(1) {
            None => self.next,
            Some(between) => self.rest.clone().nth(between).unwrap_or('\0'),
        }
    }

    #[inline]
    fn peek_opt(&self) -> Option<char> {
        if self.class.is(Class::END) { None } else { Some(self.next) }
    }

    // The parser's default implementation of this is slower.
    #[inline]
    fn next_can_be_plain_scalar(&self, in_flow: bool) -> bool {
        if !self.class.is(Class::COLON.or(Class::FLOW).or(Class::BOM)) {
            return true;
        }
        if self.class.is(Class::COLON) {
            let behind = self.peek_nth(1);
            return !(is_blank_or_breakz(behind) || in_flow && is_flow(behind));
        }
        self.class.is(Class::FLOW) && !in_flow
    }

    #[inline]
    fn next_is_blank_or_break(&self) -> bool {
        self.class.is(Class::BLANK.or(Class::BREAK))
    }

    #[inline]
    fn next_is_blank_or_breakz(&self) -> bool {
        self.class.is(Class::BLANK.or(Class::BREAK).or(Class::NUL))
    }

    #[inline]
    fn next_is_blank(&self) -> bool {
        self.class.is(Class::BLANK)
    }

    #[inline]
    fn next_is_break(&self) -> bool {
        self.class.is(Class::BREAK)
    }

    #[inline]
    fn next_is_breakz(&self) -> bool {
        self.class.is(Class::BREAK.or(Class::NUL))
    }

    #[inline]
    fn next_is_z(&self) -> bool {
        self.class.is(Class::NUL)
    }

    #[inline]
    fn next_is_flow(&self) -> bool {
        self.class.is(Class::FLOW)
    }

    /// Comments are skipped by this function.
    fn skip_while_non_breakz(&mut self) -> usize {
        let ends = Class::BREAK.or(Class::NUL).or(Class::BOM);
        if self.class.is(ends) {
            return 0;
        }
        let rest = self.rest.as_str();
        // Comparing bytes is faster than comparing characters. A byte order mark begins with `EF`, and so do other
        // characters.
        let may_end = |byte: u8| matches!(byte, b'\n' | b'\r' | b'\0' | 0xef);
        let length = match rest.bytes().position(may_end) {
            Some(at) if rest.as_bytes().get(at) != Some(&0xef) => at,
            Some(_) => rest.find(|next| Class::of(next).is(ends)).unwrap_or(rest.len()),
            None => rest.len(),
        };
        let (skipped, rest) = rest.split_at_checked(length).unwrap_or((rest, ""));
        self.rest = rest.chars();
        self.skip();
        1 + if skipped.is_ascii() { skipped.len() } else { skipped.chars().count() }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use saphyr_parser::{Event, Parser, ScanError, Span};

    use super::*;

    /// Returns the events of the parser, up to its first error.
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
    fn sources_of_every_length_are_read_completely() {
        for length in 0..200 {
            for letter in ["a", "é", "日", "🧑"] {
                let word = letter.repeat(length);
                check(&format!("{word}: {word} # {word}\nk: [{word}, {word}]\nl: |\n  {word}\n"));
            }
        }
    }

    #[test]
    fn directives_are_read_as_by_the_default_input() {
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
        " # ｃ é",
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

        /// The parser reads the same as through its own input for strings.
        #[test]
        fn the_parser_reads_the_same(parts in prop::collection::vec(prop::sample::select(PARTS), 0..16)) {
            let text = parts.concat();
            prop_assert_eq!(
                events(Parser::new(Reader::new(&text))),
                events(Parser::new_from_str(&text)),
                "{:?}", text
            );
        }
    }
}
