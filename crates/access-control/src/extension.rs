//! File extensions.

use std::borrow::Cow;
use std::fmt;

use minds_paths::WorkspacePath;
use minds_paths::portable::{fold, is_control, is_directional};

/// An entry of an extension list: an extension without leading dots, its letters folded.
#[derive(Clone, Debug)]
pub struct Extension {
    written: Box<str>,
    meant: Box<str>,
}

/// An entry of an extension list that could not be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ExtensionError {
    /// Nothing is left behind the dots.
    #[error("it is blank")]
    Blank,
    /// It holds `/` or `\`, so it names a place and no extension.
    #[error("it holds `/` or `\\`")]
    Separator,
    /// It holds a character that cannot be seen.
    #[error("it has a control character or one that changes the direction of text")]
    HiddenCharacter,
}

impl Extension {
    /// Reads an entry: leading dots are dropped, letters are folded, which makes them small.
    ///
    /// # Errors
    ///
    /// Returns why no file name could have the extension.
    pub fn parse(entry: &str) -> Result<Self, ExtensionError> {
        if entry.chars().any(|c| is_control(c) || is_directional(c)) {
            return Err(ExtensionError::HiddenCharacter);
        }
        if entry.contains(['/', '\\']) {
            return Err(ExtensionError::Separator);
        }
        let extension = entry.trim_start_matches('.');
        if extension.trim().is_empty() {
            return Err(ExtensionError::Blank);
        }
        Ok(Self { written: entry.into(), meant: fold(extension).into() })
    }

    /// Returns the extension.
    pub fn as_str(&self) -> &str {
        &self.meant
    }

    /// Returns the entry as it was written.
    pub fn written(&self) -> &str {
        &self.written
    }

    /// Returns whether a file name can well have the extension: it has no dot inside, no white space at its ends, and it
    /// is not meant as a wildcard.
    pub fn can_match(&self) -> bool {
        !self.meant.contains(['.', '*']) && self.meant.trim() == &*self.meant
    }
}

/// Returns the extension of the file at `path`, its letters folded: what stands behind the last dot of its name. None if
/// there is nothing behind the dot, or nothing before it.
pub(crate) fn of(path: &WorkspacePath) -> Option<Cow<'_, str>> {
    of_name(path.file_name()?)
}

/// Returns the extension of a file with this name, its letters folded.
pub(crate) fn of_name(name: &str) -> Option<Cow<'_, str>> {
    let (stem, extension) = name.rsplit_once('.')?;
    if stem.is_empty() || extension.is_empty() {
        return None;
    }
    let is_folded = extension.bytes().all(|byte| byte.is_ascii() && !byte.is_ascii_uppercase());
    Some(if is_folded { Cow::Borrowed(extension) } else { Cow::Owned(fold(extension)) })
}

/// Extensions mean the same however they are written.
impl PartialEq for Extension {
    fn eq(&self, other: &Self) -> bool {
        self.meant == other.meant
    }
}

impl Eq for Extension {}

impl fmt::Display for Extension {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.meant)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dots_and_letter_case_do_not_matter() {
        for entry in ["ts", ".ts", "..TS", "Ts"] {
            assert_eq!(Extension::parse(entry).unwrap().as_str(), "ts", "{entry:?}");
        }
    }

    #[test]
    fn what_is_no_extension_is_refused() {
        assert_eq!(Extension::parse(""), Err(ExtensionError::Blank));
        assert_eq!(Extension::parse(".. "), Err(ExtensionError::Blank));
        assert_eq!(Extension::parse("a/b"), Err(ExtensionError::Separator));
        assert_eq!(Extension::parse("t\ts"), Err(ExtensionError::HiddenCharacter));
    }

    #[test]
    fn the_extension_of_a_file_is_what_stands_behind_its_last_dot() {
        let of = |path| of(&WorkspacePath::parse(path).unwrap()).map(Cow::into_owned);
        assert_eq!(of("a.d/archive.tar.GZ").as_deref(), Some("gz"));
        assert_eq!(of("v1.2").as_deref(), Some("2"));
        assert_eq!(of("..foo").as_deref(), Some("foo"));
        assert_eq!(of("x.\u{212a}").as_deref(), Some("k"));
        for path in ["Makefile", ".env", "a.", "a.d/x"] {
            assert_eq!(of(path), None, "{path}");
        }
    }

    #[test]
    fn a_dot_or_star_inside_never_matches() {
        assert!(Extension::parse("gz").unwrap().can_match());
        assert!(!Extension::parse("tar.gz").unwrap().can_match());
        assert!(!Extension::parse("*.md").unwrap().can_match());
        assert!(!Extension::parse("pem ").unwrap().can_match());
    }
}
