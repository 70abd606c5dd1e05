//! Decodes the descriptions of the parameters that models accept, by section and name.
//!
//! They are only displayed, so only their shape is checked, and any section and parameter is accepted.

use minds_document::json_schema::{
    Keywords as _, Schema, SchemaGenerator, any_of, json, json_schema, list, mapping, mapping_of, string,
    string_values,
};
use minds_document::yaml::KeyOrder;
use minds_document::{Context, Decode, Field, FiniteNumber, Keys, Node, Text, Value, inline_schema};

use super::model::ParamOptions;
use crate::named_entries::NamedEntries;
use crate::string_values::decode_one_of;

/// The types of parameters; `|` separates alternatives.
const TYPES: [&str; 8] =
    ["number", "integer", "boolean", "string", "string_array", "record_number", "enum", "object"];

impl Decode for ParamOptions {
    const ORDER: KeyOrder = KeyOrder::Named(&KeyOrder::named::<ParamOption>());

    fn decode(node: Node<'_>, cx: &mut Context) -> Option<Self> {
        each_entry(node, cx, "a mapping from sections to parameters", |section, cx| {
            each_entry(section, cx, "a mapping from names to parameters", |param, cx| {
                ParamOption::decode(param, cx);
            });
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

/// The description of a parameter.
#[derive(Default, Keys, Decode)]
#[keys(title = "parameter")]
struct ParamOption {
    /// The type of the parameter; `|` separates alternatives.
    #[key(name = "type", decode = param_type, schema = param_type_schema)]
    kind: Field<()>,
    /// What the parameter does.
    description: Field<Text>,
    /// The minimum value.
    min: Field<FiniteNumber>,
    /// The maximum value.
    max: Field<FiniteNumber>,
    /// The values of an enumeration.
    #[key(decode = values, schema = values_schema)]
    values: Field<()>,
    /// The default value.
    #[key(decode = any_value, schema = any_value_schema)]
    default: Field<()>,
    /// Whether the parameter is displayed prominently.
    prominent: Field<bool>,
    /// The display labels of values.
    #[key(decode = value_labels, schema = value_labels_schema)]
    value_labels: Field<()>,
}

inline_schema!(ParamOptions, |generator| {
    let section = mapping_of::<ParamOption>(generator);
    mapping(section).user_keys().no_merge_key()
});

fn param_type(node: Node<'_>, cx: &mut Context) -> Option<()> {
    if let Value::String(text) = node.value()
        && text.contains('|')
        && text.split('|').all(|part| TYPES.contains(&part.trim()))
    {
        return Some(());
    }
    decode_one_of(node, TYPES.into_iter(), cx, |found, _| found).map(drop)
}

fn param_type_schema(_: &mut SchemaGenerator) -> Schema {
    let types = TYPES.join("|");
    let several = format!("^\\s*({types})\\s*(\\|\\s*({types})\\s*)+$");
    any_of([
        string_values(TYPES.into_iter().map(|word| (word, ""))),
        string().with("pattern", json!(several)),
    ])
}

#[expect(clippy::unnecessary_wraps, reason = "all decoders of keys have this signature")]
fn values(node: Node<'_>, cx: &mut Context) -> Option<()> {
    if node.value() != Value::Sequence {
        cx.type_error(node, "a list");
    }
    Some(())
}

fn values_schema(_: &mut SchemaGenerator) -> Schema {
    list(json_schema!({}))
}

#[expect(clippy::unnecessary_wraps, reason = "all decoders of keys have this signature")]
fn any_value(_: Node<'_>, _: &mut Context) -> Option<()> {
    Some(())
}

fn any_value_schema(_: &mut SchemaGenerator) -> Schema {
    json_schema!({})
}

#[expect(clippy::unnecessary_wraps, reason = "all decoders of keys have this signature")]
fn value_labels(node: Node<'_>, cx: &mut Context) -> Option<()> {
    each_entry(node, cx, "a mapping from values to labels", |label, cx| {
        Text::decode(label, cx);
    });
    Some(())
}

fn value_labels_schema(generator: &mut SchemaGenerator) -> Schema {
    mapping_of::<Text>(generator)
}
