//! The members to render, with what clients can express.

use std::collections::BTreeMap;
use std::sync::Arc;

use minds_core::catalog::{Abilities, Ability, TOOLSETS};
use minds_core::mcp::{Mcp, ServerFields};
use minds_core::{Effective, Grants, MemberPolicies, MemberPolicy, TeamFamily, catalog};
use minds_document::{Document, Field, List, NodeId};
use serde_json::Value;

use crate::rights::Hands;

/// What precedes the requests that a member is not for.
const NOT_FOR: &str = "Not for";

/// Text of a member: its persona, knowledge or lessons.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemberText {
    /// `persona`, `knowledge` or `lessons`.
    pub kind: String,
    /// The text without secrets.
    pub text: String,
}

/// A part of the instructions of a member.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InstructionPart<'t> {
    /// `persona`, `knowledge` or `lessons`; none for a sentence that replaces them.
    pub kind: Option<&'t str>,
    /// The text.
    pub text: String,
}

/// The team to render.
#[derive(Debug)]
pub struct Team<'t> {
    pub(crate) document: &'t Document,
    pub(crate) members: Vec<Member<'t>>,
    pub(crate) servers: Vec<Server<'t>>,
}

/// A member, after inheritance.
#[derive(Debug)]
pub(crate) struct Member<'t> {
    pub(crate) id: &'t str,
    /// The key of the member in the file.
    pub(crate) node: NodeId,
    pub(crate) policy: Arc<MemberPolicy>,
    /// What the member can do with files and programs.
    pub(crate) abilities: Abilities,
    pub(crate) hands: Hands,
    /// The indexes of the servers whose tools the member has.
    pub(crate) servers: Vec<usize>,
    /// The granted toolsets without a counterpart in clients.
    pub(crate) other_toolsets: Vec<&'static str>,
    pub(crate) texts: Vec<MemberText>,
    fields: BTreeMap<&'static str, (Value, Option<NodeId>)>,
}

/// An MCP server.
#[derive(Debug)]
pub(crate) struct Server<'t> {
    pub(crate) id: &'t str,
    /// The names of the tools that members have, if the server offers only these; none if it offers all.
    pub(crate) tools: Tools,
}

/// Which tools of a server members have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Tools {
    All,
    Named(Vec<String>),
    /// The filter or the names cannot be expressed.
    Unknown,
}

impl<'t> Team<'t> {
    /// Reads the team of a family; none if its file could not be read. `texts` returns the minds files of a member.
    pub fn read(family: &'t TeamFamily, texts: &dyn Fn(&str) -> Vec<MemberText>) -> Option<Self> {
        let (team, document) = family.readable_team()?;
        let servers = match family.readable_mcp() {
            Some((mcp, _)) => read_servers(mcp),
            None => Vec::new(),
        };
        let mut policies = MemberPolicies::new(team, document);
        let mut members = Vec::new();
        for member in team.effective() {
            // A member that every team has is managed by the program, unless the file defines it.
            let Some(definition) = member.definition() else { continue };
            let grants = policies.grants(&member);
            let abilities = grants.abilities();
            members.push(Member {
                id: member.id,
                node: definition.id.node,
                policy: policies.policy(&member),
                hands: Hands {
                    reads: has_any(&abilities, &Ability::READING),
                    writes: has_any(&abilities, &Ability::WRITING),
                },
                abilities,
                servers: granted_servers(&grants, &servers),
                other_toolsets: other_toolsets(&grants),
                texts: texts(member.id),
                fields: fields(&member, document),
            });
        }
        Some(Self { document, members, servers })
    }

    /// Returns the ids of the members that the file defines.
    pub fn ids(&self) -> impl Iterator<Item = &str> {
        self.members.iter().map(|member| member.id)
    }

    /// Returns the instructions of a member as its agents have them, by the minds files to which they belong.
    pub fn instructions_of(&self, id: &str) -> Vec<InstructionPart<'_>> {
        let member = self.members.iter().find(|member| member.id == id);
        member.map(Member::instruction_parts).unwrap_or_default()
    }

    /// Returns the ids of the MCP servers whose tools a member has.
    pub fn servers_of(&self, id: &str) -> Vec<&str> {
        let granted = self.members.iter().filter(|member| member.id == id).flat_map(|member| &member.servers);
        granted.filter_map(|index| self.servers.get(*index)).map(|server| server.id).collect()
    }

    /// Returns whether the file defines a member.
    pub fn has_member(&self, id: &str) -> bool {
        self.ids().any(|known| known == id)
    }
}

