//! Which tools an agent has.

use minds_document::{Field, List, Spanned};

use super::ToolName;

/// What one place says about tools: the project, or an agent.
#[derive(Debug, Default)]
pub struct ToolLists {
    /// The tools that are given; nothing is restricted where it is absent, and nothing is given where it is empty.
    pub allow: Field<List<ToolName>>,
    /// The tools that are not given, whatever else is said.
    pub deny: Field<List<ToolName>>,
    /// Whether tools may do what needs to be confirmed else.
    pub r#unsafe: Field<bool>,
}

/// Which list of which place decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Denial<'l> {
    /// A deny list has the tool: the index of the place, and the entry.
    Denied(usize, &'l Spanned<ToolName>),
    /// An allow list does not have the tool: the index of the place.
    NotAllowed(usize),
    /// A list could not be read whole, and may be about the tool: the index of the place.
    Unreadable(usize),
}

/// Whether an agent has a tool.
pub type Verdict<'l> = Result<(), Denial<'l>>;

/// What several layers say about the tools of one place, highest layer first: their lists together.
#[derive(Clone, Debug, Default)]
pub struct Stand<'l> {
    layers: Vec<&'l ToolLists>,
    /// Whether a layer says something that could not be read at all.
    is_unreadable: bool,
}

impl<'l> Stand<'l> {
    /// Returns what `layers` say together.
    pub fn new(layers: impl IntoIterator<Item = &'l ToolLists>) -> Self {
        Self { layers: layers.into_iter().collect(), is_unreadable: false }
    }

    /// Returns what the fields of several layers say together; `is_known` is false if a layer may say more.
    pub fn of(fields: impl IntoIterator<Item = &'l Field<ToolLists>>, is_known: bool) -> Self {
        let mut stand = Self { layers: Vec::new(), is_unreadable: !is_known };
        for field in fields {
            stand.is_unreadable |= field.is_unreadable();
            stand.layers.extend(field.given().map(|lists| &lists.value));
        }
        stand
    }

    /// Returns whether an agent has a tool, after what each of `places` says: the project, and the agent.
    ///
    /// The first that applies decides:
    ///
    /// 1. a deny list of any place has the tool: it is denied;
    /// 2. a deny list cannot be read whole: it is denied, because the entry that is missing may be about it;
    /// 3. an allow list of a place is there and does not have the tool, or cannot be read at all: it is denied;
    /// 4. the tool is given.
    pub fn judge(places: &[Self], tool: &ToolName) -> Verdict<'l> {
        for (at, place) in places.iter().enumerate() {
            let mut denied = place.lists(|lists| &lists.deny).flat_map(|list| &list.items);
            if let Some(entry) = denied.find(|entry| entry.value == *tool) {
                return Err(Denial::Denied(at, entry));
            }
        }
        if let Some(at) = places.iter().position(|place| place.is_incomplete(|lists| &lists.deny)) {
            return Err(Denial::Unreadable(at));
        }
        for (at, place) in places.iter().enumerate() {
            let is_absent = place.layers.iter().all(|lists| lists.allow.is_absent());
            let mut allowed = place.lists(|lists| &lists.allow).flat_map(|list| &list.items);
            if is_absent || allowed.any(|entry| entry.value == *tool) {
                continue;
            }
            let is_read = !place.is_incomplete(|lists| &lists.allow);
            return Err(if is_read { Denial::NotAllowed(at) } else { Denial::Unreadable(at) });
        }
        Ok(())
    }

    /// Returns every tool that a list names.
    pub fn named(&self) -> impl Iterator<Item = &'l ToolName> + use<'l, '_> {
        let lists = self.lists(|lists| &lists.allow).chain(self.lists(|lists| &lists.deny));
        lists.flat_map(|list| &list.items).map(|entry| &entry.value)
    }

    fn lists<'s>(
        &'s self,
        get: fn(&ToolLists) -> &Field<List<ToolName>>,
    ) -> impl Iterator<Item = &'l List<ToolName>> + use<'l, 's> {
        self.layers.iter().filter_map(move |lists| get(lists).given()).map(|list| &list.value)
    }

    fn is_incomplete(&self, get: fn(&ToolLists) -> &Field<List<ToolName>>) -> bool {
        let is_unreadable = self.layers.iter().any(|lists| get(lists).is_unreadable());
        self.is_unreadable || is_unreadable || self.lists(get).any(|list| !list.is_complete)
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
        match Stand::judge(&[Stand::new(&project), Stand::new(&agent)], &ToolName::parse(tool).unwrap()) {
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
        ] {
            assert_eq!(verdict(&[project], &[agent], "fs.read"), expected, "{project} {agent}");
        }
    }

    #[test]
    fn the_lists_of_layers_are_put_together() {
        assert_eq!(verdict(&["{allow: [fs.write]}", "{allow: [fs.read]}"], &[], "fs.read"), "given");
        assert_eq!(verdict(&["{}", "{allow: [fs.write]}"], &[], "fs.read"), "not allowed by the project");
        assert_eq!(
            verdict(&["{allow: [fs.read]}", "{deny: [fs.read]}"], &[], "fs.read"),
            "denied by the project"
        );
    }

    proptest! {
        /// More in a deny list never gives a tool, and more in an allow list that is there never takes one.
        #[test]
        fn lists_are_monotonous(
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
            // Without a project there is one place, the first.
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
