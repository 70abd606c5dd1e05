//! Evaluating the lists of tools.

use std::collections::{BTreeMap, BTreeSet};

use minds_document::{Field, Keys, List, Spanned};

use super::ToolName;

/// The lists of tools in one file, of the project or of an agent.
#[derive(Debug, Default, Keys)]
#[keys(title = "tools", define = "tools")]
pub struct ToolLists {
    /// The allowed tools; without it tools are not restricted.
    ///
    /// If empty, no tool is allowed.
    pub allow: Field<List<ToolName>>,
    /// The denied tools, which take precedence.
    pub deny: Field<List<ToolName>>,
    /// Whether tools may run without the sandbox.
    ///
    /// A call that does is always confirmed by the owner.
    pub r#unsafe: Field<bool>,
    /// The tools that wait for a confirmation of the owner; those of the project and of the agent together.
    pub confirm: Field<List<ToolName>>,
}

/// The list that denies a tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Denial<'l> {
    /// A deny list contains the tool: the index of the lists, and the entry.
    Denied(usize, &'l Spanned<ToolName>),
    /// An allow list does not contain the tool: the index of the lists.
    NotAllowed(usize),
    /// A list could not be read completely, and may concern the tool: the index of the lists.
    Unreadable(usize),
}

/// Whether an agent has a tool.
pub type Verdict<'l> = Result<(), Denial<'l>>;

/// The merged lists of several layers, highest layer first.
#[derive(Clone, Debug, Default)]
pub struct MergedToolLists<'l> {
    /// The tools that a list allows; `None` without such a list.
    allowed: Option<BTreeSet<&'l ToolName>>,
    /// The tools that a list denies, each with its first entry.
    denied: BTreeMap<&'l ToolName, &'l Spanned<ToolName>>,
    /// Whether an allow list, or a deny list, could not be read completely.
    is_allow_partial: bool,
    is_deny_partial: bool,
    /// The tools that wait for a confirmation.
    confirmed: BTreeSet<&'l ToolName>,
    /// Whether a list of such tools could not be read completely.
    is_confirm_partial: bool,
}

impl<'l> MergedToolLists<'l> {
    /// Merges the lists of `layers`.
    pub fn new(layers: impl IntoIterator<Item = &'l ToolLists>) -> Self {
        let mut merged = Self::default();
        layers.into_iter().for_each(|lists| merged.add(lists));
        merged
    }

    /// Merges the fields of several layers; `is_known` is false if a layer may contain more.
    pub fn of(fields: impl IntoIterator<Item = &'l Field<ToolLists>>, is_known: bool) -> Self {
        let mut merged = Self {
            is_allow_partial: !is_known,
            is_deny_partial: !is_known,
            is_confirm_partial: !is_known,
            ..Self::default()
        };
        for field in fields {
            if field.is_unreadable() {
                (merged.is_allow_partial, merged.is_deny_partial) = (true, true);
                merged.is_confirm_partial = true;
            }
            field.as_given().into_iter().for_each(|lists| merged.add(&lists.value));
        }
        merged
    }

    fn add(&mut self, lists: &'l ToolLists) {
        if !lists.allow.is_absent() {
            let allowed = self.allowed.get_or_insert_default();
            let entries = lists.allow.as_given().into_iter().flat_map(|list| &list.value.items);
            allowed.extend(entries.map(|entry| &entry.value));
        }
        for entry in lists.deny.as_given().into_iter().flat_map(|list| &list.value.items) {
            self.denied.entry(&entry.value).or_insert(entry);
        }
        let is_partial = |field: &Field<List<ToolName>>| match field {
            Field::Absent => false,
            Field::Given(list) => !list.value.is_complete,
            Field::Unreadable(_) => true,
        };
        self.is_allow_partial |= is_partial(&lists.allow);
        self.is_deny_partial |= is_partial(&lists.deny);
        let confirmed = lists.confirm.as_given().into_iter().flat_map(|list| &list.value.items);
        self.confirmed.extend(confirmed.map(|entry| &entry.value));
        self.is_confirm_partial |= is_partial(&lists.confirm);
    }

