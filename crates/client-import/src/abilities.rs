//! What a member can do with files and programs, and the toolsets and tools that it gets for it.

use std::collections::BTreeSet;

use minds_clients::Client;

/// Something that a tool lets an agent do.
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

/// The abilities of an agent.
pub type Abilities = BTreeSet<Ability>;

impl Ability {
    /// Every ability with its name in the data of clients.
    pub const ALL: [(Self, &'static str); 6] = [
        (Self::Read, "read"),
        (Self::Search, "search"),
        (Self::List, "list"),
        (Self::Edit, "edit"),
        (Self::Create, "create"),
        (Self::Shell, "shell"),
    ];

    /// The abilities to read.
    pub(crate) const READING: [Self; 3] = [Self::Read, Self::Search, Self::List];
    /// The abilities to write.
    pub(crate) const WRITING: [Self; 2] = [Self::Edit, Self::Create];

    /// Returns the single tools of a team that do the same.
    fn tools(self) -> &'static [&'static str] {
        match self {
            Self::Read => &["read_file"],
            Self::Search => &[
                "ripgrep_files",
                "ripgrep_snippets",
                "ripgrep_count",
                "ripgrep_fixed",
                "ripgrep_search",
                "search_text",
            ],
            Self::List => &["list_dir"],
            Self::Edit => &[
                "preview_file_append",
                "preview_insert_after",
                "preview_insert_before",
                "preview_block_replace",
                "preview_file_modification",
                "apply_file_modification",
            ],
            Self::Create => &["create_new_file", "overwrite_entire_file", "mk_dir"],
            // Only the toolset has the tools that belong together.
            Self::Shell => &[],
        }
    }
}

/// Returns what a tool of a client lets an agent do; none if it has no counterpart in a team.
pub(crate) fn find(client: &Client, tool: &str) -> Option<Abilities> {
    let ignores_case = client.tools.as_ref().is_some_and(|tools| tools.ignores_case);
    let is_same = |known: &str| known == tool || (ignores_case && known.eq_ignore_ascii_case(tool));
    let (_, names) = client.team.abilities.iter().find(|(known, _)| is_same(known))?;
    let ability =
        |name: &String| Ability::ALL.iter().find(|(_, known)| known == name).map(|(ability, _)| *ability);
    Some(names.iter().filter_map(ability).collect())
}

/// Returns all abilities with files, without the shell.
pub(crate) fn with_files() -> Abilities {
    Ability::READING.into_iter().chain(Ability::WRITING).collect()
}

/// Returns the toolsets and the single tools for some abilities. A toolset is only given for all of its abilities.
pub(crate) fn grants(abilities: &Abilities) -> (Vec<&'static str>, Vec<&'static str>) {
    let has_all = |group: &[Ability]| group.iter().all(|ability| abilities.contains(ability));
    let (reads, writes) = (has_all(&Ability::READING), has_all(&Ability::WRITING));
    let mut toolsets = Vec::new();
    let mut tools = Vec::new();
    if reads {
        toolsets.push("ws_read");
    }
    // The toolset for writing has the tools for reading too.
    if reads && writes {
        toolsets.push("ws_mod");
    }
    if abilities.contains(&Ability::Shell) {
        toolsets.push("os");
    }
    for ability in abilities {
        let is_covered = match ability {
            Ability::Read | Ability::Search | Ability::List => reads,
            Ability::Edit | Ability::Create => reads && writes,
            Ability::Shell => true,
        };
        if !is_covered {
            tools.extend(ability.tools());
        }
    }
    (toolsets, tools)
}

#[cfg(test)]
mod tests {
    use minds_clients::clients;
    use minds_core::catalog;

    use super::*;

    #[test]
    fn a_toolset_needs_all_of_its_abilities() {
        let of = |abilities: &[Ability]| grants(&abilities.iter().copied().collect());
        assert_eq!(of(&Ability::READING), (vec!["ws_read"], vec![]));
        assert_eq!(grants(&with_files()), (vec!["ws_read", "ws_mod"], vec![]));
        assert_eq!(
            of(&[Ability::Read, Ability::List, Ability::Shell]),
            (vec!["os"], vec!["read_file", "list_dir"])
        );
        let (toolsets, tools) = of(&[Ability::Edit]);
        assert!(
            toolsets.is_empty()
                && tools.contains(&"apply_file_modification")
                && !tools.contains(&"read_file")
        );
    }

    #[test]
    fn the_tools_are_built_in_and_belong_to_the_toolsets() {
        for (ability, _) in Ability::ALL {
            let toolset = if Ability::READING.contains(&ability) { "ws_read" } else { "ws_mod" };
            let toolset = catalog::find_toolset(toolset).expect("it is built in");
            assert!(ability.tools().iter().all(|tool| toolset.tools.contains(tool)), "{ability:?}");
        }
    }

    #[test]
    fn every_ability_in_the_data_of_clients_is_known() {
        for client in clients() {
            for (tool, names) in &client.team.abilities {
                let found = find(client, tool).expect("the tool has an entry");
                assert_eq!(found.len(), names.len(), "{}: {tool}", client.id);
            }
        }
    }
}
