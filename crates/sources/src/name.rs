//! Names of items, which become file names.

use std::fmt;

use minds_vfs::portable::{self, NameProblem};

/// The name of an item in its source, or under which it is installed: one portable file name.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ItemName(String);

/// The prefix of the names of all items of a source, without the `-` after it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Prefix(String);

/// Why a string is not a valid item name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NameError {
    /// It is not a valid file name on every system.
    #[error(transparent)]
    Unportable(#[from] NameProblem),
    /// It begins with a dot and would be hidden.
    #[error("it begins with a dot")]
    Hidden,
    /// It begins with a hyphen, so a program could mistake it for an option.
    #[error("it begins with a hyphen")]
    Option,
    /// It has a `#`, which separates a source from an item, or a character with a meaning in patterns.
    #[error("`{0}` has a special meaning in references to items")]
    Reference(char),
    /// It begins with white space.
    #[error("it begins with white space")]
    Blank,
}

/// The maximum length of a name in bytes, which leaves space for a prefix and an extension.
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
    /// Parses a name: one portable file name of at most 100 bytes that is not hidden, does not begin with a
    /// hyphen, and has no character with a meaning in references to items.
    ///
    /// # Errors
    ///
    /// Returns the first rule that the string violates.
    pub fn parse(name: &str) -> Result<Self, NameError> {
        check(name)?;
        Ok(Self(name.to_owned()))
    }

    /// Returns the name as a string.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the name under which the item is installed: `<prefix>-<name>`, or the name itself.
    ///
    /// # Errors
    ///
    /// Fails if the result is too long.
    pub fn with_prefix(&self, prefix: Option<&Prefix>) -> Result<Self, NameError> {
        match prefix {
            None => Ok(self.clone()),
            Some(prefix) => Self::parse(&format!("{}-{}", prefix.0, self.0)),
        }
    }
}

impl Prefix {
    /// Parses a prefix, which follows the rules of names. An empty string means no prefix.
    ///
    /// # Errors
    ///
    /// Returns the first rule that the string violates.
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
    fn a_prefix_precedes_the_name() {
        let name = ItemName::parse("x").unwrap();
        let prefix = Prefix::parse("jk").unwrap();
        assert_eq!(name.with_prefix(prefix.as_ref()).unwrap().as_str(), "jk-x");
        assert_eq!(name.with_prefix(None).unwrap(), name);
        assert_eq!(Prefix::parse("").unwrap(), None);
        assert!(Prefix::parse("../../../esc/p").is_err());
    }
}
