//! Limits of the schemas that servers send.

use std::io::{self, Write};

use serde_json::Value;

/// The maximum size in bytes of the schema of the arguments of a tool, as JSON without white space.
pub const MAX_SCHEMA_BYTES: usize = 64 << 10;

/// The maximum number of levels of objects and lists in such a schema.
pub const MAX_SCHEMA_DEPTH: usize = 32;

/// Returns why a schema cannot be used; `None` if it can.
pub fn find_defect(schema: &Value) -> Option<String> {
    if !schema.is_object() {
        let found = match schema {
            Value::Null => "it is missing",
            Value::Bool(_) => "it is a boolean",
            Value::Number(_) => "it is a number",
            Value::String(_) => "it is a string",
            Value::Array(_) | Value::Object(_) => "it is a list",
        };
        return Some(format!("{found}, but must be an object"));
    }
    // The depth comes first, because it bounds the recursion of the serializer.
    if is_deeper_than(schema, MAX_SCHEMA_DEPTH) {
        return Some(format!("it is nested more than {MAX_SCHEMA_DEPTH} levels deep"));
    }
    let is_large = serde_json::to_writer(Budget(MAX_SCHEMA_BYTES), schema).is_err();
    is_large.then(|| format!("it is larger than {} KiB", MAX_SCHEMA_BYTES >> 10))
}

fn is_deeper_than(value: &Value, levels: usize) -> bool {
    let mut items: Box<dyn Iterator<Item = &Value>> = match value {
        Value::Object(entries) => Box::new(entries.values()),
        Value::Array(items) => Box::new(items.iter()),
        _ => return false,
    };
    match levels.checked_sub(1) {
        None => true,
        Some(levels) => items.any(|item| is_deeper_than(item, levels)),
    }
}

/// Accepts this number of bytes, and stores nothing.
struct Budget(usize);

impl Write for Budget {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 = self.0.checked_sub(bytes.len()).ok_or(io::ErrorKind::FileTooLarge)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn check(schema: &Value, expected: Option<&str>) {
        assert_eq!(find_defect(schema).as_deref(), expected);
    }

    /// Returns an object with this number of levels, every second one a list.
    fn nested(levels: usize) -> Value {
        (1..levels).fold(json!({}), |inner, level| {
            if inner.is_array() || level + 1 == levels { json!({ "a": inner }) } else { json!([inner]) }
        })
    }

    #[test]
    fn a_schema_is_an_object_of_limited_depth() {
        check(&json!({}), None);
        check(&json!({ "type": "object", "properties": { "a": true } }), None);
        check(&Value::Null, Some("it is missing, but must be an object"));
        check(&json!([]), Some("it is a list, but must be an object"));
        check(&json!(true), Some("it is a boolean, but must be an object"));
        check(&nested(MAX_SCHEMA_DEPTH), None);
        check(&nested(MAX_SCHEMA_DEPTH + 1), Some("it is nested more than 32 levels deep"));
        check(&nested(100), Some("it is nested more than 32 levels deep"));
    }

    #[test]
    fn a_schema_has_a_limited_size() {
        // `{"a":"…"}`
        let sized = |bytes: usize| json!({ "a": "x".repeat(bytes - 8) });
        assert_eq!(sized(100).to_string().len(), 100);
        check(&sized(MAX_SCHEMA_BYTES), None);
        check(&sized(MAX_SCHEMA_BYTES + 1), Some("it is larger than 64 KiB"));
        check(&sized(MAX_SCHEMA_BYTES * 10), Some("it is larger than 64 KiB"));
    }
}
