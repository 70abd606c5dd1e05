//! Answers to calls.

use std::borrow::Cow;
use std::fmt;

use minds_operations::documents::RefusalStatus;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{MapAccess, Visitor};
use serde::ser::SerializeMap as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value, json};

use crate::{Code, tools};

/// Named values in insertion order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Fields(Vec<(Cow<'static, str>, Value)>);

impl Fields {
    /// Returns an empty list of fields.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns the fields of a structure, in the order of their declaration and without those that have no value.
    pub(crate) fn of(output: &impl Serialize) -> Self {
        // A structure of strings, numbers, lists and structures is always an object in JSON. The text keeps its order,
        // which a value would lose.
        let text = serde_json::to_string(output).unwrap_or_default();
        let mut fields: Self = serde_json::from_str(&text).unwrap_or_default();
        fields.0.retain(|(_, value)| !value.is_null());
        fields
    }

    /// Adds a field.
    #[must_use]
    pub fn with(mut self, name: impl Into<Cow<'static, str>>, value: impl Into<Value>) -> Self {
        self.0.push((name.into(), value.into()));
        self
    }

    /// Adds a field if there is a value.
    #[must_use]
    pub fn with_some(self, name: impl Into<Cow<'static, str>>, value: Option<impl Into<Value>>) -> Self {
        match value {
            Some(value) => self.with(name, value),
            None => self,
        }
    }

    /// Returns the value of a field.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.0.iter().find(|(known, _)| known == name).map(|(_, value)| value)
    }

    /// Returns the names and values in order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.0.iter().map(|(name, value)| (name.as_ref(), value))
    }
}

impl Serialize for Fields {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.iter())
    }
}

impl<'de> Deserialize<'de> for Fields {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct FieldsVisitor;

        impl<'de> Visitor<'de> for FieldsVisitor {
            type Value = Fields;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("named values")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Fields, A::Error> {
                let mut fields = Vec::new();
                while let Some((name, value)) = map.next_entry::<String, Value>()? {
                    fields.push((name.into(), value));
                }
                Ok(Fields(fields))
            }
        }

        deserializer.deserialize_map(FieldsVisitor)
    }
}

/// The result of a successful call.
#[derive(Clone, Debug, PartialEq)]
pub struct Success {
    /// One line for people and models.
    pub summary: String,
    /// The result for programs.
    pub fields: Fields,
}

/// Why a call was refused. Nothing was changed on disk.
#[derive(Clone, Debug, PartialEq)]
pub struct Refusal {
    /// The stable code of the reason.
    pub code: Code,
    /// The reason in a sentence.
    pub message: String,
    /// The next step, if there is one.
    pub next: Option<String>,
    /// Details for programs.
    pub details: Option<Fields>,
}

impl Refusal {
    /// Returns a refusal without a next step.
    pub fn new(code: impl Into<Code>, message: impl Into<String>) -> Self {
        Self { code: code.into(), message: message.into(), next: None, details: None }
    }

    /// Adds the next step.
    #[must_use]
    pub fn next(mut self, next: impl Into<String>) -> Self {
        self.next = Some(next.into());
        self
    }

    /// Adds details for programs.
    #[must_use]
    pub fn details(mut self, details: Fields) -> Self {
        self.details = Some(details);
        self
    }
}

/// The answer to a call, success or refusal.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// The name of the called tool.
    pub tool: String,
    /// The result, or why the call was refused.
    pub result: Result<Success, Refusal>,
}

impl Answer {
    /// Returns whether the call was refused.
    pub fn is_refused(&self) -> bool {
        self.result.is_err()
    }

    /// Returns the refusal, if the call was refused.
    pub fn refusal(&self) -> Option<&Refusal> {
        self.result.as_ref().err()
    }

    /// Returns the answer as a JSON document.
    pub fn to_json(&self) -> Value {
        // The answer contains only strings, numbers, lists and maps with string keys, so serialization cannot fail.
        serde_json::to_value(self).unwrap_or_default()
    }

    /// Returns the answer as short lines of text.
    pub fn to_text(&self) -> String {
        match &self.result {
            Ok(success) => success.summary.clone(),
            Err(refusal) => {
                let next = refusal.next.as_ref().map(|next| format!("\nnext: {next}"));
                format!("{}: {}{}", refusal.code, refusal.message, next.unwrap_or_default())
            }
        }
    }
}

impl Serialize for Answer {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match &self.result {
            Ok(success) => {
                let mut map = serializer.serialize_map(None)?;
                map.serialize_entry("status", "ok")?;
                map.serialize_entry("tool", &self.tool)?;
                for (name, value) in success.fields.iter() {
                    map.serialize_entry(name, value)?;
                }
                map.serialize_entry("summary", &success.summary)?;
                map.end()
            }
            Err(refusal) => refusal.view(&self.tool).serialize(serializer),
        }
    }
}

/// The answer of a built-in tool: a result with the fields of the tool, or a refusal.
impl JsonSchema for Answer {
    fn schema_name() -> Cow<'static, str> {
        "Answer".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let mut successes: Vec<(Map<String, Value>, Vec<&str>)> = Vec::new();
        for tool in tools::ALL {
            let fields = tool.body.fields();
            match successes.iter_mut().find(|(known, _)| *known == fields) {
                Some((_, names)) => names.push(tool.name),
                None => successes.push((fields, vec![tool.name])),
            }
        }
        let successes = successes.into_iter().map(|(fields, names)| success_schema(fields, &names));
        let refusal = generator.subschema_for::<RefusalView<'_>>().to_value();
        let forms: Vec<Value> = successes.chain([refusal]).collect();
        json_schema!({"anyOf": forms})
    }
}

/// Returns the schema of a result of tools that have the same fields.
fn success_schema(mut fields: Map<String, Value>, tools: &[&str]) -> Value {
    let common = [
        ("status", json!({"const": "ok"})),
        ("tool", json!({"enum": tools})),
        ("summary", json!({"type": "string", "description": "The result in one line."})),
    ];
    for (name, schema) in common {
        if let Some(properties) = fields.get_mut("properties").and_then(Value::as_object_mut) {
            properties.insert(name.to_owned(), schema);
        }
        if let Some(required) = fields.get_mut("required").and_then(Value::as_array_mut) {
            required.push(name.into());
        }
    }
    Value::Object(fields)
}

/// A refused call. Nothing was changed.
#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
struct RefusalView<'a> {
    /// Always `error`.
    status: RefusalStatus,
    /// The name of the called tool.
    tool: &'a str,
    /// The stable code of the reason.
    code: Code,
    /// The reason.
    message: &'a str,
    /// What to do; omitted if there is no next step.
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<&'a str>,
    /// Details for programs, which depend on the code; omitted if there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Map<String, Value>>")]
    details: Option<&'a Fields>,
}

impl Refusal {
    fn view<'a>(&'a self, tool: &'a str) -> RefusalView<'a> {
        RefusalView {
            status: RefusalStatus::Error,
            tool,
            code: self.code,
            message: &self.message,
            next: self.next.as_deref(),
            details: self.details.as_ref(),
        }
    }
}
