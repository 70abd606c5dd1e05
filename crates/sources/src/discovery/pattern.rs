//! Matching patterns name by name.
//!
//! `globset` cannot do this: it compares bytes, so `?` and classes match only ASCII characters, and it takes `{`
//! and `[^` for operators. It needs a budget too: a source may have 256 patterns of 1,000 bytes, with which
//! `globset` takes about a second for each name.

use std::cell::Cell;

use crate::GlobPattern;

/// A pattern, split into names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Pattern {
    pub(crate) parts: Vec<Part>,
}

/// One name of a pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// `**`
    AnyFolders,
    /// The name has these characters.
    Name(Vec<Token>),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Token {
    Char(char),
    One,
    Many,
    Set { is_negated: bool, ranges: Vec<(char, char)> },
}

impl From<&GlobPattern> for Pattern {
    fn from(pattern: &GlobPattern) -> Self {
        let mut parts = Vec::new();
        for name in pattern.names() {
            let part = if name == "**" { Part::AnyFolders } else { Part::Name(tokens(name)) };
            if !(part == Part::AnyFolders && parts.last() == Some(&Part::AnyFolders)) {
                parts.push(part);
            }
        }
        Self { parts }
    }
}

impl Pattern {
    /// Returns whether a match must be a folder, because the pattern ends with `**`.
    pub(crate) fn is_folder(&self) -> bool {
        self.parts.last() == Some(&Part::AnyFolders)
    }

    /// Returns whether the name at this distance from the end is literal.
    pub(crate) fn is_literal(&self, from_end: usize) -> bool {
        let part = self.parts.len().checked_sub(from_end + 1).and_then(|at| self.parts.get(at));
        part.is_some_and(Part::is_literal)
    }
}

impl Part {
    pub(crate) fn is_literal(&self) -> bool {
        matches!(self, Self::Name(tokens) if tokens.iter().all(|token| matches!(token, Token::Char(_))))
    }

    /// Returns whether the part explicitly begins with a dot.
    pub(crate) fn begins_with_dot(&self) -> bool {
        matches!(self, Self::Name(tokens) if tokens.first() == Some(&Token::Char('.')))
    }
}

/// Parses a name; an unclosed bracket is a literal character, although no valid pattern has one.
fn tokens(name: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let chars: Vec<char> = name.chars().collect();
    let mut at = 0;
    while let Some(c) = chars.get(at) {
        at += 1;
        tokens.push(match c {
            '*' => Token::Many,
            '?' => Token::One,
            '[' => {
                let is_negated = chars.get(at) == Some(&'!');
                let start = at + usize::from(is_negated);
                // A bracket at the very beginning is one of the characters.
                let rest = chars.get(start + 1..).unwrap_or_default();
                match rest.iter().position(|c| *c == ']') {
                    None => Token::Char('['),
                    Some(length) => {
                        at = start + length + 2;
                        let set = chars.get(start..=start + length).unwrap_or_default();
                        Token::Set { is_negated, ranges: ranges(set) }
                    }
                }
            }
            c => Token::Char(*c),
        });
    }
    tokens
}

fn ranges(mut chars: &[char]) -> Vec<(char, char)> {
    let mut ranges = Vec::new();
    loop {
        match chars {
            [from, '-', to, rest @ ..] => {
                ranges.push((*from, *to));
                chars = rest;
            }
            [c, rest @ ..] => {
                ranges.push((*c, *c));
                chars = rest;
            }
            [] => return ranges,
        }
    }
}

/// A budget of matching steps. Patterns and names are untrusted, so the product of their lengths is bounded.
#[derive(Debug)]
pub(crate) struct Effort(Cell<u64>);

impl Effort {
    pub(crate) fn new(steps: u64) -> Self {
        Self(Cell::new(steps))
    }

    pub(crate) fn is_exhausted(&self) -> bool {
        self.0.get() == 0
    }

    fn spend(&self) -> bool {
        self.0.set(self.0.get().saturating_sub(1));
        !self.is_exhausted()
    }
}

