//! Texts as they are spelled.

use std::fmt;
use std::ops::Deref;

use minds_document::schema::{Describe, Schema};
use minds_document::{Context, Decode, Node, Value};
use serde_json::json;

/// A text as it is spelled: without quotes a number, a boolean or null is a text too, so `model: 5` says `5` and
/// `id: 1.50` says `1.50`.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Spelled(pub String);

impl Deref for Spelled {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Spelled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Decode for Spelled {
    fn decode(node: Node<'_>, cx: &mut Context) -> Option<Self> {
        if node.value() == Value::Unknown {
            return None;
        }
        if let Some(text) = node.scalar_text() {
            return Some(Self(text.to_owned()));
        }
        cx.type_error(node, "a string");
        None
    }
}

impl Describe for Spelled {
    fn schema() -> Schema {
        Schema::any().with("type", json!(["string", "number", "boolean", "null"]))
    }
}
