//! Decodes routing descriptions.

use std::borrow::Cow;

use minds_document::json_schema::{
    JsonSchema, Keywords as _, Schema, SchemaGenerator, any_of, json, list, mapping, string,
};
use minds_document::{Context, Decode, Node, Text, Value, inline_schema};

use crate::model::{CheckedText, Routing};

impl Decode for CheckedText {
    fn decode(node: Node<'_>, cx: &mut Context) -> Option<Self> {
        match node.value() {
            Value::String(_) => Some(Self),
            // Reports the type error.
            _ => Text::decode(node, cx).map(|_| Self),
        }
    }
}

inline_schema!(CheckedText, |_| string());

impl JsonSchema for Routing {
    fn schema_name() -> Cow<'static, str> {
        "routing".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let labels = || mapping(string()).user_keys();
        // A maximum of one would also count keys that are reserved for the user.
        let one_label = labels().with("minProperties", json!(1));
        any_of([string(), list(any_of([string(), one_label])), labels()])
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
        all &= CheckedText::decode(entry.value, cx).is_some();
    }
    all
}
