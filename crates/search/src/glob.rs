//! Selecting files by name or path.

use minds_access_control::{Pattern, PatternError};
use minds_vfs::WorkspacePath;

/// A filter for files. Patterns are those of access lists, so that `[` and `{`, which occur in file names, match themselves.
#[derive(Debug)]
pub struct Glob {
    pattern: Pattern,
    /// Whether it applies to whole paths instead of file names.
    is_path: bool,
}

impl Glob {
    /// Parses a pattern for file names, such as `*.rs`, or for whole paths, such as `src/**/*.rs`.
    ///
    /// # Errors
    ///
    /// Fails if the pattern is not valid.
    pub fn parse(text: &str) -> Result<Self, PatternError> {
        Ok(Self { pattern: Pattern::parse(text)?, is_path: text.contains('/') })
    }

    /// Returns whether a file is selected.
    pub fn matches(&self, path: &WorkspacePath) -> bool {
        if self.is_path {
            return self.pattern.matches(path);
        }
        let name = path.file_name().and_then(|name| WorkspacePath::parse(name).ok());
        name.is_some_and(|name| self.pattern.matches(&name))
    }
}
