//! Keywords of schemas.

use schemars::Schema;
use serde_json::{Value, json};

/// Strings that editors suggest. It is a keyword of ours: each draft has another one for it.
pub(super) const SUGGESTIONS: &str = "suggestions";

/// Keywords that occur often, with those of editors (`defaultSnippets`, `doNotSuggest`, `enumDescriptions`,
/// `patternErrorMessage`).
pub trait Keywords: Sized {
    /// Adds a keyword.
    #[must_use]
    fn with(self, keyword: &str, value: Value) -> Self;

    /// Adds a condition to `allOf`.
    #[must_use]
    fn condition(self, condition: Value) -> Self;

    /// Adds a snippet that editors insert; `${1:…}` are its stops.
    #[must_use]
    fn snippet(self, label: &str, description: &str, body: &Value) -> Self;

    /// Describes the purpose of the value.
    #[must_use]
    fn describe(self, description: &str) -> Self {
        self.with("description", json!(description))
    }

    /// Demands that strings match a regular expression, and gives the message for those that do not.
    #[must_use]
    fn pattern(self, expression: &str, message: &str) -> Self {
        self.with("pattern", json!(expression)).with("patternErrorMessage", json!(message))
    }

    /// Gives examples, which editors also suggest. They do not limit what the value may be.
    #[must_use]
    fn examples<T: Into<Value>>(self, examples: impl IntoIterator<Item = T>) -> Self {
        self.with("examples", examples.into_iter().map(Into::into).collect())
    }

    /// Suggests strings for a schema that accepts any string.
    #[must_use]
    fn suggest<'w>(self, strings: impl IntoIterator<Item = &'w str>) -> Self {
        self.with(SUGGESTIONS, strings.into_iter().collect())
    }

    /// Leaves the keys of a mapping that begin with `x-` to the user.
    #[must_use]
    fn user_keys(self) -> Self {
        self.with("patternProperties", json!({ "^x-": true }))
    }

    /// Refuses the key of a mapping that would merge: YAML 1.2 has none.
    #[must_use]
    fn no_merge_key(self) -> Self {
        self.with("propertyNames", json!({ "not": { "const": "<<" } }))
    }

    /// Refuses the key `second` where `first` exists.
    #[must_use]
    fn exclude(self, first: &str, second: &str) -> Self {
        self.condition(excludes(first, second))
    }

    /// Demands the key `required` where `key` has one of some values.
    #[must_use]
    fn require_where(self, key: &str, values: &[&str], required: &str) -> Self {
        let holds = json!({ "required": [key], "properties": { key: { "enum": values } } });
        self.condition(json!({ "if": holds, "then": { "required": [required] } }))
    }

    /// Demands a schema of the key `shaped` where `key` has one of some values.
    #[must_use]
    fn shape_where(self, key: &str, values: &[&str], shaped: &str, schema: Schema) -> Self {
        let holds = json!({ "required": [key], "properties": { key: { "enum": values } } });
        self.condition(json!({ "if": holds, "then": { "properties": { shaped: schema } } }))
    }
}

impl Keywords for Schema {
    fn with(mut self, keyword: &str, value: Value) -> Self {
        self.insert(keyword.to_owned(), value);
        self
    }

    fn condition(mut self, condition: Value) -> Self {
        append(&mut self, "allOf", condition);
        self
    }

    fn snippet(mut self, label: &str, description: &str, body: &Value) -> Self {
        append(
            &mut self,
            "defaultSnippets",
            json!({ "label": label, "description": description, "body": body }),
        );
        self
    }
}

/// Appends an item to the list of a keyword.
fn append(schema: &mut Schema, keyword: &str, item: Value) {
    match schema.get_mut(keyword) {
        Some(Value::Array(items)) => items.push(item),
        _ => {
            schema.insert(keyword.to_owned(), json!([item]));
        }
    }
}

pub(super) fn excludes(first: &str, second: &str) -> Value {
    json!({ "if": { "required": [first] }, "then": { "properties": { second: false } } })
}
