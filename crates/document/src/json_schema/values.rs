//! Schemas of values.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::{Value, json};

use super::Keywords;
use crate::{Field, FiniteNumber, List};

/// Returns the schema of a string.
pub fn string() -> Schema {
    json_schema!({ "type": "string" })
}

/// Returns the schema of a string that is not blank.
pub fn not_blank() -> Schema {
    string().pattern("\\S", "must not be blank")
}

/// Returns the schema of an integer within limits, both included.
pub fn integer(min: i64, max: Option<i64>) -> Schema {
    let schema = json_schema!({ "type": "integer", "minimum": min });
    match max {
        Some(max) => schema.with("maximum", json!(max)),
        None => schema,
    }
}

/// Returns the schema of a list.
pub fn list(item: Schema) -> Schema {
    json_schema!({ "type": "array" }).with("items", item.into())
}

/// Returns the schema of a mapping from names that the user chooses.
pub fn mapping(value: Schema) -> Schema {
    json_schema!({ "type": "object" }).with("additionalProperties", value.into())
}

/// Returns the schema of a mapping from names that the user chooses to values of a type. Names that begin with `x-` and the
/// merge key are not among them.
pub fn mapping_of<T: JsonSchema>(generator: &mut SchemaGenerator) -> Schema {
    mapping(generator.subschema_for::<T>()).user_keys().no_merge_key()
}

/// Returns the schema of a value that matches one of several schemas.
pub fn any_of(schemas: impl IntoIterator<Item = Schema>) -> Schema {
    let schemas: Vec<Schema> = schemas.into_iter().collect();
    json_schema!({ "anyOf": schemas })
}

/// Returns the schema of a value that may also be null.
pub fn or_null(schema: Schema) -> Schema {
    let is_null = |kind: &Value| kind == "null";
    let accepts_null = match schema.get("type") {
        Some(Value::Array(kinds)) => kinds.iter().any(is_null),
        kind => kind.is_some_and(is_null),
    };
    if accepts_null { schema } else { any_of([schema, json_schema!({ "type": "null" })]) }
}

/// Returns the schema of one of some strings, each with its meaning.
pub fn string_values<'w>(values: impl IntoIterator<Item = (&'w str, &'w str)>) -> Schema {
    let (values, meanings): (Vec<&str>, Vec<&str>) = values.into_iter().unzip();
    let schema = json_schema!({ "enum": values });
    if meanings.iter().all(|meaning| meaning.is_empty()) {
        return schema;
    }
    schema.with("enumDescriptions", json!(meanings))
}

/// The schema of the value: whether a key is required belongs to its mapping.
impl<T: JsonSchema> JsonSchema for Field<T> {
    fn inline_schema() -> bool {
        T::inline_schema()
    }

    fn schema_name() -> Cow<'static, str> {
        T::schema_name()
    }

    fn schema_id() -> Cow<'static, str> {
        T::schema_id()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        T::json_schema(generator)
    }
}

impl<T: JsonSchema> JsonSchema for List<T> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        format!("list of {}", T::schema_name()).into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        list(generator.subschema_for::<T>())
    }
}

inline_schema!(FiniteNumber, |_| json_schema!({ "type": "number" }));
