//! Identities of sources.

use std::fmt;

use minds_vfs::portable;
use schemars::JsonSchema;
use serde::Serialize;

use super::SpecError;

/// The identity of a source, which is also the path of its clone below the folder of clones: a host and at
/// least two names, such as `github.com/owner/name`, or `local/parent/name`.
///
/// No name is hidden, begins with a hyphen, or has a character with a meaning in references to items; and
/// only the last name may end in `.git`, so that no clone is inside another.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema)]
#[serde(transparent)]
pub struct Identity(String);

/// The suffix of the folder of a clone.
const CLONE: &str = ".git";

impl Identity {
    /// The maximum length of an identity in bytes.
    pub const MAX_BYTES: usize = 512;

    /// Parses an identity as it is stored: at least three names with `/` between them.
    ///
    /// # Errors
    ///
    /// Returns the first reason why the string is not valid.
    pub fn parse(identity: &str) -> Result<Self, SpecError> {
        if identity.len() > Self::MAX_BYTES {
            return Err(SpecError::TooLong);
        }
        let names: Vec<&str> = identity.split('/').collect();
        for name in &names {
            check(name)?;
        }
        let [holding @ .., _] = names.as_slice() else { return Err(SpecError::TooShort) };
        if holding.len() < 2 {
            return Err(SpecError::TooShort);
        }
        if let Some(name) = holding.iter().find(|name| is_clone(name)) {
            return Err(SpecError::Reserved((*name).to_owned()));
        }
        Ok(Self(identity.to_owned()))
    }

    /// Returns the identity as a string.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns its names: the host, or `local`, then those of the owner and the repository.
    pub fn names(&self) -> impl DoubleEndedIterator<Item = &str> {
        self.0.split('/')
    }
}

/// Returns whether a name has the suffix of the folder of a clone, on any system.
pub(super) fn is_clone(name: &str) -> bool {
    portable::fold(name).strip_suffix(CLONE).is_some()
}

/// Returns whether a character has a meaning in references to sources and items.
pub(super) fn is_special(c: char) -> bool {
    matches!(c, '@' | '#' | '[' | ']' | '{' | '}')
}

fn check(name: &str) -> Result<(), SpecError> {
    portable::check(name).map_err(|problem| SpecError::Name { name: name.to_owned(), problem })?;
    if name.starts_with('-') {
        return Err(SpecError::Option);
    }
    if name.starts_with('.') {
        return Err(SpecError::Reserved(name.to_owned()));
    }
    let special = name.chars().find(|c| is_special(*c));
    match special.or_else(|| name.chars().next().filter(|first| first.is_whitespace())) {
        Some(character) => Err(SpecError::Character { name: name.to_owned(), character }),
        None => Ok(()),
    }
}

impl fmt::Display for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
