//! Decodes the parameters of models.

use std::borrow::Cow;

use minds_document::json_schema::{
    JsonSchema, Keywords as _, Properties, Schema, SchemaGenerator, any_of, json_schema, list, mapping,
    string, string_values,
};
use minds_document::{Context, Decode, FiniteNumber, List, Node, Text, Value};

use crate::model::ModelParams;
use crate::params::{EFFORTS, GENERAL, Kind, Param, SECTIONS, Section, THINKING, ValueDescription};
use crate::string_values::decode_one_of;

/// Returns a hint about the correct place of a parameter that is outside of its group.
pub(crate) fn hint(key: &str, sections: &[Section], prefix: &str) -> Option<String> {
    let mut owners = sections.iter().filter(|section| section.has(key)).map(|section| section.name);
    let first = owners.next()?;
    let others: Vec<String> = owners.map(|name| format!("`{name}`")).collect();
    let also = if others.is_empty() { String::new() } else { format!(", or below {}", others.join(", ")) };
    Some(format!("did you mean `{prefix}{first}.{key}`{also}?"))
}

impl Decode for ModelParams {
    fn decode(node: Node<'_>, cx: &mut Context) -> Option<Self> {
        let mut fields = cx.fields(node)?;
        for param in GENERAL {
            fields.read_with(param.name, |node, cx| check(node, param.kind, cx));
        }
        for section in SECTIONS {
            fields.read_with(section.name, |node, cx| {
                let mut fields = cx.fields(node)?;
                for param in section.params() {
                    fields.read_with(param.name, |node, cx| check(node, param.kind, cx));
                }
                let _ = fields.finish();
                Some(())
            });
        }
        let _ = fields.finish_with(|entry| hint(entry.key, SECTIONS, "model_params."));
        Some(Self)
    }
}

fn check(node: Node<'_>, kind: Kind, cx: &mut Context) -> Option<()> {
    match kind {
        Kind::Bool => bool::decode(node, cx).map(drop),
        Kind::Number => FiniteNumber::decode(node, cx).map(drop),
        Kind::Text => Text::decode(node, cx).map(drop),
        Kind::TextList => List::<Text>::decode(node, cx).map(drop),
        Kind::TextOrList => match node.value() {
            Value::String(_) => Some(()),
            Value::Sequence => List::<Text>::decode(node, cx).map(drop),
            _ => {
                cx.type_error(node, "a string or a list of strings");
                None
            }
        },
        Kind::NumbersByName => {
            if node.value() != Value::Mapping {
                cx.type_error(node, "a mapping from names to numbers");
                return None;
            }
            for entry in node.entries().filter(|entry| !entry.key.starts_with("x-")) {
                FiniteNumber::decode(entry.value, cx);
            }
            Some(())
        }
        Kind::Thinking => match node.value() {
            Value::Bool(_) | Value::Mapping => Some(()),
            Value::String(_) => check_keyword(node, THINKING, cx),
            _ => {
                cx.type_error(node, "`true`, `false`, a level or a mapping");
                None
            }
        },
        Kind::OneOf(words) => check_keyword(node, words, cx),
    }
}

fn check_keyword(node: Node<'_>, words: &[ValueDescription], cx: &mut Context) -> Option<()> {
    let more = |found: minds_diagnostics::Diagnostic, text: &str| {
        if text == "ultra" && words == EFFORTS {
            return found
                .note("`ultra` is a preset of a client program, not an effort level of a model")
                .help("write `max` for the highest effort");
        }
        found
    };
    decode_one_of(node, words.iter().map(|(word, _)| *word), cx, more).map(drop)
}

impl JsonSchema for ModelParams {
    fn schema_name() -> Cow<'static, str> {
        "modelParams".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let mut params = Properties::default();
        for param in GENERAL {
            add_param(&mut params, param, generator);
        }
        for section in SECTIONS {
            let mut group = Properties::default();
            for param in section.params() {
                add_param(&mut group, param, generator);
            }
            params.add(section.name, group.into_schema(section.name, false), section.description, []);
        }
        params.into_schema("model parameters", false)
    }
}

fn add_param(params: &mut Properties, param: &Param, generator: &mut SchemaGenerator) {
    let number = || json_schema!({ "type": "number" });
    let schema = match param.kind {
        Kind::Bool => generator.subschema_for::<bool>(),
        Kind::Number => number(),
        Kind::Text => string(),
        Kind::TextList => list(string()),
        Kind::TextOrList => any_of([string(), list(string())]),
        Kind::NumbersByName => mapping(number()).user_keys(),
        Kind::Thinking => any_of([
            generator.subschema_for::<bool>(),
            string_values(THINKING.iter().copied()),
            json_schema!({ "type": "object" }),
        ]),
        Kind::OneOf(words) => string_values(words.iter().copied()),
    };
    params.add(param.name, schema, param.description, []);
}
