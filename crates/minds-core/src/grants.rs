//! The tools that are granted to a member.

use std::borrow::Cow;

use minds_document::{Field, List};

use crate::access::MemberPolicies;
use crate::catalog::{self, Abilities, Ability, toolsets_with};
use crate::effective::Effective;
use crate::model::MemberFields;

/// The tools that the `toolsets` and `tools` of a member grant.
///
/// Exclusions (`!name`) apply regardless of order, and to `tools` as well: a single tool is granted unless a toolset that
/// contains it is excluded. `*` stands for every toolset that is neither excluded nor exempt from the wildcard.
///
/// Toolsets that are not built in, such as those of MCP servers, are only known by name: the caller specifies which
/// toolsets contain a tool.
#[derive(Clone, Debug, Default)]
pub struct Grants<'t> {
    /// Canonical names, not aliases.
    granted: Vec<Cow<'t, str>>,
    excluded: Vec<Cow<'t, str>>,
    has_wildcard: bool,
    tools: Vec<Cow<'t, str>>,
}

impl<'t> Grants<'t> {
    /// Resolves the entries of `toolsets` and `tools`; unknown names grant no built-in tools.
    pub fn new(toolsets: &[&'t str], tools: Vec<&'t str>) -> Self {
        let granted = Vec::with_capacity(toolsets.len());
        let tools = tools.into_iter().map(Cow::Borrowed).collect();
        let mut grants = Self { granted, tools, ..Self::default() };
        for entry in toolsets {
            match entry.strip_prefix('!') {
                Some(excluded) => grants.excluded.push(Cow::Borrowed(canonical_name(excluded))),
                None if *entry == "*" => grants.has_wildcard = true,
                None => grants.granted.push(Cow::Borrowed(canonical_name(entry))),
            }
        }
        grants
    }

    /// Returns the grants without borrowed data.
    pub fn into_owned(self) -> Grants<'static> {
        let owned = |names: Vec<Cow<'t, str>>| -> Vec<Cow<'static, str>> {
            names.into_iter().map(|name| Cow::Owned(name.into_owned())).collect()
        };
        Grants {
            granted: owned(self.granted),
            excluded: owned(self.excluded),
            has_wildcard: self.has_wildcard,
            tools: owned(self.tools),
        }
    }

    /// Returns whether the member has a toolset.
    pub fn has_toolset(&self, name: &str) -> bool {
        let name = canonical_name(name);
        let in_wildcard = || catalog::find_toolset(name).is_none_or(|toolset| toolset.in_wildcard);
        !self.excludes(name)
            && (self.granted.iter().any(|granted| granted == name) || (self.has_wildcard && in_wildcard()))
    }

    /// Returns the toolsets that are granted by name and not excluded, in file order.
    pub fn named_toolsets(&self) -> impl Iterator<Item = &str> {
        let granted = self.granted.iter().map(|name| &**name);
        granted.filter(|name| !self.excludes(name))
    }

    /// Returns whether the member has single tools or one of these toolsets.
    pub(crate) fn may_have_one_of(&self, toolsets: &[&str]) -> bool {
        !self.tools.is_empty() || toolsets.iter().any(|toolset| self.has_toolset(toolset))
    }

    /// Returns whether a toolset is excluded.
    pub fn excludes(&self, name: &str) -> bool {
        let name = canonical_name(name);
        self.excluded.iter().any(|excluded| excluded == name)
    }

    /// Returns whether the member has a tool of these toolsets: it has one of them, or the tool is granted by name and none of
    /// them is excluded. Tools of toolsets that cannot be assigned are available to every member.
    pub fn has_tool_of(&self, toolsets: &[&str], tool: &str) -> bool {
        let is_unassignable =
            |toolset: &&str| catalog::find_toolset(toolset).is_some_and(|toolset| !toolset.is_assignable);
        toolsets.iter().any(is_unassignable)
            || toolsets.iter().any(|toolset| self.has_toolset(toolset))
            || (self.tools.iter().any(|given| given == tool)
                && !toolsets.iter().any(|toolset| self.excludes(toolset)))
    }

