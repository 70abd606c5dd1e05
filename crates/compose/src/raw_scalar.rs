//! Scalars kept as written.

use std::fmt;
use std::ops::Deref;

use minds_document::json_schema::json_schema;
use minds_document::{Context, Decode, ListItem, Node, Value, inline_schema};

/// A scalar as written in the file. Unquoted numbers, booleans and null are read as strings too, so `model:
/// 5` is `5` and `id: 1.50` is `1.50`.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct RawScalar(pub String);

impl Deref for RawScalar {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for RawScalar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Decode for RawScalar {
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

impl ListItem for RawScalar {
    const LIST: &'static str = "a list of strings";
}

inline_schema!(RawScalar, |_| json_schema!({ "type": ["string", "number", "boolean", "null"] }));
