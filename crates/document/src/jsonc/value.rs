//! JSON values: what is written, and what others mean.

use jsonc_parser::ast::Value;
use serde_json::{Map, Number};

/// A value that is written into a JSON text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Json {
    /// `true` or `false`.
    Bool(bool),
    /// A text.
    Text(String),
    /// A text as it is written, quotes included: for readers that look at the letters before they read JSON.
    Written(String),
    /// A list.
    List(Vec<Json>),
    /// An object; its keys in order, each once.
    Object(Vec<(String, Json)>),
}

/// How many characters a list has that stands on one line.
const LONGEST_LINE: usize = 80;

impl Json {
    /// Returns the value as it is written where lines begin with `indent`, each level `unit` deeper.
    pub fn print(&self, newline: &str, unit: &str, indent: &str) -> String {
        let inner = format!("{indent}{unit}");
        let lines = |open: char, items: Vec<String>, close: char| {
            let items = items.join(&format!(",{newline}{inner}"));
            format!("{open}{newline}{inner}{items}{newline}{indent}{close}")
        };
        match self {
            Self::Bool(value) => value.to_string(),
            Self::Text(text) => quoted(text),
            Self::Written(text) => text.clone(),
            Self::List(items) => {
                let items: Vec<String> = items.iter().map(|item| item.print(newline, unit, &inner)).collect();
                let line = format!("[{}]", items.join(", "));
                if line.len() <= LONGEST_LINE { line } else { lines('[', items, ']') }
            }
            Self::Object(members) if members.is_empty() => "{}".to_owned(),
            Self::Object(members) => {
                let member = |(key, value): &(String, Self)| {
                    format!("{}: {}", quoted(key), value.print(newline, unit, &inner))
                };
                lines('{', members.iter().map(member).collect(), '}')
            }
        }
    }
}

/// Returns a text in quotes, as every reader of JSON takes it.
pub(super) fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// Returns what a value means; nothing if that is not sure.
pub(super) fn meaning(value: &Value<'_>) -> Option<serde_json::Value> {
    Some(match value {
        Value::StringLit(text) => serde_json::Value::from(&*text.value),
        Value::NumberLit(number) => serde_json::Value::Number(number.value.parse::<Number>().ok()?),
        Value::BooleanLit(value) => value.value.into(),
        Value::NullKeyword(_) => serde_json::Value::Null,
        Value::Array(list) => list.elements.iter().map(meaning).collect::<Option<Vec<_>>>()?.into(),
        Value::Object(object) => {
            let mut members = Map::new();
            for property in &object.properties {
                let value = meaning(&property.value)?;
                if members.insert(property.name.as_str().to_owned(), value).is_some() {
                    return None;
                }
            }
            members.into()
        }
    })
}
