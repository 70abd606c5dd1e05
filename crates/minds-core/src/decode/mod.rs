//! Decodes `team.yaml`.

mod access;
pub(crate) mod member;
pub(crate) mod model_params;
mod routing;

use std::sync::{Arc, LazyLock};

use minds_diagnostics::Span;
use minds_document::json_schema::{
    Keywords as _, Schema, SchemaGenerator, any_of, json, json_schema, mapping, string,
};
use minds_document::yaml::KeyOrder;
use minds_document::{
    Context, Decode, Entry, Field, Keys as _, List, Node, Spanned, Text, Value, decode_list,
};

use crate::model::{Member, MemberFields, Team};

impl Decode for Team {
    const ORDER: KeyOrder = KeyOrder::of::<Self>();

    fn decode(node: Node<'_>, cx: &mut Context) -> Option<Self> {
        let mut team = Self::from_fields(cx.fields(node)?, |entry| {
            if looks_like_a_member(entry.value) {
                return Some(format!("indent `{}` below `members` if it is meant as a member", entry.key));
            }
            member::is_key(entry.key).then(|| {
                format!("move it below `member_defaults` or a member: `{}` is a field of members", entry.key)
            })
        });
        if let Some(place) = team.members_field.as_given() {
            team.members = decode_members(node.document().node(place.node), cx);
        }
        Some(team)
    }
}

pub(crate) fn add_team_snippet(schema: Schema) -> Schema {
    schema.snippet(
        "team",
        "A team with defaults and one member",
        &json!({
            "member_defaults": { "provider": "${1:codex}", "model": "${2:gpt-5.2}", "no_write_dirs": [".minds/**"] },
            "default_responder": "${3:coder}",
            "members": { "${3:coder}": { "name": "${4:Coder}", "toolsets": ["ws_read", "ws_mod"] } },
        }),
    )
}

/// Checks that the members are a mapping.
pub(crate) fn members(node: Node<'_>, cx: &mut Context) -> Option<()> {
    if node.value() == Value::Mapping {
        return Some(());
    }
    cx.type_error(node, "a mapping from ids to members");
    None
}

pub(crate) fn members_schema(generator: &mut SchemaGenerator) -> Schema {
    mapping(generator.subschema_for::<MemberFields>()).user_keys().snippet(
        "member",
        "A member with its toolsets",
        &json!({ "${1:coder}": { "name": "${2:Coder}", "gofor": ["${3:changing code}"], "toolsets": ["${4:ws_read}"] } }),
    )
}

fn decode_members(node: Node<'_>, cx: &mut Context) -> Vec<Member> {
    let entries = node.entries().filter(|entry| !entry.key.starts_with("x-"));
    let decode = |entry: Entry<'_>| {
        let fields = match decode_member(entry, cx) {
            Some(fields) => Field::Given(Spanned::new(fields, entry.value)),
            None => Field::Unreadable(Spanned::new((), entry.value)),
        };
        let id_is_typed = !matches!(entry.key_node.value(), Value::String(_) | Value::Unknown);
        Member { id: Spanned::new(entry.key.to_owned(), entry.key_node), id_is_typed, fields }
    };
    let mut members = Vec::with_capacity(node.entries().count());
    members.extend(entries.map(decode));
    members
}

/// Decodes one member. Members without fields share one value.
fn decode_member(entry: Entry<'_>, cx: &mut Context) -> Option<Arc<MemberFields>> {
    static NOTHING: LazyLock<Arc<MemberFields>> = LazyLock::new(Arc::default);
    let node = entry.value;
    if node.value() == Value::Mapping {
        if node.entries().next().is_none() {
            return Some(Arc::clone(&NOTHING));
        }
        return MemberFields::decode(node, cx).map(Arc::new);
    }
    cx.type_error_with(node, "a mapping of fields", |found| {
        let found = found.secondary(entry.key_node.label().message("read as the id of a member"));
        if member::is_key(entry.key) {
            return found
                .help(format!("indent `{}` further if it is a field of the member above", entry.key));
        }
        if node.value() != Value::Null {
            return found;
        }
        let source = node.document().source();
        let found = found.help(format!("write `{}: {{}}` if it has no fields of its own", entry.key));
        // Without a colon, or with an anchor, more than the value would have to change.
        let announced = source.slice(Span::new(0, node.span().start())).ends_with(':');
        let is_replaceable = if node.span().is_empty() { announced } else { node.is_rewritable() };
        if !is_replaceable {
            return found;
        }
        let empty = if node.span().is_empty() { " {}" } else { "{}" };
        found.fix("write an empty mapping", source, node.span(), empty)
    });
    None
}

/// Returns whether a value is a mapping that contains only fields of members.
pub(crate) fn looks_like_a_member(node: Node<'_>) -> bool {
    let mut keys = node.entries().map(|entry| entry.key).peekable();
    keys.peek().is_some() && keys.all(|key| key.starts_with("x-") || member::is_key(key))
}

/// Decodes the shell specialists: one id, a list of ids, or null for none. Removes blank entries and white space around
/// ids.
pub(crate) fn specialists(node: Node<'_>, cx: &mut Context) -> Option<List<String>> {
    let mut list = match node.value() {
        Value::Null => List::default(),
        Value::String(id) => List { items: vec![Spanned::new(id.to_owned(), node)], is_complete: true },
        _ => decode_list(node, cx, "a string, a list of strings or null", Text::decode)?,
    };
    for item in &mut list.items {
        item.value = item.value.trim().to_owned();
    }
    list.items.retain(|item| !item.value.is_empty());
    Some(list)
}

pub(crate) fn specialists_schema(generator: &mut SchemaGenerator) -> Schema {
    any_of([string(), generator.subschema_for::<List<Text>>(), json_schema!({ "type": "null" })])
}
