//! Decodes routing descriptions.

use minds_document::{Context, Decode, Node, Text, Value};

use crate::model::{Routing, Wording};

impl Decode for Wording {
    fn decode(node: Node<'_>, cx: &mut Context) -> Option<Self> {
        match node.value() {
            Value::String(_) => Some(Self),
            // Reports the type error.
            _ => Text::decode(node, cx).map(|_| Self),
        }
    }
}

impl Decode for Routing {
    fn decode(node: Node<'_>, cx: &mut Context) -> Option<Self> {
        match node.value() {
            Value::String(_) => Some(Self::Text),
            Value::Sequence => {
                node.items().for_each(|item| check_item(item, cx));
                Some(Self::Items)
            }
            Value::Mapping => labels(node, cx).then_some(Self::Labelled),
            _ => {
                cx.type_error(node, "a string, a list or a mapping");
                None
            }
        }
    }
}

/// Reports an item that is neither a string nor a mapping from one label to a string.
fn check_item(node: Node<'_>, cx: &mut Context) {
    match node.value() {
        Value::String(_) => {}
        Value::Mapping if node.entries().filter(|entry| !entry.key.starts_with("x-")).count() != 1 => {
            cx.value_error(node, "a string or a mapping with one entry", |found| {
                found.help("write one item for each label")
            });
        }
        Value::Mapping => {
            labels(node, cx);
        }
        _ => cx.type_error(node, "a string or a mapping with one entry"),
    }
}

/// Checks strings by label; returns whether all of them are valid.
fn labels(node: Node<'_>, cx: &mut Context) -> bool {
    let mut all = true;
    for entry in node.entries().filter(|entry| !entry.key.starts_with("x-")) {
        all &= Wording::decode(entry.value, cx).is_some();
    }
    all
}
