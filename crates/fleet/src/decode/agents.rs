//! `agents.yaml`, the older form of all agents. It is read, but never written.

use minds_diagnostics::did_you_mean;
use minds_document::{
    Context, Decode, Field, FiniteNumber, LimitedNumber as _, List, Node, Spanned, Text, Value, decode_list,
};

use super::project::agent_name;
use crate::model::Agent;
use crate::rules::{invalid_tool, legacy_form, shorten};
use crate::scalars::not_blank;
use crate::tools::{BUILTIN, ToolLists, ToolName, ToolNameError};

/// The content of `agents.yaml`.
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
        let mut agents: Field<List<LegacyAgent>> = fields.read_with("agents", |node, cx| {
            legacy_form::report(
                node.key().unwrap_or(node),
                "defining all agents in one file is an older form",
                cx,
                |found| {
                    found.help("write `.ateam/agents/NAME/agent.yaml` for each, with a file for its prompt")
                },
            );
            decode_list(node, cx, "a list of agents", LegacyAgent::decode)
        });
        fields.finish().mark_unreadable("agents", &mut agents);
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
        let mut id = fields.read_with("id", agent_name);
        let mut model = fields.read_with("model", not_blank);
        let tools = fields.read_with("tools", tools);
        let _ =
            fields.read_with("temperature", or_nothing(|node, cx| FiniteNumber::decode(node, cx).map(drop)));
        let _ = fields.read_with(
            "max_tokens",
            or_nothing(|node, cx| i64::decode_within((1..).into(), node, cx).map(drop)),
        );
        for key in ["enable_scratchpad", "enable_summarization"] {
            let _: Field<bool> = fields.read(key);
        }
        for key in ["name", "description", "schema_file", "grammar_file", "created_at", "updated_at"] {
            let _ = fields.read_with(key, optional_text);
        }
        let _: Field<List<Text>> = fields.read("prompts");
        let misspelled = fields.finish();
        misspelled.mark_unreadable("id", &mut id);
        misspelled.mark_unreadable("model", &mut model);
        let missing = [("id", id.is_absent()), ("model", model.is_absent())];
        let missing: Vec<&str> = missing.iter().filter(|(_, lacks)| *lacks).map(|(key, _)| *key).collect();
        cx.missing_keys(node, &missing, None);
        let id = id.as_given()?.clone();
        let lists = tools.map(|allow| ToolLists {
            allow: Field::Given(Spanned { value: allow, span: id.span, node: id.node }),
            ..ToolLists::default()
        });
        let agent = Agent { name: Field::Given(id.clone()), model, tools: lists, ..Agent::default() };
        Some(Self { id, agent })
    }
}

/// Reads a list of tools. Older names have no dot and match no current tool; both are reported.
fn tools(node: Node<'_>, cx: &mut Context) -> Option<List<ToolName>> {
    let read = decode_list(node, cx, "a list of names of tools", |item, cx| {
        let text = Text::decode(item, cx)?;
        match ToolName::parse(&text) {
            Ok(name) => Some(Some(name)),
            Err(ToolNameError::OnePart) => {
                let message = format!("`{}` is an older name of a tool", shorten(&text));
                legacy_form::report(item, &message, cx, |found| {
                    let near = did_you_mean(&text.replace('_', "."), BUILTIN.iter().map(|tool| tool.name));
                    found.note("no tool has this name any more, so the entry grants nothing").maybe_help(near)
                });
                Some(None)
            }
            Err(error) => {
                invalid_tool::report(item, &text, error, cx);
                None
            }
        }
    })?;
    let named = read.items.into_iter().filter_map(|item| {
        let Spanned { value, span, node } = item;
        value.map(|value| Spanned { value, span, node })
    });
    Some(List { items: named.collect(), is_complete: read.is_complete })
}

/// Reads a string, a date, or null.
fn optional_text(node: Node<'_>, cx: &mut Context) -> Option<()> {
    or_nothing(|node, cx| match node.value() {
        Value::String(_) | Value::Date(_) => Some(()),
        _ => Text::decode(node, cx).map(drop),
    })(node, cx)
}

/// Reads what `read` reads, or null: older programs wrote every key, with null for an absent value.
fn or_nothing(
    read: impl Fn(Node<'_>, &mut Context) -> Option<()>,
) -> impl Fn(Node<'_>, &mut Context) -> Option<()> {
    move |node, cx| if node.value() == Value::Null { Some(()) } else { read(node, cx) }
}
