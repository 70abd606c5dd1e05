//! The keys and scalars of a value.

use std::ops::Range;

use jsonc_parser::ast::{ObjectPropName, Value};
use jsonc_parser::common::Ranged as _;

use super::JsonNode;

/// A key or scalar of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JsonPart {
    /// Whether it is a key.
    pub is_key: bool,
    /// Its range, quotes included.
    pub range: Range<usize>,
}

impl JsonNode<'_, '_> {
    /// Returns the range of the value in the text after the byte order mark.
    pub fn range(&self) -> Range<usize> {
        let range = self.value.range();
        range.start..range.end
    }

    /// Returns all keys and scalars in the value, in the order of the text, with ranges as for
    /// [`range`](Self::range). Between them are only brackets, colons, commas, white space and comments.
    pub fn parts(&self) -> Vec<JsonPart> {
        let mut found = Vec::new();
        let mut open = vec![self.value];
        while let Some(value) = open.pop() {
            match value {
                Value::Array(list) => open.extend(&list.elements),
                Value::Object(object) => {
                    for property in &object.properties {
                        found.push(JsonPart { is_key: true, range: key_range(&property.name) });
                        open.push(&property.value);
                    }
                }
                plain => {
                    let range = plain.range();
                    found.push(JsonPart { is_key: false, range: range.start..range.end });
                }
            }
        }
        found.sort_by_key(|part| part.range.start);
        found
    }
}

fn key_range(name: &ObjectPropName<'_>) -> Range<usize> {
    let range = name.range();
    range.start..range.end
}
