//! Who may change task packages.

use minds_core::Grants;
use minds_taskdoc::OPERATOR;

/// Who changes something, and when.
///
/// Every change of a package takes an author, and only a check of the permissions returns one: no caller can omit it.
///
/// ```compile_fail
/// let author = minds_task_store::Author { actor: "coder".to_owned(), time: 0 };
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Author {
    /// The id of a member, or `user:NAME`.
    pub(crate) actor: String,
    /// The time in milliseconds since 1970 in UTC.
    pub(crate) time: u64,
}

impl Author {
    /// Returns a person at the command line, who has every tool.
    pub fn operator(name: &str, time: u64) -> Self {
        Self { actor: format!("{OPERATOR}{name}"), time }
    }

    /// Returns a member that has a tool, which is in these toolsets; `None` if `grants`, which are those of the member, do
    /// not contain it. An id that looks like an operator is not that of a member.
    pub fn member(id: &str, grants: &Grants<'_>, toolsets: &[&str], tool: &str, time: u64) -> Option<Self> {
        let is_granted = !id.starts_with(OPERATOR) && grants.has_tool_of(toolsets, tool);
        is_granted.then(|| Self { actor: id.to_owned(), time })
    }

    /// Returns the name in the journal: the id of a member, or `user:NAME`.
    pub fn actor(&self) -> &str {
        &self.actor
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_member_with_the_tool_is_an_author() {
        let author = |id: &str, granted: &[&str]| {
            Author::member(id, &Grants::new(granted, Vec::new()), &["ws_mod"], "apply", 0)
        };
        assert_eq!(author("coder", &["ws_mod"]).map(|author| author.actor), Some("coder".to_owned()));
        assert_eq!(author("coder", &["*"]).map(|author| author.actor), Some("coder".to_owned()));
        for granted in [&[][..], &["ws_read"], &["ws_mod", "!ws_mod"], &["*", "!ws_mod"]] {
            assert_eq!(author("coder", granted), None, "{granted:?}");
        }
        assert_eq!(author("user:coder", &["ws_mod"]), None);
    }
}
