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

use serde::{Deserialize, Serialize};

use crate::answer::Refusal;
use crate::file_refusal::quote;
use crate::{Area, Caller, Code};
use minds_edit::Edit;
pub(crate) use store::Store;

/// The lifetime of a hunk, in milliseconds.
pub(crate) const LIFETIME: u64 = 3_600_000;

/// A planned change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Plan {
    /// The tool that planned it, without the prefix of its area.
    pub(crate) mode: String,
    /// The requested path.
    pub(crate) path: String,
    /// The real path of the file, without links.
    pub(crate) real: String,
    /// The edit.
    pub(crate) edit: Edit,
    /// The text of the file at the preview; `None` if it did not exist.
    pub(crate) base: Option<String>,
}

/// The id of a hunk.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct HunkId(String);

impl HunkId {
    /// Parses an id; a leading `!` is ignored.
    ///
    /// # Errors
    ///
    /// Refuses an invalid id.
    pub(crate) fn parse(text: &str) -> Result<Self, Refusal> {
        let id = text.strip_prefix('!').unwrap_or(text);
        let is_id_byte = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
        if (2..=32).contains(&id.len()) && id.bytes().all(is_id_byte) {
            return Ok(Self(id.to_owned()));
        }
        let refusal = Refusal::new(Code::InvalidHunkId, format!("{} is not a valid hunk id", quote(text)));
        Err(refusal.next("pass the `hunk_id` that a preview returned"))
    }

    /// Returns the text.
    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

/// Returns the owner of the hunks that a caller plans with the tools of an area.
pub(crate) fn owner(caller: &Caller, area: Area) -> String {
    let area = match area {
        Area::Minds => "minds",
        Area::Workspace => "workspace",
    };
    match caller {
        Caller::Operator { name } => format!("{area}/operator/{name}"),
        Caller::Member { id } => format!("{area}/member/{id}"),
    }
}

/// Returns the refusal of an unknown id.
pub(crate) fn not_found(id: &HunkId) -> Refusal {
    let message = format!("no planned change has the id {}", quote(id.as_str()));
    Refusal::new(Code::HunkNotFound, message)
        .next("it was applied, has expired, or never existed: preview the change again")
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
            assert_eq!(HunkId::parse(text).unwrap_err().code, Code::InvalidHunkId, "{text:?}");
        }
    }

    #[test]
    fn owners_differ_by_caller_and_area() {
        let (alice, member) = (Caller::operator("alice"), Caller::member("alice"));
        let owners = [
            owner(&alice, Area::Minds),
            owner(&alice, Area::Workspace),
            owner(&member, Area::Minds),
            owner(&Caller::member("operator/alice"), Area::Minds),
        ];
        let different: std::collections::BTreeSet<_> = owners.iter().collect();
        assert_eq!(different.len(), owners.len());
    }
}
