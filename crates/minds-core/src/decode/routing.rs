//! What to come to a member for.

use minds_document::{Context, Decode, Node, Text, Value, decode_list};

use crate::model::{Routing, RoutingItem};

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

fn item(node: Node<'_>, cx: &mut Context) -> Option<RoutingItem> {
    match node.value() {
        Value::String(text) => Some(RoutingItem::Text(text.to_owned())),
        Value::Mapping if node.entries().filter(|entry| !entry.key.starts_with("x-")).count() != 1 => {
            cx.value_error(node, "a string or a mapping with one entry", |found| {
                found.help("write one item for each label")
            });
            None
        }
        Value::Mapping => labels(node, cx).then_some(RoutingItem::Labelled),
        _ => {
            cx.type_error(node, "a string or a mapping with one entry");
            None
        }
    }
}

/// Reads texts by label; returns whether all of them could be read.
fn labels(node: Node<'_>, cx: &mut Context) -> bool {
    let mut all = true;
    for entry in node.entries().filter(|entry| !entry.key.starts_with("x-")) {
        all &= Text::decode(entry.value, cx).is_some();
    }
    all
}
