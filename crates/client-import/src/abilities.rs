//! What a member can do with files and programs, and the toolsets and tools that it gets for it.

use minds_clients::Client;
use minds_core::catalog::{Abilities, Ability};

/// Returns what a tool of a client lets an agent do; none if it has no counterpart in a team.
pub(crate) fn find(client: &Client, tool: &str) -> Option<Abilities> {
    let ignores_case = client.tools.as_ref().is_some_and(|tools| tools.ignores_case);
    let names = client.team.abilities_of(tool, ignores_case)?;
    Some(names.iter().filter_map(|name| Ability::find(name)).collect())
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
            tools.extend(single_tools(*ability));
        }
    }
    (toolsets, tools)
}

/// Returns the single tools that a member with an ability gets, if it does not get a toolset.
fn single_tools(ability: Ability) -> &'static [&'static str] {
    match ability {
        Ability::Read => &["read_file"],
        Ability::Search => &[
            "ripgrep_files",
            "ripgrep_snippets",
            "ripgrep_count",
            "ripgrep_fixed",
            "ripgrep_search",
            "search_text",
        ],
        Ability::List => &["list_dir"],
        Ability::Edit => &[
            "preview_file_append",
            "preview_insert_after",
            "preview_insert_before",
            "preview_block_replace",
            "preview_file_modification",
            "apply_file_modification",
        ],
        Ability::Create => &["create_new_file", "overwrite_entire_file", "mk_dir"],
        // Only the toolset has the tools that belong together.
        Ability::Shell => &[],
    }
}

#[cfg(test)]
mod tests {
    use minds_clients::clients;

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
    fn every_ability_in_the_data_of_clients_is_known() {
        for client in clients() {
            for (tool, names) in &client.team.abilities {
                let found = find(client, tool).expect("the tool has an entry");
                assert_eq!(found.len(), names.len(), "{}: {tool}", client.id);
            }
        }
    }

    #[test]
    fn single_tools_belong_to_the_toolsets_and_give_the_ability() {
        for ability in Ability::READING.into_iter().chain(Ability::WRITING) {
            let toolset = if Ability::READING.contains(&ability) { "ws_read" } else { "ws_mod" };
            let toolset = minds_core::catalog::find_toolset(toolset).expect("it is built in");
            let tools = single_tools(ability);
            assert!(tools.iter().all(|tool| toolset.tools.contains(tool)), "{ability:?}");
            assert!(tools.iter().any(|tool| ability.tools().contains(tool)), "{ability:?}");
        }
    }
}
