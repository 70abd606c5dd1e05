//! `agents.yaml`, in which all agents stood once. It is read, and never written.

use minds_document::{Context, Decode, Field, FiniteNumber, List, Node, Spanned, Text, Value, decode_list};

use super::project::name;
use crate::model::Agent;
use crate::rules::{invalid_tool, legacy_form};
use crate::texts::{integer, not_blank};
use crate::tools::{ToolLists, ToolName};

/// What `agents.yaml` says.
#[derive(Debug)]
pub(crate) struct LegacyAgents {
    /// The agents that could be read, in the order of the file.
    pub(crate) agents: Vec<LegacyAgent>,
    /// Whether these are all.
    pub(crate) is_complete: bool,
}

/// An item of `agents`.
#[derive(Debug)]
pub(crate) struct LegacyAgent {
    /// The id, which became the name.
    pub(crate) id: Spanned<String>,
    /// The same as an agent.
    pub(crate) agent: Agent,
}

impl Decode for LegacyAgents {
    fn decode(node: Node<'_>, cx: &mut Context) -> Option<Self> {
        let mut fields = cx.fields(node)?;
        let mut agents: Field<List<LegacyAgent>> = fields.optional_with("agents", |node, cx| {
            legacy_form::report(
                node.key().unwrap_or(node),
                "agents stand in one file, in an older form",
                cx,
                |found| {
                    found.help("write `.ateam/agents/NAME/agent.yaml` for each, with a file for its prompt")
                },
            );
            decode_list(node, cx, "a list of agents", LegacyAgent::decode)
        });
        fields.finish().mark("agents", &mut agents);
        if agents.is_absent() {
            cx.missing_keys(node, &["agents"], None);
        }
        let read = match agents {
            Field::Given(list) => list.value,
            Field::Absent | Field::Unreadable(_) => List { items: Vec::new(), is_complete: false },
        };
        let is_complete = read.is_complete && !node.document().is_partial();
        Some(Self { agents: read.items.into_iter().map(|item| item.value).collect(), is_complete })
    }
}

impl Decode for LegacyAgent {
    fn decode(node: Node<'_>, cx: &mut Context) -> Option<Self> {
        let mut fields = cx.fields(node)?;
        let mut id = fields.optional_with("id", |node, cx| name(node, "an agent", cx));
        let mut model = fields.optional_with("model", not_blank);
        let tools = fields.optional_with("tools", tools);
        let _: Field<FiniteNumber> = fields.optional("temperature");
        let _ = fields.optional_with("max_tokens", |node, cx| integer(node, cx, 1, i64::MAX));
        for key in ["enable_scratchpad", "enable_summarization"] {
            let _: Field<bool> = fields.optional(key);
        }
        for key in ["name", "description", "schema_file", "grammar_file", "created_at", "updated_at"] {
            let _ = fields.optional_with(key, text_or_nothing);
        }
        let _: Field<List<Text>> = fields.optional("prompts");
        let meant = fields.finish();
        meant.mark("id", &mut id);
        meant.mark("model", &mut model);
        let missing = [("id", id.is_absent()), ("model", model.is_absent())];
        let missing: Vec<&str> = missing.iter().filter(|(_, lacks)| *lacks).map(|(key, _)| *key).collect();
        cx.missing_keys(node, &missing, None);
        let id = id.given()?.clone();
        let lists = tools.map(|allow| ToolLists {
            allow: Field::Given(Spanned { value: allow, span: id.span, node: id.node }),
            ..ToolLists::default()
        });
        let agent = Agent { name: Field::Given(id.clone()), model, tools: lists, ..Agent::default() };
        Some(Self { id, agent })
    }
}

/// Reads a list of tools. What is no name of today names nothing, and is said.
fn tools(node: Node<'_>, cx: &mut Context) -> Option<List<ToolName>> {
    decode_list(node, cx, "a list of names of tools", |item, cx| {
        let text = Text::decode(item, cx)?;
        ToolName::parse(&text).map_err(|error| invalid_tool::report(item, &text, error, cx)).ok()
    })
}

/// Reads a text, a date, or nothing: what programs wrote here.
fn text_or_nothing(node: Node<'_>, cx: &mut Context) -> Option<()> {
    match node.value() {
        Value::Null | Value::String(_) | Value::Date(_) => Some(()),
        _ => Text::decode(node, cx).map(drop),
    }
}
