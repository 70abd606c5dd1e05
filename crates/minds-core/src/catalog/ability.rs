//! What a member can do with files and programs, and the tools for it.

use std::collections::BTreeSet;

/// Something that a tool lets a member do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Ability {
    /// Reads files.
    Read,
    /// Searches in files.
    Search,
    /// Lists directories.
    List,
    /// Changes files.
    Edit,
    /// Creates files.
    Create,
    /// Runs commands.
    Shell,
}

/// What a member or an agent can do.
pub type Abilities = BTreeSet<Ability>;

impl Ability {
    /// Every ability with its name in data.
    pub const ALL: [(Self, &'static str); 6] = [
        (Self::Read, "read"),
        (Self::Search, "search"),
        (Self::List, "list"),
        (Self::Edit, "edit"),
        (Self::Create, "create"),
        (Self::Shell, "shell"),
    ];

    /// The abilities to read.
    pub const READING: [Self; 3] = [Self::Read, Self::Search, Self::List];
    /// The abilities to write.
    pub const WRITING: [Self; 2] = [Self::Edit, Self::Create];

    /// Returns the ability with a name in data.
    pub fn find(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|(_, known)| *known == name).map(|(ability, _)| ability)
    }

    /// Returns what a member does with it, for messages.
    pub fn phrase(self) -> &'static str {
        match self {
            Self::Read => "reading files",
            Self::Search => "searching in files",
            Self::List => "listing directories",
            Self::Edit => "changing files",
            Self::Create => "creating files",
            Self::Shell => "running commands",
        }
    }

    /// Returns the built-in tools of which each gives the ability. Tools that do less, such as `mk_dir`, give none.
    pub fn tools(self) -> &'static [&'static str] {
        match self {
            Self::Read => &["read_file", "fs_read_file"],
            Self::Search => &[
                "ripgrep_snippets",
                "ripgrep_fixed",
                "ripgrep_search",
                "search_text",
                "fs_ripgrep_snippets",
                "fs_ripgrep_fixed",
                "fs_ripgrep_search",
            ],
            Self::List => &["list_dir", "fs_list_dir"],
            Self::Edit => &["apply_file_modification", "apply_patch"],
            Self::Create => &["create_new_file", "overwrite_entire_file", "apply_patch"],
            // The name of the second says that its commands only read, and nothing ensures it.
            Self::Shell => &["shell_cmd", "readonly_shell"],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog;

    #[test]
    fn the_tools_are_built_in() {
        for (ability, name) in Ability::ALL {
            assert_eq!(Ability::find(name), Some(ability));
            assert!(ability.tools().iter().all(|tool| catalog::is_builtin_tool(tool)), "{name}");
        }
    }
}
