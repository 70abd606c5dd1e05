//! JSON Schemas of arguments, from the types that the tools declare.

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value};

/// The keywords that are about the type in Rust, which a model does not need.
const OMITTED: [&str; 3] = ["default", "format", "title"];

/// Returns the schema of arguments: an object without the names of types.
pub(crate) fn arguments<A: JsonSchema>() -> Value {
    let settings = SchemaSettings::draft2020_12().for_deserialize().with(|settings| {
        settings.inline_subschemas = true;
        settings.meta_schema = None;
    });
    let schema = settings.into_generator().into_root_schema_for::<A>().to_value();
    let mut root = simplify(schema);
    if let Some(root) = root.as_object_mut() {
        // What the tool does is its description.
        root.remove("description");
        root.entry("properties").or_insert_with(|| Value::Object(Map::new()));
    }
    root
}

/// Removes what is about the type in Rust. An optional argument is left out, so no type is `null`.
fn simplify(schema: Value) -> Value {
    match schema {
        Value::Object(keywords) => {
            let kept = keywords.into_iter().filter(|(keyword, _)| !OMITTED.contains(&keyword.as_str()));
            kept.map(|(keyword, value)| {
                let value = match (keyword.as_str(), value) {
                    ("type", Value::Array(mut kinds)) => {
                        kinds.retain(|kind| kind != "null");
                        if kinds.len() == 1 { kinds.swap_remove(0) } else { Value::Array(kinds) }
                    }
                    ("description", Value::String(text)) => text.replace('\n', " ").into(),
                    // Names of arguments are not keywords.
                    ("properties", Value::Object(properties)) => {
                        properties.into_iter().map(|(name, schema)| (name, simplify(schema))).collect()
                    }
                    (_, value) => simplify(value),
                };
                (keyword, value)
            })
            .collect()
        }
        Value::Array(items) => items.into_iter().map(simplify).collect(),
        other => other,
    }
}
