//! JSON Schemas of arguments and answers, from the types that tools declare.
//!
//! They are part of every list of tools that a model reads, so they are as short as possible: without the names of types,
//! and without the parts of a field of an answer. Only [`fields`], for the published schema of answers, is complete.

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

/// The parts of the schema of an argument that are about the type in Rust.
const OMITTED: [&str; 3] = ["default", "format", "title"];

/// Returns the schema of arguments.
pub(crate) fn input<A: JsonSchema>() -> Value {
    let schema = generate::<A>(SchemaSettings::draft2020_12().for_deserialize());
    let properties: Map<String, Value> =
        properties(&schema).map(|(name, schema)| (name.clone(), argument(schema))).collect();
    let mut input = json!({"type": "object", "properties": properties});
    if let Some(input) = input.as_object_mut() {
        for keyword in ["additionalProperties", "required"] {
            input.extend(schema.get(keyword).map(|value| (keyword.to_owned(), value.clone())));
        }
    }
    input
}

/// Returns the names of the required arguments.
pub(crate) fn required_names<A: JsonSchema>() -> Vec<String> {
    let schema = generate::<A>(SchemaSettings::draft2020_12().for_deserialize());
    let names = schema.get("required").and_then(Value::as_array).into_iter().flatten();
    names.filter_map(Value::as_str).map(ToOwned::to_owned).collect()
}

/// Returns the schema of an answer with these fields, which a refusal matches too.
pub(crate) fn output<R: JsonSchema>() -> Value {
    let schema = generate::<R>(SchemaSettings::draft2020_12().for_serialize());
    let mut fields = Map::new();
    fields.insert("status".into(), json!({"enum": ["ok", "error"]}));
    for (name, schema) in properties(&schema) {
        let kind = type_of(schema).map(|kind| (String::from("type"), kind));
        fields.insert(name.clone(), Value::Object(kind.into_iter().collect()));
    }
    json!({"type": "object", "properties": fields, "required": ["status", "tool"]})
}

/// Returns the keywords `properties` and `required` for the fields of an answer. A field without a value is left out, so none
/// is `null`.
pub(crate) fn fields<R: JsonSchema>() -> Map<String, Value> {
    let schema = generate::<R>(SchemaSettings::draft2020_12().for_serialize());
    let names = schema.get("required").and_then(Value::as_array).into_iter().flatten();
    let required: Vec<Value> = names.filter(|name| !is_nullable(&schema, name)).cloned().collect();
    let properties: Map<String, Value> =
        properties(&schema).map(|(name, schema)| (name.clone(), with_value(schema))).collect();
    Map::from_iter([("properties".to_owned(), properties.into()), ("required".to_owned(), required.into())])
}

/// Returns whether a property of an object can be `null`.
fn is_nullable(schema: &Value, name: &Value) -> bool {
    let property = name.as_str().and_then(|name| schema.get("properties")?.get(name));
    property.is_some_and(|property| with_value(property) != *property)
}

/// Returns a schema without the value `null`.
fn with_value(schema: &Value) -> Value {
    let mut schema = schema.clone();
    let Some(keywords) = schema.as_object_mut() else { return schema };
    if let Some(kind) = keywords.get_mut("type") {
        *kind = without_null(kind);
    }
    if let Some(Value::Array(values)) = keywords.get_mut("enum") {
        values.retain(|value| !value.is_null());
    }
    if let Some(Value::Array(forms)) = keywords.get_mut("anyOf") {
        forms.retain(|form| form.get("type").is_none_or(|kind| kind != "null"));
    }
    schema
}

/// Returns the type of all values of a schema, except `null`; `None` if they have several.
fn type_of(schema: &Value) -> Option<Value> {
    if let Some(kind) = schema.get("type") {
        return Some(without_null(kind));
    }
    let forms = ["anyOf", "oneOf"].iter().find_map(|keyword| schema.get(keyword)?.as_array())?;
    let mut kinds: Vec<Value> = forms.iter().map(type_of).collect::<Option<_>>()?;
    kinds.retain(|kind| kind != "null");
    let first = kinds.pop()?;
    kinds.iter().all(|kind| *kind == first).then_some(first)
}

fn generate<T: JsonSchema>(settings: SchemaSettings) -> Value {
    let settings = settings.with(|settings| {
        settings.inline_subschemas = true;
        settings.meta_schema = None;
    });
    settings.into_generator().into_root_schema_for::<T>().to_value()
}

fn properties(schema: &Value) -> impl Iterator<Item = (&String, &Value)> {
    schema.get("properties").and_then(Value::as_object).into_iter().flatten()
}

