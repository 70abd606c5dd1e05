//! Which tools a member has.

use crate::catalog::{self, TOOLSETS};

/// The tools that a member's `toolsets` and `tools` give it.
///
/// Exclusions (`!name`) hold whatever the order; `*` stands for every built-in toolset that is not excluded. Tools of
/// MCP servers are not known here.
#[derive(Debug, Default)]
pub struct Grants<'t> {
    toolsets: Vec<&'static str>,
    excluded: Vec<&'static str>,
    tools: Vec<&'t str>,
}

impl<'t> Grants<'t> {
    /// Resolves the entries of `toolsets` and `tools`; unknown names give nothing.
    pub fn new(
        toolsets: impl Iterator<Item = &'t str> + Clone,
        tools: impl Iterator<Item = &'t str>,
    ) -> Self {
        let named = |name: &str| catalog::find_toolset(name).map(|toolset| toolset.name);
        let excluded: Vec<&str> =
            toolsets.clone().filter_map(|entry| entry.strip_prefix('!')).filter_map(named).collect();
        let mut granted = Vec::new();
        for entry in toolsets.filter(|entry| !entry.starts_with('!')) {
            if entry == "*" {
                granted.extend(
                    TOOLSETS.iter().filter(|toolset| toolset.in_wildcard).map(|toolset| toolset.name),
                );
            } else {
                granted.extend(named(entry));
            }
        }
        granted.retain(|name| !excluded.contains(name));
        Self { toolsets: granted, excluded, tools: tools.collect() }
    }

    /// Returns whether the member has a tool.
    pub fn has_tool(&self, tool: &str) -> bool {
        self.tools.contains(&tool) || self.toolset_with(tool).is_some()
    }

    /// Returns a granted toolset that has a tool.
    pub fn toolset_with(&self, tool: &str) -> Option<&'static str> {
        self.toolsets
            .iter()
            .copied()
            .find(|name| catalog::find_toolset(name).is_some_and(|toolset| toolset.tools.contains(&tool)))
    }

    /// Returns the excluded toolset that has a tool, if no granted one has it too.
    pub fn exclusion_of(&self, tool: &str) -> Option<&'static str> {
        if self.toolset_with(tool).is_some() {
            return None;
        }
        self.excluded
            .iter()
            .copied()
            .find(|name| catalog::find_toolset(name).is_some_and(|toolset| toolset.tools.contains(&tool)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(toolsets: &[&str], tools: &[&str], tool: &str, expected: bool) {
        let grants = Grants::new(toolsets.iter().copied(), tools.iter().copied());
        assert_eq!(grants.has_tool(tool), expected, "{toolsets:?} + {tools:?}: {tool}");
    }

    #[test]
    fn exclusions_hold_whatever_the_order() {
        check(&["os"], &[], "shell_cmd", true);
        check(&["*"], &[], "shell_cmd", true);
        check(&["*", "!os"], &[], "shell_cmd", false);
        check(&["!os", "*"], &[], "shell_cmd", false);
        check(&["os", "!os"], &[], "shell_cmd", false);
        check(&["*", "!team_mgmt"], &[], "team_mgmt_manual", false);
        check(&["!"], &[], "shell_cmd", false);
        check(&[], &["shell_cmd"], "shell_cmd", true);
        check(&["*"], &[], "fs_read_file", false);
    }

    #[test]
    fn a_tool_of_an_excluded_toolset_is_known_as_such() {
        let grants = Grants::new(["*", "!os"].into_iter(), ["shell_cmd", "env_get"].into_iter());
        assert_eq!(grants.exclusion_of("shell_cmd"), Some("os"));
        // Another toolset has it too.
        assert_eq!(grants.exclusion_of("env_get"), None);
    }
}
