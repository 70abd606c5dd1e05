//! What to come to a member for.

use minds_document::{Context, Decode, Node, Text, Value, decode_list};

use crate::model::Routing;

impl Decode for Routing {
    fn decode(node: Node<'_>, cx: &mut Context) -> Option<Self> {
        match node.value() {
            Value::String(text) => Some(Self::Text(text.to_owned())),
            Value::Sequence => decode_list(node, cx, "a list", item).map(Self::Items),
            Value::Mapping => labels(node, cx).then_some(Self::Labelled),
            _ => {
                cx.type_error(node, "a string, a list or a mapping");
                None
            }
        }
    }
}

fn item(node: Node<'_>, cx: &mut Context) -> Option<Option<String>> {
    match node.value() {
        Value::String(text) => Some(Some(text.to_owned())),
        Value::Mapping if node.entries().filter(|entry| !entry.key.starts_with("x-")).count() != 1 => {
            cx.value_error(node, "a string or a mapping with one entry", |found| {
                found.help("write one item for each label")
            });
            None
        }
        Value::Mapping => labels(node, cx).then_some(None),
        _ => {
            cx.type_error(node, "a string or a mapping with one entry");
            None
        }
    }
}

/// Reads texts by label; returns whether all of them could be read.
fn labels(node: Node<'_>, cx: &mut Context) -> bool {
    let entries = node.entries().filter(|entry| !entry.key.starts_with("x-"));
    // Every text is looked at, also behind one that cannot be read.
    entries.map(|entry| Text::decode(entry.value, cx).is_some()).fold(true, |all, one| all && one)
}
