//! Planned changes, remembered between calls, commands and restarts.
//!
//! A hunk is one file in the folder of the state, which only the user can read. Its name says whose it is, until when it
//! holds and which id it has, so that finding one and clearing up reads no content. Its content says the same again: a file
//! that says anything else, or nothing that can be read, is no hunk and is never applied.
//!
//! A hunk is used once, and never twice: whoever applies it has its lock, and removes it *before* the file changes. If the
//! file then cannot be changed, the hunk is put back. A process that dies in between leaves the file as it was or changed,
//! and no hunk that could be applied to it again; what was lost that way is planned anew.
//!
//! An hour after the last preview a hunk is gone, and so are the oldest of an owner who has too many of them.

mod name;
mod store;

use serde::{Deserialize, Serialize};

use crate::answer::Refusal;
use crate::edit::Edit;
use crate::file_refusal::quote;
use crate::{Area, Caller, Code};
pub(crate) use store::Store;

/// How long a hunk holds, in milliseconds.
pub(crate) const LIFETIME: u64 = 3_600_000;

/// A change that is planned.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Plan {
    /// The tool that planned it, without what its area puts before the name.
    pub(crate) mode: String,
    /// The path that was asked for.
    pub(crate) path: String,
    /// The path that led to the file without any link.
    pub(crate) real: String,
    /// What is to be done.
    pub(crate) edit: Edit,
    /// The file as it was; none if there was no file.
    pub(crate) base: Option<String>,
}

/// The id of a hunk.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct HunkId(String);

impl HunkId {
    /// Returns the id that `text` names; a `!` before it does no harm.
    ///
    /// # Errors
    ///
    /// Refuses what no id looks like.
    pub(crate) fn parse(text: &str) -> Result<Self, Refusal> {
        let id = text.strip_prefix('!').unwrap_or(text);
        let is_sign = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
        if (2..=32).contains(&id.len()) && id.bytes().all(is_sign) {
            return Ok(Self(id.to_owned()));
        }
        let refusal = Refusal::new(Code::InvalidHunkId, format!("{} is no id of a hunk", quote(text)));
        Err(refusal.next("give the `hunk_id` that a preview returned"))
    }

    /// Returns the text.
    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

/// Returns who owns what a caller plans through the tools of an area.
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

/// Returns the refusal for an id that names nothing.
pub(crate) fn not_found(id: &HunkId) -> Refusal {
    let message = format!("no change is planned as {}", quote(id.as_str()));
    Refusal::new(Code::HunkNotFound, message)
        .next("it was applied, is older than an hour, or never was: preview the change again")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_made_of_few_signs() {
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
    fn every_caller_owns_what_it_plans_through_a_toolset() {
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
