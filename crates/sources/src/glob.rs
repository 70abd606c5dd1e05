//! Patterns for paths in a source.

use std::fmt;

/// A pattern for paths below the root of a source, as in `[discover]`. `*` and `?` match within one name,
/// `**` must be a whole name and matches any number of folders, `[a-z]` and `[!a-z]` match one character.
/// Braces and backslashes have no special meaning, and patterns are case-sensitive.
///
/// It is stored without a leading `./` and a trailing `/`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GlobPattern(String);

/// Why a string is not a valid pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum GlobError {
    /// The string is empty.
    #[error("it is empty")]
    Empty,
    /// It is an absolute path.
    #[error("it begins with `/`, but patterns are relative to the source")]
    Absolute,
    /// It has a `..` that leaves the source.
    #[error("`..` escapes the source")]
    Parent,
    /// A name is empty or `.`.
    #[error("it has an empty name or `.` between slashes")]
    EmptyName,
    /// `**` is only a part of a name.
    #[error("`**` must be a whole name")]
    DoubleStar,
    /// A `[` is not closed, or the brackets are empty.
    #[error("a `[` is not closed")]
    Class,
    /// A range ends before it starts.
    #[error("a range in brackets ends before it starts")]
    Range,
    /// A backslash.
    #[error("it has a backslash; use `/` between names")]
    Backslash,
    /// It has a control character, or one that changes the direction of text.
    #[error("it has an invisible character")]
    Hidden,
    /// It is too long, or has too many names.
    #[error("it has more than {MAX_BYTES} bytes or {MAX_NAMES} names")]
    TooLong,
}

const MAX_BYTES: usize = 1_024;
const MAX_NAMES: usize = 64;

impl GlobPattern {
    /// Parses a pattern of at most 1,024 bytes and 64 names.
    ///
    /// # Errors
    ///
    /// Returns the first reason why the string is not a valid pattern.
    pub fn parse(pattern: &str) -> Result<Self, GlobError> {
        if pattern.is_empty() {
            return Err(GlobError::Empty);
        }
        if pattern.len() > MAX_BYTES {
            return Err(GlobError::TooLong);
        }
        if pattern.contains('\\') {
            return Err(GlobError::Backslash);
        }
        let is_hidden = |c: char| c.is_control() || minds_vfs::portable::is_directional(c);
        if pattern.contains(is_hidden) {
            return Err(GlobError::Hidden);
        }
        if pattern.starts_with('/') {
            return Err(GlobError::Absolute);
        }
        let pattern = pattern.strip_prefix("./").unwrap_or(pattern);
        let pattern = pattern.strip_suffix('/').unwrap_or(pattern);
        if pattern.split('/').count() > MAX_NAMES {
            return Err(GlobError::TooLong);
        }
        for name in pattern.split('/') {
            match name {
                "" | "." => return Err(GlobError::EmptyName),
                ".." => return Err(GlobError::Parent),
                "**" => {}
                name => check_name(name)?,
            }
        }
        Ok(Self(pattern.to_owned()))
    }

    /// Returns the pattern as a string.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the names of the pattern, from the root downwards.
    pub fn names(&self) -> impl DoubleEndedIterator<Item = &str> {
        self.0.split('/')
    }
}

/// Checks one name of a pattern that is not `**`.
fn check_name(name: &str) -> Result<(), GlobError> {
    let mut rest = name;
    while let Some(c) = rest.chars().next() {
        if rest.starts_with("**") {
            return Err(GlobError::DoubleStar);
        }
        if c != '[' {
            rest = rest.get(c.len_utf8()..).unwrap_or_default();
            continue;
        }
        let inside = rest.get(1..).unwrap_or_default();
        let inside = inside.strip_prefix('!').unwrap_or(inside);
        // A bracket at the very beginning is one of the characters.
        let first = inside.chars().next().map_or(0, char::len_utf8);
        let end = inside.get(first..).and_then(|rest| rest.find(']')).ok_or(GlobError::Class)?;
        check_ranges(inside.get(..first + end).unwrap_or_default())?;
        rest = inside.get(first + end + 1..).unwrap_or_default();
    }
    Ok(())
}

fn check_ranges(class: &str) -> Result<(), GlobError> {
    let mut characters = class.chars();
    while let Some(from) = characters.next() {
        let mut ahead = characters.clone();
        if ahead.next() == Some('-')
            && let Some(to) = ahead.next()
        {
            if to < from {
                return Err(GlobError::Range);
            }
            characters = ahead;
        }
    }
    Ok(())
}

impl fmt::Display for GlobPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(pattern: &str, expected: Result<&str, GlobError>) {
        let parsed = GlobPattern::parse(pattern);
        assert_eq!(parsed.as_ref().map(GlobPattern::as_str), expected.as_ref().copied(), "{pattern:?}");
    }

    #[test]
    fn patterns_that_are_invalid_or_escape_the_source_are_rejected() {
        for pattern in
            ["packages/*/skill", "agents/**/*.md", "**", "a?", "[a-z]x", "[!a]", "[]a]", "{x,y}", "a]"]
        {
            check(pattern, Ok(pattern));
        }
        check("packages/*/tool/", Ok("packages/*/tool"));
        check("./agents/*.md", Ok("agents/*.md"));
        check("[é-ü]", Ok("[é-ü]"));
        check("[a-]", Ok("[a-]"));
        check("", Err(GlobError::Empty));
        check("/etc/*", Err(GlobError::Absolute));
        check("../outside/*.md", Err(GlobError::Parent));
        check("a/../../b", Err(GlobError::Parent));
        check("a//b", Err(GlobError::EmptyName));
        check("a/./b", Err(GlobError::EmptyName));
        check("./", Err(GlobError::EmptyName));
        check("***", Err(GlobError::DoubleStar));
        check("a**", Err(GlobError::DoubleStar));
        check("**b/c", Err(GlobError::DoubleStar));
        check("agents/[.md", Err(GlobError::Class));
        check("[]", Err(GlobError::Class));
        check("[!]", Err(GlobError::Class));
        check("[a/b]", Err(GlobError::Class));
        check("[z-a]", Err(GlobError::Range));
        check("a\\b", Err(GlobError::Backslash));
        check("a\u{202e}", Err(GlobError::Hidden));
        check(&"a/".repeat(65), Err(GlobError::TooLong));
        check(&"a".repeat(1_025), Err(GlobError::TooLong));
    }
}
