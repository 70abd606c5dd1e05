//! From the tree of `team.yaml` to the model.

mod access;
mod member;
pub(crate) mod model_params;
mod routing;

use minds_document::{Context, Decode, Field, List, Node, Spanned, Text, Value, decode_list};

use crate::model::{Member, MemberFields, Team};

impl Decode for Team {
    fn decode(node: Node<'_>, cx: &mut Context) -> Option<Self> {
        let mut fields = cx.fields(node)?;
        let member_defaults = fields.optional("member_defaults");
        let default_responder = fields.optional("default_responder");
        let shell_specialists = fields.optional_with("shell_specialists", specialists);
        let mut members = Vec::new();
        let members_field = fields.optional_with("members", |node, cx| {
            if node.value() != Value::Mapping {
                cx.type_error(node, "a mapping from ids to members");
                return None;
            }
            members = decode_members(node, cx);
            Some(())
        });
        fields.finish_with(|entry| {
            let member_field = member::FIELDS.contains(&entry.key);
            member_field.then(|| {
                format!("move it below `member_defaults` or a member: `{}` is a field of members", entry.key)
            })
        });
        Some(Self { member_defaults, default_responder, shell_specialists, members, members_field })
    }
}

fn decode_members(node: Node<'_>, cx: &mut Context) -> Vec<Member> {
    let entries = node.entries().filter(|entry| !entry.key.starts_with("x-"));
    let decode = |entry: minds_document::Entry<'_>| {
        let fields = match MemberFields::decode(entry.value, cx) {
            Some(fields) => Field::Given(Spanned::new(fields, entry.value)),
            None => Field::Unreadable(Spanned::new((), entry.value)),
        };
        let id_is_typed = !matches!(entry.key_node.value(), Value::String(_) | Value::Unknown);
        Member { id: Spanned::new(entry.key.to_owned(), entry.key_node), id_is_typed, fields }
    };
    entries.map(decode).collect()
}

/// Reads the shell specialists: one id, a list of ids, or null for none. Blank entries are gone, and so is white space
/// around an id.
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

/// Returns whether a key is a field of members, or one that nobody reads.
pub(crate) fn is_member_key(key: &str) -> bool {
    key.starts_with("x-") || member::FIELDS.contains(&key)
}
