//! Conversion of nodes to JSON.

use serde_json::{Map, Number};

use crate::{Node, Value};

impl Node<'_> {
    /// Returns the node as JSON with aliases expanded. Dates become strings; numbers that JSON cannot represent and
    /// values that were reported become null.
    ///
    /// The number of values in the result is bounded by the nodes of the document plus those that its aliases represent
    /// for; its depth by the maximum depth of a document.
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
