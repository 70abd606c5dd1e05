//! Decodes the descriptions of the parameters that models accept, by section and name.
//!
//! They are only displayed, so only their shape is checked, and any section and parameter is accepted.

use minds_document::{Context, Decode, FiniteNumber, Node, Text, Value};

use super::model::ParamOptions;
use crate::named_entries::NamedEntries;
use crate::string_values::decode_one_of;

/// The types of parameters; `|` separates alternatives.
pub(crate) const TYPES: [&str; 8] =
    ["number", "integer", "boolean", "string", "string_array", "record_number", "enum", "object"];

impl Decode for ParamOptions {
    fn decode(node: Node<'_>, cx: &mut Context) -> Option<Self> {
        each_entry(node, cx, "a mapping from sections to parameters", |section, cx| {
            each_entry(section, cx, "a mapping from names to parameters", param);
        });
        (node.value() == Value::Mapping).then_some(Self)
    }
}

/// Calls `read` for every value of a mapping.
fn each_entry(node: Node<'_>, cx: &mut Context, expected: &str, read: impl Fn(Node<'_>, &mut Context)) {
    if node.value() != Value::Mapping {
        cx.type_error(node, expected);
        return;
    }
    for entry in NamedEntries::of(node, cx).entries {
        read(entry.value, cx);
    }
}

fn param(node: Node<'_>, cx: &mut Context) {
    let Some(mut fields) = cx.fields(node) else { return };
    fields.read_with("type", param_type);
    fields.read::<Text>("description");
    fields.read::<FiniteNumber>("min");
    fields.read::<FiniteNumber>("max");
    fields.read_with("values", |node, cx| {
        if node.value() != Value::Sequence {
            cx.type_error(node, "a list");
        }
        Some(())
    });
    // The value can have any type.
    fields.entry("default");
    fields.read::<bool>("prominent");
    fields.read_with("value_labels", |node, cx| {
        each_entry(node, cx, "a mapping from values to labels", |label, cx| {
            Text::decode(label, cx);
        });
        Some(())
    });
    let _ = fields.finish();
}

fn param_type(node: Node<'_>, cx: &mut Context) -> Option<()> {
    if let Value::String(text) = node.value()
        && text.contains('|')
        && text.split('|').all(|part| TYPES.contains(&part.trim()))
    {
        return Some(());
    }
    decode_one_of(node, TYPES.into_iter(), cx, |found, _| found).map(drop)
}
