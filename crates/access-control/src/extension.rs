//! File extensions.

use std::borrow::Cow;
use std::fmt;

use minds_vfs::WorkspacePath;
use minds_vfs::portable::{fold, is_control, is_directional};

/// An entry of an extension list: an extension without leading dots, case-folded.
#[derive(Clone, Debug)]
pub struct Extension {
    written: Box<str>,
    normalized: Box<str>,
}

/// An entry of an extension list that could not be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ExtensionError {
    /// Nothing follows the dots.
    #[error("it is blank")]
    Blank,
    /// It contains `/` or `\`, so it is a path and not an extension.
    #[error("it contains `/` or `\\`")]
    Separator,
    /// It contains an invisible character.
    #[error("it contains a control character or a bidirectional formatting character")]
    HiddenCharacter,
}

impl Extension {
    /// Parses an entry: leading dots are removed, and the rest is case-folded.
    ///
    /// # Errors
    ///
    /// Returns an error if no file name can have the extension.
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
        Ok(Self { written: entry.into(), normalized: fold(extension).into() })
    }

    /// Returns the extension.
    pub fn as_str(&self) -> &str {
        &self.normalized
    }

    /// Returns the entry as it was written.
    pub fn as_written(&self) -> &str {
        &self.written
    }

    /// Returns whether a file can have the extension: it contains no dot and no `*`, and does not begin or end with white
    /// space.
    pub fn can_match(&self) -> bool {
        !self.normalized.contains(['.', '*']) && self.normalized.trim() == &*self.normalized
    }
}

/// Returns the case-folded extension of the file at `path`: the text after the last dot of its name. `None` if
/// nothing precedes or follows that dot.
pub(crate) fn of_path(path: &WorkspacePath) -> Option<Cow<'_, str>> {
    of_name(path.file_name()?)
}

/// Returns the case-folded extension of a file name.
pub(crate) fn of_name(name: &str) -> Option<Cow<'_, str>> {
    let (stem, extension) = name.rsplit_once('.')?;
    if stem.is_empty() || extension.is_empty() {
        return None;
    }
    let is_folded = extension.bytes().all(|byte| byte.is_ascii() && !byte.is_ascii_uppercase());
    Some(if is_folded { Cow::Borrowed(extension) } else { Cow::Owned(fold(extension)) })
}

/// Extensions are equal if their normalized forms are equal.
impl PartialEq for Extension {
    fn eq(&self, other: &Self) -> bool {
        self.normalized == other.normalized
    }
}

impl Eq for Extension {}

impl fmt::Display for Extension {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.normalized)
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
    fn invalid_extensions_are_rejected() {
        assert_eq!(Extension::parse(""), Err(ExtensionError::Blank));
        assert_eq!(Extension::parse(".. "), Err(ExtensionError::Blank));
        assert_eq!(Extension::parse("a/b"), Err(ExtensionError::Separator));
        assert_eq!(Extension::parse("t\ts"), Err(ExtensionError::HiddenCharacter));
    }

    #[test]
    fn the_extension_of_a_file_is_the_text_after_its_last_dot() {
        let of = |path| of_path(&WorkspacePath::parse(path).unwrap()).map(Cow::into_owned);
        assert_eq!(of("a.d/archive.tar.GZ").as_deref(), Some("gz"));
        assert_eq!(of("v1.2").as_deref(), Some("2"));
        assert_eq!(of("..foo").as_deref(), Some("foo"));
        assert_eq!(of("x.\u{212a}").as_deref(), Some("k"));
        for path in ["Makefile", ".env", "a.", "a.d/x"] {
            assert_eq!(of(path), None, "{path}");
        }
    }

    #[test]
    fn an_extension_with_a_dot_or_star_never_matches() {
        assert!(Extension::parse("gz").unwrap().can_match());
        assert!(!Extension::parse("tar.gz").unwrap().can_match());
        assert!(!Extension::parse("*.md").unwrap().can_match());
        assert!(!Extension::parse("pem ").unwrap().can_match());
    }
}
