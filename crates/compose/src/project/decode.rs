//! Decoders and JSON Schemas of values of project files.

use minds_document::json_schema::{
    Keywords as _, Schema, SchemaGenerator, any_of, json_schema, mapping, or_null, string,
};
use minds_document::yaml::KeyOrder;
use minds_document::{
    Context, Decode, Entry, Field, List, Node, Spanned, Text, Value, decode_list, inline_schema,
};

use super::model::{Agent, AgentFields, Agents, Members, RolePrompt};
use crate::raw_scalar::RawScalar;
use crate::runtime::BUILT_IN_RUNTIMES;
use crate::values::{decode_unambiguous_string, is_empty, keyword, reject_bare_tag};

impl Decode for Members {
    fn decode(node: Node<'_>, cx: &mut Context) -> Option<Self> {
        let node = reject_bare_tag(node, cx)?;
        match node.value() {
            Value::String("*") => Some(Self::Everyone),
            Value::String(name) => {
                cx.value_error(node, "`\"*\"` or a list of ids", |found| {
                    let found = found.primary(node.label().message("neither `\"*\"` nor a list"));
                    if name.trim().is_empty() {
                        return found;
                    }
                    let source = node.document().source();
                    let listed = format!("[{}]", source.slice(node.span()));
                    found.help(format!("write `{listed}` for this agent, or `\"*\"` for all agents"))
                });
                None
            }
            _ => {
                decode_list(node, cx, "`\"*\"` or a list of ids", decode_unambiguous_string).map(Self::Listed)
            }
        }
    }
}

inline_schema!(Members, |generator| {
    any_of([json_schema!({ "const": "*" }), generator.subschema_for::<List<Text>>()])
});

impl Decode for Agents {
    const ORDER: KeyOrder = KeyOrder::named::<AgentFields>();

    fn decode(node: Node<'_>, cx: &mut Context) -> Option<Self> {
        if node.value() != Value::Mapping {
            cx.type_error(node, "a mapping from ids to agents");
            return None;
        }
        let mut agents = Vec::with_capacity(node.entries().count());
        for entry in node.entries() {
            if !cx.is_merge_key(&entry) {
                agents.push(decode_agent(&entry, cx));
            }
        }
        Some(Self(agents))
    }
}

inline_schema!(Agents, |generator| {
    mapping(or_null(generator.subschema_for::<AgentFields>())).no_merge_key()
});

fn decode_agent(entry: &Entry<'_>, cx: &mut Context) -> Agent {
    let node = entry.value;
    let fields = match node.value() {
        Value::Null if is_empty(node) => Some(Box::default()),
        Value::Mapping => AgentFields::decode(node, cx).map(Box::new),
        _ => {
            cx.type_error_with(node, "a mapping of fields", |found| {
                found.secondary(entry.key_node.label().message("this key is read as the id of an agent"))
            });
            None
        }
    };
    let fields = match fields {
        Some(fields) => Field::Given(Spanned::new(fields, node)),
        None => Field::Unreadable(Spanned::new((), node)),
    };
    Agent { id: Spanned::new(entry.key.to_owned(), entry.key_node), fields }
}

impl Decode for RolePrompt {
    fn decode(node: Node<'_>, cx: &mut Context) -> Option<Self> {
        let node = reject_bare_tag(node, cx)?;
        match node.value() {
            Value::String(_) => {
                decode_unambiguous_string(node, cx).map(|path| Self::File(Spanned::new(path, node)))
            }
            Value::Sequence => {
                decode_list(node, cx, "a path or a list of paths", decode_unambiguous_string).map(Self::Files)
            }
            _ => {
                cx.type_error(node, "a path or a list of paths");
                None
            }
        }
    }
}

inline_schema!(RolePrompt, |generator| any_of([string(), generator.subschema_for::<List<Text>>()]));

/// Decodes the reasoning effort.
pub(super) fn effort(node: Node<'_>, cx: &mut Context) -> Option<RawScalar> {
    keyword(&AgentFields::EFFORTS)(reject_bare_tag(node, cx)?, cx)
}

pub(super) fn runtime_schema(generator: &mut SchemaGenerator) -> Schema {
    generator.subschema_for::<RawScalar>().suggest(BUILT_IN_RUNTIMES)
}

pub(super) fn permission_mode_schema(generator: &mut SchemaGenerator) -> Schema {
    generator.subschema_for::<RawScalar>().suggest(AgentFields::PERMISSION_MODES)
}

pub(super) fn autonomy_schema(generator: &mut SchemaGenerator) -> Schema {
    generator.subschema_for::<RawScalar>().suggest(AgentFields::AUTONOMY)
}
