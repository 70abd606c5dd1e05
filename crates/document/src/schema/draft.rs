//! Schemas as texts.

use std::fmt;

use serde_json::{Map, Value, json};

use super::{SUGGESTIONS, Schema};

/// A version of JSON Schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Draft {
    /// Draft-07, with the words that editors know beyond it.
    #[default]
    Draft7,
    /// Draft 2020-12, with the words of the standard alone.
    Draft202012,
}

impl Draft {
    /// Every draft.
    pub const ALL: [Self; 2] = [Self::Draft7, Self::Draft202012];

    /// Returns the name that people use.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Draft7 => "07",
            Self::Draft202012 => "2020-12",
        }
    }

    /// Returns a schema as a document, with a newline at its end. Keys are sorted.
    pub fn write(self, schema: &Schema) -> String {
        // Nothing in it can fail to be written: its keys are texts.
        let mut text = serde_json::to_string_pretty(&self.render(schema)).unwrap_or_default();
        text.push('\n');
        text
    }

    /// Returns a schema as JSON.
    pub fn render(self, schema: &Schema) -> Value {
        let mut whole = schema.words.clone();
        let shared: Map<String, Value> =
            schema.shared.iter().map(|(name, shape)| ((*name).to_owned(), shape.clone())).collect();
        if !shared.is_empty() {
            whole.insert("$defs".to_owned(), Value::Object(shared));
        }
        let mut rendered = self.shape(&Value::Object(whole));
        if let Value::Object(words) = &mut rendered {
            words.insert("$schema".to_owned(), json!(self.meta_schema()));
        }
        sorted(rendered)
    }

    fn meta_schema(self) -> &'static str {
        match self {
            Self::Draft7 => "http://json-schema.org/draft-07/schema#",
            Self::Draft202012 => "https://json-schema.org/draft/2020-12/schema",
        }
    }

    /// Turns one shape and those in it into the words of the draft.
    fn shape(self, shape: &Value) -> Value {
        let Value::Object(words) = shape else { return shape.clone() };
        let mut rendered = Map::new();
        for (word, value) in words {
            let value = match word.as_str() {
                "properties" | "patternProperties" | "$defs" => self.each(value),
                "additionalProperties" | "items" | "propertyNames" | "not" | "if" | "then" | "else" => {
                    self.shape(value)
                }
                "anyOf" | "oneOf" | "allOf" => match value {
                    Value::Array(shapes) => shapes.iter().map(|shape| self.shape(shape)).collect(),
                    other => other.clone(),
                },
                _ => value.clone(),
            };
            rendered.insert(word.clone(), value);
        }
        match self {
            Self::Draft7 => draft_7(rendered),
            Self::Draft202012 => draft_2020_12(rendered),
        }
    }

    fn each(self, shapes: &Value) -> Value {
        match shapes {
            Value::Object(shapes) => {
                let shapes = shapes.iter().map(|(name, shape)| (name.clone(), self.shape(shape)));
                Value::Object(shapes.collect())
            }
            other => other.clone(),
        }
    }
}

impl fmt::Display for Draft {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Draft-07 has another word for what is shared, and does not look at what stands beside a reference.
///
/// Suggestions are snippets: editors would show all of a long list of examples with each explanation.
fn draft_7(mut words: Map<String, Value>) -> Value {
    if let Some(Value::Array(suggestions)) = words.remove(SUGGESTIONS) {
        let snippets: Vec<Value> = suggestions.iter().filter_map(Value::as_str).map(suggestion).collect();
        words.insert("defaultSnippets".to_owned(), json!(snippets));
    }
    if let Some(shared) = words.remove("$defs") {
        words.insert("definitions".to_owned(), shared);
    }
    if let Some(Value::String(target)) = words.get("$ref") {
        let reference = json!({ "$ref": target.replace("/$defs/", "/definitions/") });
        words.remove("$ref");
        if words.is_empty() {
            return reference;
        }
        words.insert("allOf".to_owned(), json!([reference]));
    }
    Value::Object(words)
}

/// Returns the snippet for a string, in quotes where YAML would read it as something else.
fn suggestion(text: &str) -> Value {
    let is_plain = text.starts_with(|c: char| c.is_alphanumeric());
    let body = if is_plain { text.to_owned() } else { format!("\"{text}\"") };
    json!({ "label": text, "body": body })
}

/// The words of editors are none of the standard; what each word of an enumeration means is said in its own way.
fn draft_2020_12(mut words: Map<String, Value>) -> Value {
    for word in ["defaultSnippets", "patternErrorMessage"] {
        words.remove(word);
    }
    if let Some(suggestions) = words.remove(SUGGESTIONS) {
        words.insert("examples".to_owned(), suggestions);
    }
    if let Some(Value::Array(meanings)) = words.remove("enumDescriptions")
        && let Some(Value::Array(values)) = words.remove("enum")
    {
        let cases = values.iter().zip(&meanings);
        let cases: Vec<Value> =
            cases.map(|(value, meaning)| json!({ "const": value, "description": meaning })).collect();
        words.insert("oneOf".to_owned(), json!(cases));
    }
    Value::Object(words)
}

/// Returns the same value with the keys of all its mappings in order, whatever kind of map is behind them.
fn sorted(value: Value) -> Value {
    match value {
        Value::Object(map) => {
            let mut entries: Vec<(String, Value)> =
                map.into_iter().map(|(key, value)| (key, sorted(value))).collect();
            entries.sort_by(|(a, _), (b, _)| a.cmp(b));
            Value::Object(entries.into_iter().collect())
        }
        Value::Array(items) => Value::Array(items.into_iter().map(sorted).collect()),
        other => other,
    }
}