impl Member<'_> {
    pub(crate) fn has_shell(&self) -> bool {
        self.abilities.contains(&Ability::Shell)
    }

    /// Returns whether the member can do all that the client cannot give one by one: change and create files.
    pub(crate) fn can_write_all(&self) -> bool {
        Ability::WRITING.iter().all(|ability| self.abilities.contains(ability))
    }

    /// Returns a string field.
    pub(crate) fn text(&self, key: &str) -> Option<&str> {
        self.fields.get(key)?.0.as_str().filter(|text| !text.trim().is_empty())
    }

    /// Returns where a field is defined.
    pub(crate) fn place(&self, key: &str) -> Option<NodeId> {
        self.fields.get(key)?.1
    }

    /// Returns whether the file gives a field, itself or by inheritance.
    pub(crate) fn gives(&self, key: &str) -> bool {
        self.place(key).is_some()
    }

    /// Returns the display name, if it is not the id.
    pub(crate) fn display_name(&self) -> Option<&str> {
        self.text("name").filter(|name| *name != self.id)
    }

    pub(crate) fn is_hidden(&self) -> bool {
        self.fields.get("hidden").is_some_and(|(value, _)| *value == Value::Bool(true))
    }

    /// Returns what the member is for, as one line; its name if the file does not say it.
    pub(crate) fn description(&self) -> String {
        let line =
            |key: &str| self.fields.get(key).map(|(value, _)| routing(value)).filter(|line| !line.is_empty());
        let mut parts = Vec::new();
        match (self.display_name().map(one_line), line("gofor")) {
            (Some(name), Some(gofor)) => parts.push(format!("{name}: {gofor}.")),
            (Some(only), None) | (None, Some(only)) => parts.push(format!("{only}.")),
            (None, None) => {}
        }
        if let Some(nogo) = line("nogo") {
            // The text may say so itself.
            let is_said = nogo.get(..NOT_FOR.len()).is_some_and(|start| start.eq_ignore_ascii_case(NOT_FOR));
            parts.push(if is_said { format!("{nogo}.") } else { format!("{NOT_FOR}: {nogo}.") });
        }
        if parts.is_empty() { format!("The member {} of the team.", self.id) } else { parts.join(" ") }
    }

    /// Returns whether the model has parameters besides some.
    pub(crate) fn has_other_params(&self, known: &[&str]) -> bool {
        let params = self.fields.get("model_params").and_then(|(params, _)| params.as_object());
        let names = params.into_iter().flat_map(|params| params.values());
        names
            .filter_map(Value::as_object)
            .any(|params| params.keys().any(|key| !known.contains(&key.as_str())))
            || params.is_some_and(|params| params.values().any(|value| !value.is_object()))
    }

    /// Returns a number of the parameters of the model, such as `temperature`.
    pub(crate) fn model_number(&self, key: &str) -> Option<&serde_json::Number> {
        let (params, _) = self.fields.get("model_params")?;
        let mut by_provider = params.as_object()?.values().filter_map(Value::as_object);
        by_provider.find_map(|params| match params.get(key) {
            Some(Value::Number(number)) => Some(number),
            _ => None,
        })
    }

    /// Returns the reasoning effort of the model, if the parameters name one.
    pub(crate) fn effort(&self) -> Option<&str> {
        let (params, _) = self.fields.get("model_params")?;
        let by_provider = params.as_object()?.values().filter_map(Value::as_object);
        let mut found =
            by_provider.flat_map(|params| ["reasoning_effort", "effort"].map(|key| params.get(key)));
        found.find_map(|value| value.and_then(Value::as_str))
    }

    /// Returns the minds files as instructions: a persona alone as it is, several files below headings.
    pub(crate) fn instructions(&self) -> String {
        self.instruction_parts().into_iter().map(|part| part.text).collect()
    }

    /// Returns the instructions by the minds files to which they belong.
    fn instruction_parts(&self) -> Vec<InstructionPart<'_>> {
        let given: Vec<&MemberText> = self.texts.iter().filter(|text| !text.text.trim().is_empty()).collect();
        match given.as_slice() {
            [] => {
                let text = format!("You are the member `{}` of the team of this workspace.\n", self.id);
                vec![InstructionPart { kind: None, text }]
            }
            [only] if only.kind == "persona" => {
                vec![InstructionPart { kind: Some(&only.kind), text: only.text.clone() }]
            }
            texts => {
                let part = |(index, text): (usize, &&'_ MemberText)| format_part(text, index > 0);
                let texts = texts.iter().enumerate().map(part);
                let kinds = given.iter().map(|text| Some(text.kind.as_str()));
                kinds.zip(texts).map(|(kind, text)| InstructionPart { kind, text }).collect()
            }
        }
    }
}

