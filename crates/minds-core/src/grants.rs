//! Which tools a member has.

use crate::catalog::{self, BuiltinToolset, TOOLSETS};

/// The tools that a member's `toolsets` and `tools` give it.
///
/// Exclusions (`!name`) hold whatever the order; `*` stands for every built-in toolset that is not excluded. Tools of
/// MCP servers are not known here.
#[derive(Debug, Default)]
pub struct Grants<'t> {
    toolsets: Box<[&'static BuiltinToolset]>,
    excluded: Box<[&'static BuiltinToolset]>,
    tools: Box<[&'t str]>,
}

impl<'t> Grants<'t> {
    /// Resolves the entries of `toolsets` and `tools`; unknown names give nothing.
    pub fn new(toolsets: &[&'t str], tools: Vec<&'t str>) -> Self {
        let exclusions = toolsets.iter().filter_map(|entry| entry.strip_prefix('!'));
        let excluded: Vec<&BuiltinToolset> = exclusions.filter_map(catalog::find_toolset).collect();
        let mut granted = Vec::with_capacity(toolsets.len());
        for entry in toolsets {
            if *entry == "*" {
                granted.extend(TOOLSETS.iter().filter(|toolset| toolset.in_wildcard));
            } else {
                granted.extend(catalog::find_toolset(entry));
            }
        }
        granted.retain(|toolset| !excluded.contains(toolset));
        Self { toolsets: granted.into(), excluded: excluded.into(), tools: tools.into() }
    }

    /// Returns whether the member has single tools, or a toolset of one of these names.
    pub(crate) fn may_have_one_of(&self, toolsets: &[&str]) -> bool {
        !self.tools.is_empty() || self.toolsets.iter().any(|toolset| toolsets.contains(&toolset.name))
    }

    /// Returns whether the member has a tool.
    pub fn has_tool(&self, tool: &str) -> bool {
        self.tools.contains(&tool) || self.toolset_with(tool).is_some()
    }

    /// Returns a granted toolset that has a tool.
    pub fn toolset_with(&self, tool: &str) -> Option<&'static str> {
        with_tool(&self.toolsets, tool)
    }

    /// Returns the excluded toolset that has a tool, if no granted one has it too.
    pub fn exclusion_of(&self, tool: &str) -> Option<&'static str> {
        if self.toolset_with(tool).is_some() { None } else { with_tool(&self.excluded, tool) }
    }
}

fn with_tool(toolsets: &[&'static BuiltinToolset], tool: &str) -> Option<&'static str> {
    toolsets.iter().find(|toolset| toolset.tools.contains(&tool)).map(|toolset| toolset.name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(toolsets: &[&str], tools: &[&str], tool: &str, expected: bool) {
        let grants = Grants::new(toolsets, tools.to_vec());
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
        let grants = Grants::new(&["*", "!os"], vec!["shell_cmd", "env_get"]);
        assert_eq!(grants.exclusion_of("shell_cmd"), Some("os"));
        // Another toolset has it too.
        assert_eq!(grants.exclusion_of("env_get"), None);
    }
}
