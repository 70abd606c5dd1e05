//! JSON values: printing and parsing.

use jsonc_parser::ast::Value;
use serde_json::{Map, Number};

/// A value to write into a JSON file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Json {
    /// `true` or `false`.
    Bool(bool),
    /// A string.
    Text(String),
    /// A string as written, quotes included: for readers that examine the characters before they parse the JSON.
    Written(String),
    /// A list.
    List(Vec<Json>),
    /// An object; its keys in order, without duplicates.
    Object(Vec<(String, Json)>),
}

/// The maximum number of characters of a list on one line.
const MAX_LINE_CHARACTERS: usize = 80;

impl Json {
    /// Prints the value for lines that begin with `indent`, each level `unit` deeper.
    pub fn print(&self, newline: &str, unit: &str, indent: &str) -> String {
        let inner = format!("{indent}{unit}");
        let lines = |open: char, items: Vec<String>, close: char| {
            let items = items.join(&format!(",{newline}{inner}"));
            format!("{open}{newline}{inner}{items}{newline}{indent}{close}")
        };
        match self {
            Self::Bool(value) => value.to_string(),
            Self::Text(text) => quote(text),
            Self::Written(text) => text.clone(),
            Self::List(items) => {
                let items: Vec<String> = items.iter().map(|item| item.print(newline, unit, &inner)).collect();
                let line = format!("[{}]", items.join(", "));
                if line.len() <= MAX_LINE_CHARACTERS { line } else { lines('[', items, ']') }
            }
            Self::Object(members) if members.is_empty() => "{}".to_owned(),
            Self::Object(members) => {
                let member = |(key, value): &(String, Self)| {
                    format!("{}: {}", quote(key), value.print(newline, unit, &inner))
                };
                lines('{', members.iter().map(member).collect(), '}')
            }
        }
    }
}

/// Returns a JSON string literal that every reader accepts.
pub(super) fn quote(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// Returns the parsed value; none if it is ambiguous.
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
