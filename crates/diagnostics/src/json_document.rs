//! JSON documents for other programs, and their schemas.

use schemars::generate::SchemaSettings;
use schemars::transform::transform_subschemas;
use schemars::{JsonSchema, Schema};
use serde::Serialize;
use serde_json::{Value, json};

use crate::REPOSITORY;
use crate::emit::escaped_json;

/// The version of the JSON documents of the command.
pub const JSON_VERSION: u32 = 1;

/// A JSON document of the command. It is an object, and its schema is published as `schemas/cli/NAME.schema.json`.
///
/// The doc comment of the type is the description in the schema.
pub trait JsonDocument: Serialize + JsonSchema {
    /// The name of the schema, in lower case with hyphens.
    const NAME: &'static str;
}

/// A document with the version as its first field.
#[derive(Serialize)]
struct Versioned<'a, D> {
    version: u32,
    #[serde(flatten)]
    document: &'a D,
}

/// Returns a document as one line of JSON with a line break, with the version as its first field.
pub fn to_json_line(document: &impl JsonDocument) -> String {
    // The documents consist of strings, numbers and lists, so serialization cannot fail.
    let versioned = Versioned { version: JSON_VERSION, document };
    let mut line = escaped_json(serde_json::to_string(&versioned).unwrap_or_default());
    line.push('\n');
    line
}

/// Returns the JSON Schema of a document in draft 2020-12.
///
/// Further fields are valid, because later versions of the command can add some.
pub fn json_document_schema<D: JsonDocument>() -> Value {
    let mut schema = root_schema::<D>();
    add_version(&mut schema);
    publish(schema, D::NAME)
}

/// Returns the JSON Schema of a line of a stream in draft 2020-12: an object without a version. `name` is the name of the schema.
///
/// Further fields are valid, because later versions of the command can add some.
pub fn json_line_schema<L: JsonSchema>(name: &str) -> Value {
    publish(root_schema::<L>(), name)
}

fn root_schema<D: JsonSchema>() -> Schema {
    SchemaSettings::draft2020_12().for_serialize().into_generator().into_root_schema_for::<D>()
}

/// Adds the name under which a schema is published.
fn publish(mut schema: Schema, name: &str) -> Value {
    schema.insert("title".to_owned(), name.into());
    let id = format!("{REPOSITORY}/blob/main/schemas/cli/{name}.schema.json");
    schema.insert("$id".to_owned(), id.into());
    drop_number_formats(&mut schema);
    schema.to_value()
}

/// Adds the field `version`, which every document has.
fn add_version(schema: &mut Schema) {
    let properties = schema.ensure_object().entry("properties").or_insert_with(|| json!({}));
    if let Some(properties) = properties.as_object_mut() {
        let version = json!({"description": "The version of the format.", "const": JSON_VERSION});
        properties.insert("version".to_owned(), version);
    }
    let required = schema.ensure_object().entry("required").or_insert_with(|| json!([]));
    if let Some(required) = required.as_array_mut() {
        required.insert(0, "version".into());
    }
}

/// Removes `format` from numbers, which names types of Rust there.
fn drop_number_formats(schema: &mut Schema) {
    if schema.get("type").is_some_and(|kind| kind.to_string().contains("integer")) {
        schema.remove("format");
    }
    transform_subschemas(&mut drop_number_formats, schema);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A fruit.
    #[derive(Serialize, JsonSchema)]
    struct Fruit {
        /// The name.
        name: String,
        weight: Option<u32>,
        #[serde(skip_serializing_if = "Option::is_none")]
        color: Option<String>,
    }

    impl JsonDocument for Fruit {
        const NAME: &'static str = "fruit";
    }

    #[test]
    fn a_document_begins_with_the_version_and_matches_its_schema() {
        let fruit = Fruit { name: "fig\u{200b}".to_owned(), weight: None, color: None };
        let line = to_json_line(&fruit);
        assert_eq!(line, "{\"version\":1,\"name\":\"fig\\u200b\",\"weight\":null}\n");
        let schema = json_document_schema::<Fruit>();
        assert_eq!(schema["required"], json!(["version", "name", "weight"]));
        assert_eq!(schema["properties"]["weight"], json!({"type": ["integer", "null"], "minimum": 0}));
        assert_eq!(schema["description"], "A fruit.");
        let validator = jsonschema::validator_for(&schema).unwrap();
        assert!(validator.is_valid(&serde_json::from_str(&line).unwrap()));
        assert!(!validator.is_valid(&json!({"name": "fig", "weight": null})));
    }
}
