//! Planned changes (hunks), stored between calls, commands and restarts.
//!
//! A hunk is a file in the state folder, which only the user can read. Its name contains the owner, the expiry time and the
//! id, so that hunks can be found and expired without reading them. The content repeats these values; a file whose content
//! differs or cannot be read is not a hunk and is never applied.
//!
//! A hunk is applied at most once: the process that applies it holds its lock, and removes it *before* it changes the file.
//! If the file then cannot be changed, the hunk is put back. If the process is killed in between, the file is either
//! unchanged or completely changed, and the hunk is lost: the change has to be previewed again.
//!
//! A hunk expires an hour after its last preview. If an owner has too many, the oldest are removed.

mod name;
mod store;

use minds_edit::Edit;
use minds_fs::FileError;
use serde::{Deserialize, Serialize};

pub use store::{Claimed, Store, Ticket};

/// The lifetime of a hunk, in milliseconds.
pub const LIFETIME: u64 = 3_600_000;

/// A planned change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Plan {
    /// The tool that planned it, without the prefix of its area.
    pub mode: String,
    /// The requested path.
    pub path: String,
    /// The real path of the file, without links.
    pub real: String,
    /// The edit.
    pub edit: Edit,
    /// The text of the file at the preview; `None` if it did not exist.
    pub base: Option<String>,
}

/// The id of a hunk.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct HunkId(String);

impl HunkId {
    /// Parses an id of 2 to 32 letters, digits, `-` and `_`; a leading `!` is ignored.
    pub fn parse(text: &str) -> Option<Self> {
        let id = text.strip_prefix('!').unwrap_or(text);
        let is_id_byte = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
        ((2..=32).contains(&id.len()) && id.bytes().all(is_id_byte)).then(|| Self(id.to_owned()))
    }

    /// Returns the text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Why a planned change cannot be stored or used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum HunkError {
    /// No planned change has this id.
    #[error("no planned change has the id `{}`", .0.as_str())]
    NotFound(HunkId),
    /// Several planned changes have the id.
    #[error("two planned changes have this id")]
    IdConflict,
    /// The change belongs to another owner.
    #[error("this change was planned by another caller, or with another toolset")]
    WrongOwner,
    /// The folder cannot be read or written.
    #[error("the folder of planned changes: {}", .0.kind())]
    Folder(#[from] FileError),
    /// Nothing can be stored.
    #[error("the folder of planned changes cannot be {0}")]
    Unavailable(&'static str),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_have_a_limited_alphabet() {
        for text in ["ab", "0f3a9c21", "A-b_9", &"x".repeat(32)] {
            assert_eq!(HunkId::parse(text).unwrap().as_str(), text);
        }
        assert_eq!(HunkId::parse("!0f3a9c21").unwrap().as_str(), "0f3a9c21");
        for text in ["", "!", "a", "!a", "!!ab", "a b", "../ab", "a/b", "a.b", "ä1", "a\n", &"x".repeat(33)]
        {
            assert_eq!(HunkId::parse(text), None, "{text:?}");
        }
    }
}
