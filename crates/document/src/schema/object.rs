//! Mappings with known keys.

use std::marker::PhantomData;

use serde_json::{Map, Value, json};

use super::{Describe, Schema};
use crate::Field;

/// The shape of a mapping, key by key. Keys that begin with `x-` belong to the user; any other unknown key is refused,
/// unless the mapping is [open](Self::open).
#[derive(Debug)]
pub struct Object<S> {
    schema: Schema,
    properties: Map<String, Value>,
    conditions: Vec<Value>,
    is_open: bool,
    of: PhantomData<fn(&S)>,
}

impl<S> Object<S> {
    /// Returns the shape of a mapping without keys.
    pub fn new(title: &str) -> Self {
        let schema = Schema::any().with("type", json!("object")).title(title);
        Self { schema, properties: Map::new(), conditions: Vec::new(), is_open: false, of: PhantomData }
    }

    /// Adds a key whose value has the type of a field.
    #[must_use]
    pub fn field<T: Describe>(self, key: &str, _: fn(&S) -> &Field<T>, description: &str) -> Self {
        self.key(key, T::schema().describe(description))
    }

    /// Adds a key.
    #[must_use]
    pub fn key(mut self, key: &str, value: Schema) -> Self {
        let value = self.schema.absorb(value);
        self.properties.insert(key.to_owned(), value);
        self
    }

    /// Changes the constraints on the whole object.
    #[must_use]
    pub fn map(mut self, change: impl FnOnce(Schema) -> Schema) -> Self {
        self.schema = change(self.schema);
        self
    }

    /// Demands keys.
    #[must_use]
    pub fn require_keys(self, keys: &[&str]) -> Self {
        self.map(|schema| schema.with("required", json!(keys)))
    }

    /// Refuses `second` where `first` exists.
    #[must_use]
    pub fn excludes(mut self, first: &str, second: &str) -> Self {
        self.conditions.push(excludes(first, second));
        self
    }

    /// Demands one of two keys, and not both.
    #[must_use]
    pub fn one_of(mut self, first: &str, second: &str) -> Self {
        let mut condition = excludes(first, second);
        if let Value::Object(words) = &mut condition {
            words.insert("else".to_owned(), json!({ "required": [second] }));
        }
        self.conditions.push(condition);
        self
    }

    /// Demands a key where another one has one of some values.
    #[must_use]
    pub fn required_where(mut self, key: &str, values: &[&str], required: &str) -> Self {
        let holds = json!({ "required": [key], "properties": { key: { "enum": values } } });
        self.conditions.push(json!({ "if": holds, "then": { "required": [required] } }));
        self
    }

    /// Demands a shape of a key where another one has one of some values.
    #[must_use]
    pub fn shaped_where(mut self, key: &str, values: &[&str], shaped: &str, shape: Schema) -> Self {
        let holds = json!({ "required": [key], "properties": { key: { "enum": values } } });
        let shape = self.schema.absorb(shape);
        self.conditions.push(json!({ "if": holds, "then": { "properties": { shaped: shape } } }));
        self
    }

    /// Takes other keys too.
    #[must_use]
    pub fn open(mut self) -> Self {
        self.is_open = true;
        self
    }

    /// Returns the shape.
    pub fn finish(self) -> Schema {
        let Self { mut schema, properties, conditions, is_open, .. } = self;
        schema = schema.with("properties", Value::Object(properties));
        if !conditions.is_empty() {
            schema = schema.with("allOf", Value::Array(conditions));
        }
        if is_open {
            return schema.no_merge_key();
        }
        schema.with("additionalProperties", json!(false)).user_keys()
    }
}

fn excludes(first: &str, second: &str) -> Value {
    json!({ "if": { "required": [first] }, "then": { "properties": { second: false } } })
}
