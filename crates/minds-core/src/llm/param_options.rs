//! Descriptions of the parameters that models take, by section and name.
//!
//! They are shown to people and decide nothing, so only their shape is checked, and any section and parameter is taken.

use minds_document::{Context, Decode, FiniteNumber, Node, Text, Value};

use super::model::ParamOptions;
use crate::named_entries::Named;
use crate::texts::one_of;

/// The types that a parameter can have; `|` between two of them means either.
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

/// Reads every value of a mapping.
fn each_entry(node: Node<'_>, cx: &mut Context, expected: &str, read: impl Fn(Node<'_>, &mut Context)) {
    if node.value() != Value::Mapping {
        cx.type_error(node, expected);
        return;
    }
    for entry in Named::of(node, cx).entries {
        read(entry.value, cx);
    }
}

fn param(node: Node<'_>, cx: &mut Context) {
    let Some(mut fields) = cx.fields(node) else { return };
    fields.optional_with("type", param_type);
    fields.optional::<Text>("description");
    fields.optional::<FiniteNumber>("min");
    fields.optional::<FiniteNumber>("max");
    fields.optional_with("values", |node, cx| {
        if node.value() != Value::Sequence {
            cx.type_error(node, "a list");
        }
        Some(())
    });
    // Whatever the parameter can be.
    fields.entry("default");
    fields.optional::<bool>("prominent");
    fields.optional_with("value_labels", |node, cx| {
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
    one_of(node, TYPES.into_iter(), cx, |found, _| found).map(drop)
}