    /// Evaluates whether an agent has a tool, by the lists of the project and of the agent.
    ///
    /// The first rule that applies decides:
    ///
    /// 1. any deny list contains the tool: denied;
    /// 2. a deny list cannot be read completely: denied, because a missing entry may concern the tool;
    /// 3. an allow list does not contain the tool, or cannot be read at all: denied;
    /// 4. the tool belongs to an MCP server, and there is no allow list: denied;
    /// 5. otherwise allowed.
    ///
    /// An entry for an MCP server contains all its tools.
    ///
    /// # Errors
    ///
    /// Returns the list that denies the tool.
    pub fn evaluate(lists: &[Self], tool: &ToolName) -> Verdict<'l> {
        Self::evaluate_restrictions(lists, tool)?;
        let is_listed = lists.iter().any(|merged| merged.allowed.is_some());
        if tool.is_foreign() && !is_listed {
            return Err(Denial::NotAllowed(lists.len().saturating_sub(1)));
        }
        Ok(())
    }

    /// Returns whether a tool waits for a confirmation, by the lists of the project and of the agent. While a list cannot be
    /// read completely, every tool does.
    pub fn needs_confirmation(lists: &[Self], tool: &ToolName) -> bool {
        let server = tool.server_entry();
        lists.iter().any(|merged| {
            let is_listed = |name: &ToolName| merged.confirmed.contains(name);
            merged.is_confirm_partial || is_listed(tool) || server.as_ref().is_some_and(is_listed)
        })
    }

    /// As [`evaluate`](Self::evaluate), but without demanding an entry for tools of MCP servers.
    pub(crate) fn evaluate_restrictions(lists: &[Self], tool: &ToolName) -> Verdict<'l> {
        let server = tool.server_entry();
        let server = server.as_ref();
        for (at, merged) in lists.iter().enumerate() {
            let denied = merged.denied.get(tool).or_else(|| merged.denied.get(server?));
            if let Some(entry) = denied {
                return Err(Denial::Denied(at, entry));
            }
        }
        if let Some(at) = lists.iter().position(|merged| merged.is_deny_partial) {
            return Err(Denial::Unreadable(at));
        }
        for (at, merged) in lists.iter().enumerate() {
            let Some(allowed) = &merged.allowed else { continue };
            if !allowed.contains(tool) && !server.is_some_and(|server| allowed.contains(server)) {
                let is_partial = merged.is_allow_partial;
                return Err(if is_partial { Denial::Unreadable(at) } else { Denial::NotAllowed(at) });
            }
        }
        Ok(())
    }

    /// Returns every tool in a list.
    pub fn tool_names(&self) -> impl Iterator<Item = &'l ToolName> + use<'l, '_> {
        // A tool of a server may be given by the entry of the server, and wait for a confirmation by its own one.
        let confirmed = self.confirmed.iter().filter(|tool| tool.is_foreign());
        self.allowed.iter().flatten().chain(self.denied.keys()).chain(confirmed).copied()
    }
}

#[cfg(test)]
mod tests {
    use minds_diagnostics::SourceFile;
    use minds_document::{Context, Decode as _, yaml};
    use proptest::prelude::*;

    use super::*;

    fn lists(text: &str) -> ToolLists {
        let source = SourceFile::new("tools.yaml", text);
        let document = yaml::parse(&source).value.unwrap();
        ToolLists::decode(document.root(), &mut Context::new()).unwrap()
    }

