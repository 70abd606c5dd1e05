//! Decodes `team.yaml`.

mod access;
mod member;
pub(crate) mod model_params;
mod routing;

use std::sync::{Arc, LazyLock};

use minds_diagnostics::Span;
use minds_document::{Context, Decode, Entry, Field, List, Node, Spanned, Text, Value, decode_list};

#[cfg(test)]
pub(crate) use self::member::FIELDS as MEMBER_KEYS;
use crate::model::{Member, MemberFields, Team};

impl Decode for Team {
    fn decode(node: Node<'_>, cx: &mut Context) -> Option<Self> {
        let mut fields = cx.fields(node)?;
        let mut member_defaults = fields.read("member_defaults");
        let mut default_responder = fields.read("default_responder");
        let mut shell_specialists = fields.read_with("shell_specialists", specialists);
        let mut members = Vec::new();
        let mut members_field = fields.read_with("members", |node, cx| {
            if node.value() != Value::Mapping {
                cx.type_error(node, "a mapping from ids to members");
                return None;
            }
            members = decode_members(node, cx);
            Some(())
        });
        let meant = fields.finish_with(|entry| {
            if looks_like_a_member(entry.value) {
                return Some(format!("indent `{}` below `members` if it is meant as a member", entry.key));
            }
            member::FIELDS.contains(&entry.key).then(|| {
                format!("move it below `member_defaults` or a member: `{}` is a field of members", entry.key)
            })
        });
        meant.mark_unreadable("member_defaults", &mut member_defaults);
        meant.mark_unreadable("default_responder", &mut default_responder);
        meant.mark_unreadable("shell_specialists", &mut shell_specialists);
        meant.mark_unreadable("members", &mut members_field);
        Some(Self { member_defaults, default_responder, shell_specialists, members, members_field })
    }
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
        if member::FIELDS.contains(&entry.key) {
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
    keys.peek().is_some() && keys.all(|key| key.starts_with("x-") || member::FIELDS.contains(&key))
}

/// Decodes the shell specialists: one id, a list of ids, or null for none. Removes blank entries and white space around
/// ids.
fn specialists(node: Node<'_>, cx: &mut Context) -> Option<List<String>> {
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