/// Returns whether a name matches; always false once the budget is spent.
pub(crate) fn matches(tokens: &[Token], name: &[char], effort: &Effort) -> bool {
    let (mut token, mut at) = (0, 0);
    // Where to continue if the last `*` takes one more character.
    let mut backtrack = None;
    loop {
        if !effort.spend() {
            return false;
        }
        match (tokens.get(token), name.get(at)) {
            (None, None) => return true,
            (Some(Token::Many), _) => {
                backtrack = Some((token, at));
                token += 1;
                continue;
            }
            (Some(expected), Some(c)) if expected.takes(*c, effort) => {
                token += 1;
                at += 1;
                continue;
            }
            _ => {}
        }
        let Some((many, until)) = backtrack.filter(|(_, until)| *until < name.len()) else { return false };
        backtrack = Some((many, until + 1));
        (token, at) = (many + 1, until + 1);
    }
}

impl Token {
    fn takes(&self, c: char, effort: &Effort) -> bool {
        match self {
            Self::Char(expected) => *expected == c,
            Self::One => true,
            Self::Many => false,
            Self::Set { is_negated, ranges } => {
                let is_in = ranges.iter().any(|(from, to)| effort.spend() && (*from..=*to).contains(&c));
                is_in != *is_negated
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use globset::GlobBuilder;
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn check(pattern: &str, name: &str, expected: bool) {
        let name: Vec<char> = name.chars().collect();
        let found = matches(&tokens(pattern), &name, &Effort::new(1_000_000));
        assert_eq!(found, expected, "`{pattern}` against {name:?}");
    }

    #[test]
    fn wildcards_match_characters() {
        check("*.md", "a.md", true);
        check("*.md", "a.MD", false);
        check("?.md", "ab.md", false);
        check("[r-s].md", "r.md", true);
        check("[r-s].md", "t.md", false);
        check("[!r-s].md", "t.md", true);
        check("[]a]", "]", true);
        check("[a-]", "-", true);
        check("{x,y}.md", "x.md", false);
        check("{x,y}.md", "{x,y}.md", true);
        check("a*b*c", "aXbXbXc", true);
        check("*é", "aé", true);
    }

    #[test]
    fn effort_is_bounded() {
        let (pattern, name) = ("*a".repeat(500) + "b", vec!['a'; 250]);
        let effort = Effort::new(100);
        assert!(!matches(&tokens(&pattern), &name, &effort));
        assert!(effort.is_exhausted());
    }

    fn matches_in_globset(pattern: &str, name: &str) -> bool {
        let glob = GlobBuilder::new(pattern).literal_separator(true).backslash_escape(false).build().unwrap();
        glob.compile_matcher().is_match(name)
    }

    /// These are the reasons why `globset` is not used.
    #[test]
    fn globset_gives_other_answers() {
        for (pattern, name, expected) in [
            ("a?", "aé", true),
            ("[é-ü]", "é", true),
            ("[!a]", "é", true),
            ("[^a]", "a", true),
            ("[^a]", "b", false),
            ("{a,b}", "{a,b}", true),
        ] {
            check(pattern, name, expected);
            assert_eq!(matches_in_globset(pattern, name), !expected, "`{pattern}` against {name:?}");
        }
    }

    fn oracle(tokens: &[Token], name: &[char]) -> bool {
        match (tokens, name) {
            ([], []) => true,
            ([Token::Many, rest @ ..], _) => (0..=name.len()).any(|skip| oracle(rest, &name[skip..])),
            ([token, rest @ ..], [c, others @ ..]) => {
                token.takes(*c, &Effort::new(100)) && oracle(rest, others)
            }
            _ => false,
        }
    }

    proptest! {
        #[test]
        fn matching_agrees_with_trying_everything(pattern in "[ab*?]{0,8}|[a*]{0,3}\\[!?[abc-]{1,3}\\][b*]{0,3}", name in "[abc]{0,8}") {
            let (tokens, name) = (tokens(&pattern), name.chars().collect::<Vec<_>>());
            prop_assert_eq!(matches(&tokens, &name, &Effort::new(1_000_000)), oracle(&tokens, &name));
        }

        /// In ASCII, and without braces and classes that begin with `^`, patterns mean what they mean elsewhere.
        #[test]
        fn matching_agrees_with_globset_in_ascii(
            pattern in prop::collection::vec("[abc*?-]|\\[!?[]abc-]?[abc]{0,2}\\]", 1..6),
            name in "[abc-]{1,8}",
        ) {
            let pattern = pattern.concat();
            prop_assume!(GlobPattern::parse(&pattern).is_ok());
            let characters: Vec<char> = name.chars().collect();
            let found = matches(&tokens(&pattern), &characters, &Effort::new(1_000_000));
            prop_assert_eq!(found, matches_in_globset(&pattern, &name));
        }
    }
}
