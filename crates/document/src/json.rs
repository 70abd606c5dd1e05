//! Nodes as JSON.

use serde_json::{Map, Number};

use crate::{Node, Value};

impl Node<'_> {
    /// Returns the node as JSON, aliases written out; dates become strings, numbers that JSON does not have and what was reported become
    /// null.
    ///
    /// The result has at most as many values as the document has nodes and its aliases stand for, which is bounded, and
    /// is at most as deep as a document may be.
    pub fn to_json(self) -> serde_json::Value {
        match self.value() {
            Value::Null | Value::Unknown => serde_json::Value::Null,
            Value::Bool(value) => value.into(),
            Value::Integer(value) => value.into(),
            Value::Float(value) => Number::from_f64(value).map_or(serde_json::Value::Null, Into::into),
            Value::String(text) | Value::Date(text) => text.into(),
            Value::Sequence => self.items().map(Node::to_json).collect(),
            Value::Mapping => {
                let pairs = self.entries().map(|entry| (entry.key.to_owned(), entry.value.to_json()));
                serde_json::Value::Object(pairs.collect::<Map<_, _>>())
            }
        }
    }
}