    /// Returns whether the member has a built-in tool.
    pub fn has_tool(&self, tool: &str) -> bool {
        let toolsets: Vec<&str> = toolsets_with(tool).collect();
        self.has_tool_of(&toolsets, tool)
    }

    /// Returns whether the member has a tool that gives an ability.
    pub fn has_ability(&self, ability: Ability) -> bool {
        ability.tools().iter().any(|tool| self.has_tool(tool))
    }

    /// Returns what the member can do with files and programs.
    pub fn abilities(&self) -> Abilities {
        let abilities = Ability::ALL.into_iter().map(|(ability, _)| ability);
        abilities.filter(|ability| self.has_ability(*ability)).collect()
    }

    /// Returns a granted toolset that contains a tool.
    pub fn toolset_with(&self, tool: &str) -> Option<&'static str> {
        toolsets_with(tool).find(|toolset| self.has_toolset(toolset))
    }

    /// Returns the excluded toolset that contains a tool, unless a granted toolset contains it as well.
    pub fn exclusion_of(&self, tool: &str) -> Option<&'static str> {
        if self.toolset_with(tool).is_some() {
            return None;
        }
        toolsets_with(tool).find(|toolset| self.excludes(toolset))
    }
}

impl<'t> MemberPolicies<'t> {
    /// Returns the tools that are granted to a member of the team.
    ///
    /// Unreadable input never grants tools: an unreadable list of toolsets may contain an exclusion, so the member has no tools
    /// at all. The member that manages the team keeps its built-in tools, so that the file can be repaired.
    pub fn grants(&self, member: &Effective<'t>) -> Grants<'t> {
        let toolsets =
            self.is_known(member, "toolsets", |fields| &fields.toolsets, member.shadow().is_none());
        let Some(toolsets) = toolsets.then(|| member.toolsets()).flatten() else {
            let forced = member.shadow().map(|shadow| shadow.forced_toolsets).unwrap_or_default();
            let forced: Vec<&str> = forced.iter().copied().filter(|entry| *entry != "*").collect();
            return Grants::new(&forced, Vec::new());
        };
        let tools = self.is_known(member, "tools", |fields| &fields.tools, true);
        let tools = tools.then(|| member.tools()).flatten().unwrap_or_default();
        Grants::new(&toolsets, tools)
    }

    /// Returns whether a list of a member could be read and is given only once.
    fn is_known(
        &self,
        member: &Effective<'t>,
        key: &str,
        get: fn(&MemberFields) -> &Field<List<String>>,
        is_inherited: bool,
    ) -> bool {
        if !self.is_member_reliable(member.id) {
            return false;
        }
        let own = member.definition().map(|own| &own.fields);
        if own.is_some_and(Field::is_unreadable) {
            return false;
        }
        if let Some(fields) = own.and_then(Field::as_given) {
            if self.repeats(fields.node, key) {
                return false;
            }
            if !get(&fields.value).is_absent() {
                return true;
            }
        }
        !is_inherited || self.is_default_reliable(key)
    }
}

/// Resolves an alias to the name of its toolset.
fn canonical_name(name: &str) -> &str {
    catalog::find_toolset(name).map_or(name, |toolset| toolset.name)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::catalog::TOOLSETS;

    #[track_caller]
    fn check(toolsets: &[&str], tools: &[&str], tool: &str, expected: bool) {
        let grants = Grants::new(toolsets, tools.to_vec());
        assert_eq!(grants.has_tool(tool), expected, "{toolsets:?} + {tools:?}: {tool}");
        assert_eq!(grants.into_owned().has_tool(tool), expected, "{toolsets:?} + {tools:?}: {tool}, owned");
    }

    #[test]
    fn exclusions_apply_regardless_of_order() {
        check(&["os"], &[], "shell_cmd", true);
        check(&["*"], &[], "shell_cmd", true);
        check(&["*", "!os"], &[], "shell_cmd", false);
        check(&["!os", "*"], &[], "shell_cmd", false);
        check(&["os", "!os"], &[], "shell_cmd", false);
        check(&["*", "!team_mgmt"], &[], "team_mgmt_manual", false);
        check(&["!"], &[], "shell_cmd", false);
        check(&[], &["shell_cmd"], "shell_cmd", true);
        check(&["*"], &[], "fs_read_file", false);
        check(&["*", "fs_read"], &[], "fs_read_file", true);
    }

    #[test]
    fn a_single_tool_does_not_override_an_exclusion() {
        check(&["*", "!team-mgmt"], &["team_mgmt_rm_dir"], "team_mgmt_rm_dir", false);
        check(&["!team_mgmt"], &["team_mgmt_rm_dir"], "team_mgmt_rm_dir", false);
        check(&["!os"], &["shell_cmd"], "shell_cmd", false);
        check(&["!memory"], &["shell_cmd"], "shell_cmd", true);
        // The tool is granted by another toolset.
        check(&["ws_read", "!ws_mod"], &[], "read_file", true);
        check(&["ws_read", "!ws_mod"], &["rm_dir"], "rm_dir", false);
        check(&["!ws_mod"], &["read_file"], "read_file", false);
    }

    #[test]
    fn toolsets_that_are_not_built_in_are_granted_by_name() {
        let has = |toolsets: &[&str], tools: &[&str]| {
            Grants::new(toolsets, tools.to_vec()).has_tool_of(&["stocks"], "stocks_get")
        };
        assert!(has(&["stocks"], &[]) && has(&["*"], &[]) && has(&[], &["stocks_get"]));
        assert!(
            !has(&["stokcs"], &[]) && !has(&["*", "!stocks"], &[]) && !has(&["!stocks"], &["stocks_get"])
        );
    }

    #[test]
    fn the_excluded_toolset_of_a_tool_is_found() {
        let grants = Grants::new(&["*", "!os"], vec!["shell_cmd", "env_get"]);
        assert_eq!(grants.exclusion_of("shell_cmd"), Some("os"));
        // A granted toolset contains it as well.
        assert_eq!(grants.exclusion_of("env_get"), None);
    }

    proptest! {
        /// For any lists, a tool is granted by a toolset, or by name if no toolset that contains it is excluded, or because it is
        /// available to every member. The expected result is computed without the tables of the implementation.
        #[test]
        fn no_tool_comes_from_an_excluded_toolset(
            toolsets in prop::collection::vec(entry(), 0..6),
            tools in prop::collection::vec(prop::sample::select(all_tools()), 0..4),
        ) {
            let given: Vec<&str> = toolsets.iter().map(String::as_str).collect();
            let grants = Grants::new(&given, tools.clone());
            let is_listed = |toolset: &catalog::BuiltinToolset, sign: &str| {
                let mut names = std::iter::once(&toolset.name).chain(toolset.aliases);
                names.any(|name| given.contains(&format!("{sign}{name}").as_str()))
            };
            for tool in all_tools() {
                let with = || TOOLSETS.iter().filter(|toolset| toolset.tools.contains(&tool));
                let by_toolset = with().any(|toolset| {
                    let all = given.contains(&"*") && toolset.in_wildcard;
                    (is_listed(toolset, "") || all) && !is_listed(toolset, "!")
                });
                let is_unassignable = with().any(|toolset| !toolset.is_assignable);
                let by_name = tools.contains(&tool) && !with().any(|toolset| is_listed(toolset, "!"));
                prop_assert_eq!(grants.has_tool(tool), by_toolset || by_name || is_unassignable, "{}", tool);
            }
        }
    }

    fn entry() -> impl Strategy<Value = String> {
        let mut names: Vec<&str> = catalog::toolset_names().collect();
        names.extend(["*", "", "no_such"]);
        (prop::sample::select(vec!["", "!"]), prop::sample::select(names))
            .prop_map(|(sign, name)| format!("{sign}{name}"))
    }

    fn all_tools() -> Vec<&'static str> {
        TOOLSETS.iter().flat_map(|toolset| toolset.tools.iter().copied()).collect()
    }
}