fn argument(schema: &Value) -> Value {
    let fields = schema.as_object().into_iter().flatten();
    let shown = fields.filter(|(keyword, _)| !OMITTED.contains(&keyword.as_str()));
    let short = |(keyword, value): (&String, &Value)| {
        let value = match (keyword.as_str(), value) {
            ("type", kind) => without_null(kind),
            // A description is one paragraph, however it is wrapped in the source.
            ("description", Value::String(text)) => text.replace('\n', " ").into(),
            (_, value) => value.clone(),
        };
        (keyword.clone(), value)
    };
    shown.map(short).collect()
}

/// Returns the type of an optional value: it has the type or is left out, but is never `null`.
fn without_null(kind: &Value) -> Value {
    let Value::Array(kinds) = kind else { return kind.clone() };
    let mut kinds: Vec<Value> = kinds.iter().filter(|kind| *kind != "null").cloned().collect();
    if kinds.len() == 1 { kinds.remove(0) } else { kinds.into() }
}

#[cfg(test)]
mod tests {
    use schemars::JsonSchema;
    use serde::{Deserialize, Serialize};

    use super::*;
    use crate::NoFields;
    use crate::input::{Choice, Count, MatchNumber};

    #[derive(Deserialize, JsonSchema)]
    #[serde(deny_unknown_fields)]
    #[allow(dead_code, reason = "only its schema is used")]
    struct Arguments {
        /// the file,
        /// as a path
        path: String,
        /// default: 1
        depth: Option<Count>,
        /// default: `a`
        #[serde(default)]
        kind: Choice<Kind>,
        /// which one
        #[serde(default)]
        which: MatchNumber,
    }

    #[derive(Serialize, Deserialize, JsonSchema)]
    #[serde(rename_all = "snake_case")]
    #[allow(dead_code, reason = "only its schema is used")]
    enum Kind {
        A,
        B,
    }

    #[derive(Serialize, JsonSchema)]
    #[serde(rename_all = "snake_case")]
    #[allow(dead_code, reason = "only its schema is used")]
    enum State {
        /// It runs.
        Running,
        Stopped,
    }

    #[derive(Serialize, JsonSchema)]
    #[allow(dead_code, reason = "only its schema is used")]
    struct Output {
        state: State,
        previous: Option<State>,
        kind: Option<Kind>,
        size: usize,
        note: Option<String>,
        range: Option<Range>,
        entries: Vec<Range>,
    }

    #[derive(Serialize, JsonSchema)]
    #[allow(dead_code, reason = "only its schema is used")]
    struct Range {
        start: usize,
    }

    #[test]
    fn arguments_have_their_descriptions_and_types() {
        let expected = json!({
            "type": "object",
            "properties": {
                "path": {"type": "string", "description": "the file, as a path"},
                "depth": {"type": "integer", "minimum": 0, "description": "default: 1"},
                "kind": {"enum": ["a", "b", ""], "description": "default: `a`"},
                "which": {
                    "type": ["integer", "string"],
                    "minimum": 0,
                    "pattern": "^([0-9]{1,9}|last)?$",
                    "description": "which one",
                },
            },
            "required": ["path"],
            "additionalProperties": false,
        });
        assert_eq!(input::<Arguments>(), expected);
        assert_eq!(required_names::<Arguments>(), ["path"]);
        let none = json!({"type": "object", "properties": {}, "additionalProperties": false});
        assert_eq!(input::<NoFields>(), none);
    }

    #[test]
    fn fields_of_an_answer_are_described_in_full() {
        let start = json!({"type": "object", "properties": {"start": {"type": "integer", "format": "uint", "minimum": 0}},
            "required": ["start"]});
        let state = json!([
            {"type": "string", "enum": ["stopped"]},
            {"type": "string", "const": "running", "description": "It runs."},
        ]);
        let expected = json!({
            "properties": {
                "state": {"oneOf": state},
                "previous": {"anyOf": [{"oneOf": state}]},
                "kind": {"type": "string", "enum": ["a", "b"]},
                "size": {"type": "integer", "format": "uint", "minimum": 0},
                "note": {"type": "string"},
                "range": start,
                "entries": {"type": "array", "items": start},
            },
            "required": ["state", "size", "entries"],
        });
        assert_eq!(Value::Object(fields::<Output>()), expected);
    }

    #[test]
    fn fields_of_an_answer_have_their_types() {
        let expected = json!({
            "type": "object",
            "properties": {
                "status": {"enum": ["ok", "error"]},
                "state": {"type": "string"},
                "previous": {"type": "string"},
                "kind": {"type": "string"},
                "size": {"type": "integer"},
                "note": {"type": "string"},
                "range": {"type": "object"},
                "entries": {"type": "array"},
            },
            "required": ["status", "tool"],
        });
        assert_eq!(output::<Output>(), expected);
    }
}
