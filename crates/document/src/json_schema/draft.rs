//! Writing of schemas.

use std::fmt;

use schemars::Schema;
use serde_json::{Map, Value, json};

use minds_diagnostics::REPOSITORY;

use super::keywords::SUGGESTIONS;
use super::{FileKind, Keywords as _};

/// A version of JSON Schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Draft {
    /// Draft-07, with the extension keywords of editors.
    #[default]
    Draft7,
    /// Draft 2020-12, with standard keywords only.
    Draft202012,
}

impl Draft {
    /// Every draft.
    pub const ALL: [Self; 2] = [Self::Draft7, Self::Draft202012];

    /// Returns the name of the draft.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Draft7 => "07",
            Self::Draft202012 => "2020-12",
        }
    }

    /// Writes a schema as JSON with sorted keys and a final newline.
    pub fn write(self, schema: &Schema) -> String {
        // Serialization cannot fail: all keys are strings.
        let mut text = serde_json::to_string_pretty(&self.render(schema)).unwrap_or_default();
        text.push('\n');
        text
    }

    /// Writes the schema of a kind of file as [`write`](Self::write) does, with the URL at which it is published, and
    /// for editors with links to the documentation.
    pub fn write_kind(self, kind: &FileKind) -> String {
        let id = format!("{REPOSITORY}/raw/main/schemas/draft-{self}/{}.schema.json", kind.name);
        let mut schema = (kind.schema)().with("$id", json!(id));
        if self == Self::Draft7 {
            let link = format!("[Documentation]({REPOSITORY}/blob/main/{})", kind.docs);
            link_descriptions(schema.ensure_object(), &link);
        }
        self.write(&schema)
    }

    /// Returns a schema as JSON.
    pub fn render(self, schema: &Schema) -> Value {
        let mut whole = schema.as_object().cloned().unwrap_or_default();
        if let (Self::Draft7, Some(Value::Object(shared))) = (self, schema.get("$defs")) {
            whole = with_types(whole, shared);
        }
        let mut rendered = self.shape(&Value::Object(whole));
        if let Value::Object(words) = &mut rendered {
            words.insert("$schema".to_owned(), json!(self.meta_schema()));
        }
        sort_keys(rendered)
    }

    fn meta_schema(self) -> &'static str {
        match self {
            Self::Draft7 => "http://json-schema.org/draft-07/schema#",
            Self::Draft202012 => "https://json-schema.org/draft/2020-12/schema",
        }
    }

    /// Converts a schema and its subschemas to the keywords of the draft.
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

/// Adds a link to the descriptions of a schema and its properties.
fn link_descriptions(words: &mut Map<String, Value>, link: &str) {
    let linked = |words: &mut Map<String, Value>| {
        let description = words.get("description").and_then(Value::as_str);
        if let Some(text) = description.map(|description| format!("{description}\n\n{link}")) {
            words.insert("markdownDescription".to_owned(), json!(text));
        }
    };
    linked(words);
    if let Some(Value::Object(properties)) = words.get_mut("properties") {
        properties.values_mut().filter_map(Value::as_object_mut).for_each(linked);
    }
}

/// Adds the types of definitions to the references that have sibling keywords.
///
/// Draft-07 puts such a reference into `allOf`, where editors that complete a key do not look for the type of its
/// value.
fn with_types(words: Map<String, Value>, shared: &Map<String, Value>) -> Map<String, Value> {
    let has_siblings = words.len() > 1;
    let mut rendered: Map<String, Value> = words
        .into_iter()
        .map(|(word, value)| {
            let is_data =
                matches!(word.as_str(), "const" | "enum" | "default" | "examples" | "defaultSnippets");
            (word, if is_data { value } else { with_types_inside(value, shared) })
        })
        .collect();
    let target =
        rendered.get("$ref").and_then(Value::as_str).and_then(|target| target.strip_prefix("#/$defs/"));
    let types = target.and_then(|name| shared.get(name)).and_then(types);
    if let Some(types) = types.filter(|_| has_siblings) {
        let types = if let [only] = types.as_slice() { json!(only) } else { json!(types) };
        rendered.insert("type".to_owned(), types);
    }
    rendered
}

fn with_types_inside(value: Value, shared: &Map<String, Value>) -> Value {
    match value {
        Value::Object(words) => Value::Object(with_types(words, shared)),
        Value::Array(items) => items.into_iter().map(|item| with_types_inside(item, shared)).collect(),
        other => other,
    }
}

/// Returns the types of a schema, if it states them: lists first, because editors complete the first one.
fn types(shape: &Value) -> Option<Vec<&str>> {
    match (shape.get("type"), shape.get("anyOf")) {
        (Some(Value::String(only)), _) => Some(vec![only]),
        (None, Some(Value::Array(shapes))) => {
            let of_each: Option<Vec<Vec<&str>>> = shapes.iter().map(types).collect();
            let mut types = of_each?.concat();
            types.sort_unstable_by_key(|kind| (*kind == "null", *kind));
            types.dedup();
            Some(types)
        }
        _ => None,
    }
}

/// Draft-07 has another keyword for definitions, and ignores the siblings of a reference.
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

/// Returns the snippet for a string, in quotes where YAML would read it as another type.
fn suggestion(text: &str) -> Value {
    let is_plain = text.starts_with(|c: char| c.is_alphanumeric());
    let body = if is_plain { text.to_owned() } else { format!("\"{text}\"") };
    json!({ "label": text, "body": body })
}

/// The keywords of editors are not in the standard, and the meanings of enum values have another notation.
fn draft_2020_12(mut words: Map<String, Value>) -> Value {
    for word in ["defaultSnippets", "doNotSuggest", "patternErrorMessage"] {
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

/// Returns the value with the keys of all its objects sorted, independent of the map type.
fn sort_keys(value: Value) -> Value {
    match value {
        Value::Object(map) => {
            let mut entries: Vec<(String, Value)> =
                map.into_iter().map(|(key, value)| (key, sort_keys(value))).collect();
            entries.sort_by(|(a, _), (b, _)| a.cmp(b));
            Value::Object(entries.into_iter().collect())
        }
        Value::Array(items) => Value::Array(items.into_iter().map(sort_keys).collect()),
        other => other,
    }
}
