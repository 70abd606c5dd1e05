//! What a call is answered with.

use serde::ser::SerializeMap as _;
use serde::{Serialize, Serializer};
use serde_json::Value;

use crate::Code;

/// Named values in an order that reads well, which is the order in which they were added.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Fields(Vec<(&'static str, Value)>);

impl Fields {
    /// Returns no fields.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a field, and returns the fields.
    #[must_use]
    pub fn with(mut self, name: &'static str, value: impl Into<Value>) -> Self {
        self.0.push((name, value.into()));
        self
    }

    /// Adds a field if there is a value, and returns the fields.
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

/// What was done.
#[derive(Clone, Debug, PartialEq)]
pub struct Success {
    /// One line for people and models.
    pub summary: String,
    /// The same for programs.
    pub fields: Fields,
}

/// Why nothing was done. The disk is as it was.
#[derive(Clone, Debug, PartialEq)]
pub struct Refusal {
    /// The reason in one stable word.
    pub code: Code,
    /// The reason in a sentence.
    pub message: String,
    /// What to do now, if there is one thing.
    pub next: Option<String>,
    /// What a program needs to do it.
    pub details: Option<Fields>,
}

impl Refusal {
    /// Returns a refusal without a next step.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), next: None, details: None }
    }

    /// Adds what to do now.
    #[must_use]
    pub fn next(mut self, next: impl Into<String>) -> Self {
        self.next = Some(next.into());
        self
    }

    /// Adds what a program needs.
    #[must_use]
    pub fn details(mut self, details: Fields) -> Self {
        self.details = Some(details);
        self
    }
}

/// The answer to a call: one document, whatever happened.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// The name that was called.
    pub tool: String,
    /// What was done, or why nothing was.
    pub result: Result<Success, Refusal>,
}

impl Answer {
    /// Returns whether the call was refused.
    pub fn is_refused(&self) -> bool {
        self.result.is_err()
    }

    /// Returns why the call was refused, if it was.
    pub fn refusal(&self) -> Option<&Refusal> {
        self.result.as_ref().err()
    }

    /// Returns the answer as a JSON document.
    pub fn to_json(&self) -> Value {
        // Only texts, numbers, lists and maps with texts for keys are in it.
        serde_json::to_value(self).unwrap_or_default()
    }

    /// Returns the answer in short lines, for those who read no JSON.
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