    fn verdict(project: &[&str], agent: &[&str], tool: &str) -> &'static str {
        let (project, agent): (Vec<_>, Vec<_>) = (
            project.iter().map(|text| lists(text)).collect(),
            agent.iter().map(|text| lists(text)).collect(),
        );
        match MergedToolLists::evaluate(
            &[MergedToolLists::new(&project), MergedToolLists::new(&agent)],
            &ToolName::parse(tool).unwrap(),
        ) {
            Ok(()) => "given",
            Err(Denial::Denied(0, _)) => "denied by the project",
            Err(Denial::Denied(..)) => "denied by the agent",
            Err(Denial::NotAllowed(0)) => "not allowed by the project",
            Err(Denial::NotAllowed(_)) => "not allowed by the agent",
            Err(Denial::Unreadable(_)) => "unreadable",
        }
    }

    #[test]
    fn deny_is_the_union_and_allow_the_intersection() {
        for (project, agent, expected) in [
            ("{}", "{}", "given"),
            ("{allow: [fs.read]}", "{}", "given"),
            ("{}", "{allow: [fs.read]}", "given"),
            ("{}", "{allow: ['fs.read@v1']}", "given"),
            ("{}", "{allow: ['fs.read@v2']}", "not allowed by the agent"),
            ("{allow: [fs.write]}", "{}", "not allowed by the project"),
            ("{allow: [fs.write]}", "{allow: [fs.read]}", "not allowed by the project"),
            ("{allow: [fs.read]}", "{allow: [fs.write]}", "not allowed by the agent"),
            ("{allow: [fs.read, fs.write]}", "{allow: [fs.read]}", "given"),
            ("{deny: [fs.read]}", "{allow: [fs.read]}", "denied by the project"),
            ("{allow: [fs.read]}", "{deny: [fs.read]}", "denied by the agent"),
            ("{}", "{allow: []}", "not allowed by the agent"),
            ("{}", "{deny: []}", "given"),
            ("{deny: [5]}", "{allow: [fs.read]}", "unreadable"),
            ("{}", "{deny: 5}", "unreadable"),
            ("{}", "{deyn: [fs.write]}", "unreadable"),
            ("{}", "{allow: 5}", "unreadable"),
            ("{}", "{allow: [5]}", "unreadable"),
            ("{}", "{allow: [5, fs.read]}", "given"),
            ("{deny: [5]}", "{deny: [fs.read]}", "denied by the agent"),
            ("{}", "{<<: {deny: [fs.write]}}", "unreadable"),
            ("{}", "{allow: [fs.read], <<: {unsafe: true}}", "unreadable"),
            ("{<<: {}, allow: [fs.read], deny: []}", "{}", "given"),
        ] {
            assert_eq!(verdict(&[project], &[agent], "fs.read"), expected, "{project} {agent}");
        }
    }

    /// Tools of servers need an entry in a list, of the tool or of its server.
    #[test]
    fn tools_of_servers_need_an_entry() {
        for (project, agent, expected) in [
            ("{}", "{}", "not allowed by the agent"),
            ("{}", "{deny: [os.exec]}", "not allowed by the agent"),
            ("{}", "{allow: [fs.read]}", "not allowed by the agent"),
            ("{}", "{allow: [mcp.browser]}", "given"),
            ("{}", "{allow: [mcp.browser.open]}", "given"),
            ("{allow: [mcp.browser]}", "{}", "given"),
            ("{allow: [fs.read]}", "{allow: [mcp.browser]}", "not allowed by the project"),
            ("{allow: [mcp.browser.open]}", "{allow: [mcp.browser]}", "given"),
            ("{deny: [mcp.browser]}", "{allow: [mcp.browser.open]}", "denied by the project"),
            ("{}", "{allow: [mcp.browser], deny: [mcp.browser.open]}", "denied by the agent"),
            ("{}", "{allow: [mcp.browser], deny: [mcp.browser.close]}", "given"),
        ] {
            assert_eq!(verdict(&[project], &[agent], "mcp.browser.open"), expected, "{project} {agent}");
        }
    }

    #[test]
    fn either_list_demands_a_confirmation() {
        for (project, agent, tool, expected) in [
            ("{}", "{}", "os.exec", false),
            ("{confirm: [os.exec]}", "{}", "os.exec", true),
            ("{}", "{confirm: [os.exec]}", "os.exec", true),
            ("{confirm: [fs.write]}", "{confirm: [os.exec]}", "fs.read", false),
            ("{}", "{confirm: [mcp.browser]}", "mcp.browser.open", true),
            ("{}", "{confirm: [mcp.browser.close]}", "mcp.browser.open", false),
            ("{confirm: [5]}", "{}", "fs.read", true),
            ("{}", "{cofnirm: [fs.write]}", "fs.read", true),
        ] {
            let (project, agent) = ([lists(project)], [lists(agent)]);
            let lists = [MergedToolLists::new(&project), MergedToolLists::new(&agent)];
            let tool = ToolName::parse(tool).unwrap();
            assert_eq!(MergedToolLists::needs_confirmation(&lists, &tool), expected, "{project:?} {agent:?}");
        }
    }

    #[test]
    fn the_lists_of_layers_are_merged() {
        assert_eq!(verdict(&["{allow: [fs.write]}", "{allow: [fs.read]}"], &[], "fs.read"), "given");
        assert_eq!(verdict(&["{}", "{allow: [fs.write]}"], &[], "fs.read"), "not allowed by the project");
        assert_eq!(
            verdict(&["{allow: [fs.read]}", "{deny: [fs.read]}"], &[], "fs.read"),
            "denied by the project"
        );
    }

    proptest! {
        /// More entries in a deny list never allow a tool, and more in an existing allow list never deny one.
        #[test]
        fn lists_are_monotonic(
            allow in proptest::option::of(proptest::collection::vec(0_usize..4, 0..4)),
            deny in proptest::collection::vec(0_usize..4, 0..3),
            more in 0_usize..4,
            tool in 0_usize..4,
        ) {
            const TOOLS: [&str; 4] = ["fs.read", "fs.write", "os.exec", "kb.search"];
            let names = |list: &[usize]| list.iter().map(|at| TOOLS[*at]).collect::<Vec<_>>().join(", ");
            let text = |allow: &Option<Vec<usize>>, deny: &[usize]| {
                let allow = allow.as_ref().map_or(String::new(), |allow| format!("allow: [{}], ", names(allow)));
                format!("{{{allow}deny: [{}]}}", names(deny))
            };
            let is_given = |text: &str| verdict(&[], &[text], TOOLS[tool]) == "given";
            let before = is_given(&text(&allow, &deny));
            let oracle = allow.as_ref().is_none_or(|allow| allow.contains(&tool)) && !deny.contains(&tool);
            // Without lists of the project, those of the agent are the first.
            prop_assert_eq!(before, oracle);
            let more_denied = [deny.clone(), vec![more]].concat();
            prop_assert!(before || !is_given(&text(&allow, &more_denied)));
            if let Some(allow) = &allow {
                let more_allowed = Some([allow.clone(), vec![more]].concat());
                prop_assert!(!before || is_given(&text(&more_allowed, &deny)));
            }
        }
    }
}
