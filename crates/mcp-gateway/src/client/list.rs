//! The tools that a server lists.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The most tools of a server that are used.
pub const MAX_TOOLS: usize = 1_000;

/// A tool as a server lists it. Everything in it is untrusted, and only the types were checked.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ListedTool {
    /// The name.
    pub name: String,
    /// The title for people.
    pub title: Option<String>,
    /// The description for models.
    pub description: String,
    /// The schema of the arguments; null if there is none.
    pub input_schema: Value,
    /// The schema of the structured content.
    pub output_schema: Option<Value>,
    /// The hints about the effects.
    pub annotations: Map<String, Value>,
}

impl ListedTool {
    /// Reads an entry of a list; none if it has no name.
    pub(super) fn read(entry: Value) -> Option<Self> {
        let Value::Object(mut entry) = entry else { return None };
        let Some(Value::String(name)) = entry.remove("name") else { return None };
        let mut text = |key: &str| match entry.remove(key) {
            Some(Value::String(text)) => Some(text),
            _ => None,
        };
        Some(Self {
            name,
            title: text("title"),
            description: text("description").unwrap_or_default(),
            input_schema: entry.remove("inputSchema").unwrap_or_default(),
            output_schema: entry.remove("outputSchema"),
            annotations: match entry.remove("annotations") {
                Some(Value::Object(annotations)) => annotations,
                _ => Map::new(),
            },
        })
    }
}