fn has_any(abilities: &Abilities, group: &[Ability]) -> bool {
    group.iter().any(|ability| abilities.contains(ability))
}

fn format_part(text: &MemberText, is_further: bool) -> String {
    let mut part = String::new();
    if is_further {
        part.push('\n');
    }
    if text.kind != "persona" {
        let mut heading = text.kind.clone();
        if let Some(first) = heading.get_mut(..1) {
            first.make_ascii_uppercase();
        }
        part.push_str(&format_heading(&heading));
    }
    part.push_str(&text.text);
    if !part.ends_with('\n') {
        part.push('\n');
    }
    part
}

fn format_heading(heading: &str) -> String {
    format!("## {heading}\n\n")
}

fn granted_servers(grants: &Grants<'_>, servers: &[Server<'_>]) -> Vec<usize> {
    let is_granted =
        |server: &Server<'_>| !catalog::is_toolset_name(server.id) && grants.has_toolset(server.id);
    servers.iter().enumerate().filter(|(_, server)| is_granted(server)).map(|(index, _)| index).collect()
}

/// The toolsets whose tools clients have themselves, or whose tools every agent has.
const KNOWN_TOOLSETS: [&str; 7] =
    ["ws_read", "ws_mod", "fs_read", "os", "codex_style_tools", "codex_inspect_and_patch_tools", "control"];

fn other_toolsets(grants: &Grants<'_>) -> Vec<&'static str> {
    let is_other = |name: &&str| !KNOWN_TOOLSETS.contains(name) && grants.has_toolset(name);
    TOOLSETS.iter().map(|toolset| toolset.name).filter(is_other).collect()
}

fn fields(member: &Effective<'_>, document: &Document) -> BTreeMap<&'static str, (Value, Option<NodeId>)> {
    member.fields(document).into_iter().map(|field| (field.name, (field.value, field.from))).collect()
}

fn read_servers(mcp: &Mcp) -> Vec<Server<'_>> {
    let mut servers = Vec::new();
    for server in &mcp.servers {
        let Some(fields) = server.fields.as_given() else { continue };
        let fields = &fields.value;
        if fields.enabled.as_given().is_some_and(|enabled| !enabled.value) {
            continue;
        }
        servers.push(Server { id: &server.id.value, tools: exposed_tools(fields) });
    }
    servers
}

/// Returns the tools that a filter leaves, as far as clients can name them.
fn exposed_tools(server: &ServerFields) -> Tools {
    let filter = match &server.tools {
        Field::Absent => return Tools::All,
        Field::Given(filter) => &filter.value,
        Field::Unreadable(_) => return Tools::Unknown,
    };
    match (names(&filter.whitelist), names(&filter.blacklist)) {
        (Some(whitelist), Some(blacklist)) if whitelist.is_empty() && blacklist.is_empty() => Tools::All,
        (Some(whitelist), Some(blacklist))
            if blacklist.is_empty() && !whitelist.iter().any(|name| name.contains('*')) =>
        {
            Tools::Named(whitelist)
        }
        _ => Tools::Unknown,
    }
}

/// Returns the entries of a list; none if it could not be read.
fn names(list: &Field<List<String>>) -> Option<Vec<String>> {
    match list {
        Field::Absent => Some(Vec::new()),
        Field::Given(list) if list.value.is_complete => {
            Some(list.value.items.iter().map(|item| item.value.clone()).collect())
        }
        Field::Given(_) | Field::Unreadable(_) => None,
    }
}

/// Returns what a member is for, on one line.
fn routing(value: &Value) -> String {
    match value {
        Value::String(text) => one_line(text),
        Value::Array(items) => join(items.iter().map(routing)),
        Value::Object(labels) => {
            join(labels.iter().map(|(label, value)| format!("{}: {}", one_line(label), routing(value))))
        }
        _ => String::new(),
    }
}

fn join(parts: impl Iterator<Item = String>) -> String {
    let parts: Vec<String> = parts.filter(|part| !part.is_empty()).collect();
    parts.join("; ")
}

/// Returns text on one line, without a full stop at its end.
pub(crate) fn one_line(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ").trim_end_matches('.').to_owned()
}
