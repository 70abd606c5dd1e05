//! Answers to calls.

use serde::ser::SerializeMap as _;
use serde::{Serialize, Serializer};
use serde_json::Value;

use crate::Code;

/// Named values in insertion order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Fields(Vec<(&'static str, Value)>);

impl Fields {
    /// Returns an empty list of fields.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a field.
    #[must_use]
    pub fn with(mut self, name: &'static str, value: impl Into<Value>) -> Self {
        self.0.push((name, value.into()));
        self
    }

    /// Adds a field if there is a value.
    #[must_use]
    pub fn with_some(self, name: &'static str, value: Option<impl Into<Value>>) -> Self {
        match value {
            Some(value) => self.with(name, value),
            None => self,
        }
    }

    /// Returns the value of a field.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.0.iter().find(|(known, _)| *known == name).map(|(_, value)| value)
    }

    /// Returns the names and values in order.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, &Value)> {
        self.0.iter().map(|(name, value)| (*name, value))
    }
}

impl Serialize for Fields {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.iter())
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
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), next: None, details: None }
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
        let mut map = serializer.serialize_map(None)?;
        match &self.result {
            Ok(success) => {
                map.serialize_entry("status", "ok")?;
                map.serialize_entry("tool", &self.tool)?;
                for (name, value) in success.fields.iter() {
                    map.serialize_entry(name, value)?;
                }
                map.serialize_entry("summary", &success.summary)?;
            }
            Err(refusal) => {
                map.serialize_entry("status", "error")?;
                map.serialize_entry("tool", &self.tool)?;
                map.serialize_entry("code", &refusal.code)?;
                map.serialize_entry("message", &refusal.message)?;
                if let Some(next) = &refusal.next {
                    map.serialize_entry("next", next)?;
                }
                if let Some(details) = &refusal.details {
                    map.serialize_entry("details", details)?;
                }
            }
        }
        map.end()
    }
}
