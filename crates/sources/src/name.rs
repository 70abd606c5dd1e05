//! Names of items, which become names of files.

use std::fmt;

use minds_paths::portable::{self, NameProblem};

/// The name that an item has in its source, or under which it is installed: one portable file name.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ItemName(String);

/// What the names of all items of a source begin with, before a `-`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Prefix(String);

/// Why a text cannot name an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NameError {
    /// It could not be the name of a file on every system.
    #[error(transparent)]
    Unportable(#[from] NameProblem),
    /// It begins with a dot, so it would be hidden.
    #[error("it begins with a dot")]
    Hidden,
    /// It begins with a hyphen, so a program would take it for an option.
    #[error("it begins with a hyphen")]
    Option,
    /// It has a `#`, which separates a source from an item, or a sign of a pattern.
    #[error("`{0}` has a meaning in references to items")]
    Reference(char),
    /// It begins or ends with a blank.
    #[error("it begins with a blank")]
    Blank,
}

/// How many bytes a name has at most, so that there is room for a prefix and an ending.
const MAX_BYTES: usize = 100;

fn check(name: &str) -> Result<(), NameError> {
    portable::check(name)?;
    if name.len() > MAX_BYTES {
        return Err(NameProblem::TooLong.into());
    }
    if name.starts_with('.') {
        return Err(NameError::Hidden);
    }
    if name.starts_with('-') {
        return Err(NameError::Option);
    }
    if name.starts_with(char::is_whitespace) {
        return Err(NameError::Blank);
    }
    match name.chars().find(|c| matches!(c, '#' | '[' | ']' | '{' | '}')) {
        Some(c) => Err(NameError::Reference(c)),
        None => Ok(()),
    }
}

impl ItemName {
    /// Reads a name: one portable file name of at most 100 bytes that is not hidden, no option, and has no sign with a
    /// meaning in references to items.
    ///
    /// # Errors
    ///
    /// Returns the first reason why it is none.
    pub fn parse(name: &str) -> Result<Self, NameError> {
        check(name)?;
        Ok(Self(name.to_owned()))
    }

    /// Returns the name.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the name under which the item is installed: `<prefix>-<name>`, or the name itself.
    ///
    /// # Errors
    ///
    /// Fails if both together are too long.
    pub fn with_prefix(&self, prefix: Option<&Prefix>) -> Result<Self, NameError> {
        match prefix {
            None => Ok(self.clone()),
            Some(prefix) => Self::parse(&format!("{}-{}", prefix.0, self.0)),
        }
    }
}

impl Prefix {
    /// Reads a prefix, which follows the rules of names. An empty text is no prefix.
    ///
    /// # Errors
    ///
    /// Returns the first reason why it is none.
    pub fn parse(prefix: &str) -> Result<Option<Self>, NameError> {
        if prefix.is_empty() {
            return Ok(None);
        }
        check(prefix)?;
        Ok(Some(Self(prefix.to_owned())))
    }

    /// Returns the prefix, without the hyphen.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ItemName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Display for Prefix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_one_plain_file_name() {
        let long = "x".repeat(101);
        let cases = [
            ("review", true),
            ("My skill.v2", true),
            ("", false),
            ("..", false),
            ("../x", false),
            ("/home/u/precious", false),
            ("./victim", false),
            ("a\\b", false),
            ("a:b", false),
            ("a#b", false),
            ("a*", false),
            (".hidden", false),
            ("-rf", false),
            (" x", false),
            ("x ", false),
            ("a\u{202e}b", false),
            ("a\u{1b}[2Jb", false),
            ("con", false),
            (long.as_str(), false),
        ];
        for (name, expected) in cases {
            assert_eq!(ItemName::parse(name).is_ok(), expected, "{name:?}");
        }
    }

    #[test]
    fn a_prefix_stands_before_the_name() {
        let name = ItemName::parse("x").unwrap();
        let prefix = Prefix::parse("jk").unwrap();
        assert_eq!(name.with_prefix(prefix.as_ref()).unwrap().as_str(), "jk-x");
        assert_eq!(name.with_prefix(None).unwrap(), name);
        assert_eq!(Prefix::parse("").unwrap(), None);
        assert!(Prefix::parse("../../../esc/p").is_err());
    }
}
