//! Patterns for the places of items.

use std::cell::Cell;

/// A pattern for paths below the root of a source.
///
/// `*` and `?` stand for characters of one name, `[a-z]` and `[!a-z]` for one of a set, `**` alone between slashes for any
/// number of folders. There are no alternatives in braces. Letter case counts. Slashes at the end ask for a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Pattern {
    pub(crate) parts: Vec<Part>,
    pub(crate) is_folder: bool,
}

/// What one name must be.
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

/// Why a text is no pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum PatternError {
    #[error("it is empty")]
    Empty,
    #[error("it begins with `/`, and patterns start at the root of the source")]
    Absolute,
    #[error("`..` leads out of the source")]
    Parent,
    #[error("`\\` is no separator; write `/`")]
    Backslash,
    #[error("`**` must stand alone between slashes")]
    Stars,
    #[error("a `[` is not closed")]
    OpenSet,
    #[error("it is longer than {MOST_BYTES} bytes")]
    TooLong,
}

const MOST_BYTES: usize = 1_024;

impl Pattern {
    pub(crate) fn parse(text: &str) -> Result<Self, PatternError> {
        if text.len() > MOST_BYTES {
            return Err(PatternError::TooLong);
        }
        if text.starts_with('/') {
            return Err(PatternError::Absolute);
        }
        let mut parts = Vec::new();
        for name in text.split('/').filter(|name| !matches!(*name, "" | ".")) {
            let part = match name {
                ".." => return Err(PatternError::Parent),
                "**" => Part::AnyFolders,
                _ if name.contains("**") => return Err(PatternError::Stars),
                _ => Part::Name(tokens(name)?),
            };
            if !(part == Part::AnyFolders && parts.last() == Some(&Part::AnyFolders)) {
                parts.push(part);
            }
        }
        if parts.is_empty() {
            return Err(PatternError::Empty);
        }
        // What any number of folders end with is a folder.
        let is_folder = text.ends_with('/') || parts.last() == Some(&Part::AnyFolders);
        Ok(Self { parts, is_folder })
    }

    /// Returns whether the name at this distance from the end is written out in the pattern.
    pub(crate) fn is_literal(&self, from_end: usize) -> bool {
        let part = self.parts.len().checked_sub(from_end + 1).and_then(|at| self.parts.get(at));
        part.is_some_and(Part::is_literal)
    }
}

impl Part {
    pub(crate) fn is_literal(&self) -> bool {
        matches!(self, Self::Name(tokens) if tokens.iter().all(|token| matches!(token, Token::Char(_))))
    }

    /// Returns whether the part says of a name that begins with a dot that it does.
    pub(crate) fn begins_with_dot(&self) -> bool {
        matches!(self, Self::Name(tokens) if tokens.first() == Some(&Token::Char('.')))
    }
}

fn tokens(name: &str) -> Result<Vec<Token>, PatternError> {
    let mut tokens = Vec::new();
    let chars: Vec<char> = name.chars().collect();
    let mut at = 0;
    while let Some(c) = chars.get(at) {
        at += 1;
        tokens.push(match c {
            '*' => Token::Many,
            '?' => Token::One,
            '\\' => return Err(PatternError::Backslash),
            '[' => {
                let is_negated = chars.get(at) == Some(&'!');
                let start = at + usize::from(is_negated);
                // A bracket right at the start is one of the characters.
                let rest = chars.get(start + 1..).unwrap_or_default();
                let length = rest.iter().position(|c| *c == ']').ok_or(PatternError::OpenSet)? + 1;
                at = start + length + 1;
                Token::Set {
                    is_negated,
                    ranges: ranges(chars.get(start..start + length).unwrap_or_default()),
                }
            }
            c => Token::Char(*c),
        });
    }
    Ok(tokens)
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

/// How many steps matching may still take. Patterns and names come from a stranger, so their product is bounded.
#[derive(Debug)]
pub(crate) struct Effort(Cell<u64>);

impl Effort {
    pub(crate) fn new(steps: u64) -> Self {
        Self(Cell::new(steps))
    }

    pub(crate) fn is_spent(&self) -> bool {
        self.0.get() == 0
    }

    fn spend(&self) -> bool {
        self.0.set(self.0.get().saturating_sub(1));
        !self.is_spent()
    }
}

/// Returns whether a name has the characters; never once the effort is spent.
pub(crate) fn matches(tokens: &[Token], name: &[char], effort: &Effort) -> bool {
    let (mut token, mut at) = (0, 0);
    // Where to go on if the last `*` takes one more.
    let mut again = None;
    loop {
        if !effort.spend() {
            return false;
        }
        match (tokens.get(token), name.get(at)) {
            (None, None) => return true,
            (Some(Token::Many), _) => {
                again = Some((token, at));
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
        let Some((star, taken)) = again.filter(|(_, taken)| *taken < name.len()) else { return false };
        again = Some((star, taken + 1));
        (token, at) = (star + 1, taken + 1);
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
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn some_texts_are_no_patterns() {
        for (text, error) in [
            ("", PatternError::Empty),
            ("./", PatternError::Empty),
            ("/agents/*.md", PatternError::Absolute),
            ("../outside/*.md", PatternError::Parent),
            ("a/../b", PatternError::Parent),
            ("agents/[.md", PatternError::OpenSet),
            ("[]", PatternError::OpenSet),
            ("[!]", PatternError::OpenSet),
            ("a**", PatternError::Stars),
            ("**a/b", PatternError::Stars),
            ("***", PatternError::Stars),
            ("a\\b", PatternError::Backslash),
        ] {
            assert_eq!(Pattern::parse(text), Err(error), "{text:?}");
        }
        assert_eq!(Pattern::parse(&"x".repeat(1_025)), Err(PatternError::TooLong));
        assert!(Pattern::parse("a//./b/").is_ok_and(|pattern| pattern.parts.len() == 2 && pattern.is_folder));
    }

    #[track_caller]
    fn check(pattern: &str, name: &str, expected: bool) {
        let name: Vec<char> = name.chars().collect();
        let found = matches(&tokens(pattern).unwrap(), &name, &Effort::new(1_000_000));
        assert_eq!(found, expected, "`{pattern}` against {name:?}");
    }

    #[test]
    fn signs_stand_for_characters() {
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
        let effort = Effort::new(10_000);
        assert!(!matches(&tokens(&pattern).unwrap(), &name, &effort));
        assert!(effort.is_spent());
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
            let (tokens, name) = (tokens(&pattern).unwrap(), name.chars().collect::<Vec<_>>());
            prop_assert_eq!(matches(&tokens, &name, &Effort::new(1_000_000)), oracle(&tokens, &name));
        }
    }
}
