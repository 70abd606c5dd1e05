//! Mappings with known keys.

use schemars::{Schema, json_schema};
use serde_json::{Map, Value, json};

use super::Keywords;
use super::keywords::excludes;

/// The keys of a mapping, for its schema.
#[derive(Debug, Default)]
pub struct Properties {
    schemas: Map<String, Value>,
    required: Vec<&'static str>,
    conditions: Vec<Value>,
}

impl Properties {
    /// Adds a key with the schema of its value, its description and further keywords.
    pub fn add(
        &mut self,
        key: &str,
        value: Schema,
        description: &str,
        keywords: impl IntoIterator<Item = (&'static str, Value)>,
    ) {
        let value = value.describe(description);
        let value =
            keywords.into_iter().fold(value, |value, (keyword, setting)| value.with(keyword, setting));
        self.schemas.insert(key.to_owned(), value.to_value());
    }

    /// Adds another spelling of a key, which editors do not suggest and which excludes the key.
    pub fn add_spelling(&mut self, spelling: &str, key: &str, value: Schema) {
        let description = format!("Another spelling of `{key}`.");
        self.add(spelling, value, &description, [("doNotSuggest", json!(true))]);
        self.conditions.push(excludes(key, spelling));
    }

    /// Demands a key.
    pub fn require(&mut self, key: &'static str) {
        self.required.push(key);
    }

    /// Returns the schema of the mapping. Keys that begin with `x-` belong to the user; any other unknown key is refused,
    /// unless the mapping is open.
    pub fn into_schema(self, title: &str, is_open: bool) -> Schema {
        let Self { schemas, required, conditions } = self;
        let mut schema = json_schema!({ "type": "object", "title": title, "properties": schemas });
        if !required.is_empty() {
            schema = schema.with("required", json!(required));
        }
        schema = conditions.into_iter().fold(schema, Keywords::condition);
        if is_open {
            return schema.no_merge_key();
        }
        schema.with("additionalProperties", json!(false)).user_keys()
    }
}
