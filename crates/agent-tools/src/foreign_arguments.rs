//! Checking the arguments of tools of MCP servers by the schema of the server.
//!
//! A keyword that is not known here decides nothing: the server checks its arguments itself. What is known is decided as JSON
//! Schema decides it, so no arguments are refused that the schema accepts.

use serde_json::{Map, Value};

use crate::outcome::{Refusal, quote};

/// The maximum depth of schemas; deeper ones decide nothing.
const MAX_DEPTH: usize = 32;

/// Checks arguments by a schema.
pub(crate) fn check(schema: &Map<String, Value>, arguments: &Map<String, Value>) -> Result<(), Refusal> {
    find_defect(schema, &Value::Object(arguments.clone()), "", 0)
        .map_or(Ok(()), |defect| Err(Refusal::invalid(format!("invalid arguments: {defect}"))))
}

/// Returns what is wrong with a value.
fn find_defect(schema: &Map<String, Value>, value: &Value, path: &str, depth: usize) -> Option<String> {
    if depth > MAX_DEPTH {
        return None;
    }
    let at = || if path.is_empty() { "the arguments".to_owned() } else { quote(path) };
    if let Some(kinds) = schema.get("type").filter(|kinds| !has_type(kinds, value)) {
        return Some(format!("{} must be of the type {kinds}", at()));
    }
    if schema.get("enum").and_then(Value::as_array).is_some_and(|values| !has_equal(values, value)) {
        return Some(format!("{} is not one of the values that the schema lists", at()));
    }
    if schema.get("const").is_some_and(|only| !is_equal(only, value)) {
        return Some(format!("{} is not the value that the schema demands", at()));
    }
    find_limit(schema, value).map(|limit| format!("{} {limit}", at())).or_else(|| match value {
        Value::Object(members) => find_member_defect(schema, members, path, depth),
        Value::Array(items) => {
            let each = schema.get("items").and_then(Value::as_object)?;
            // With `prefixItems`, the schema is about the later ones only.
            let start = schema.get("prefixItems").and_then(Value::as_array).map_or(0, Vec::len);
            let mut items = items.iter().enumerate().skip(start);
            items.find_map(|(at, item)| find_defect(each, item, &format!("{path}[{at}]"), depth + 1))
        }
        _ => None,
    })
}

fn find_member_defect(
    schema: &Map<String, Value>,
    members: &Map<String, Value>,
    path: &str,
    depth: usize,
) -> Option<String> {
    let below = |name: &str| if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
    let required = schema.get("required").and_then(Value::as_array);
    let mut required = required.into_iter().flatten().filter_map(Value::as_str);
    if let Some(missing) = required.find(|name| !members.contains_key(*name)) {
        return Some(format!("{} is missing", quote(&below(missing))));
    }
    let properties = schema.get("properties").and_then(Value::as_object);
    let has_patterns = schema.contains_key("patternProperties");
    members.iter().find_map(|(name, member)| {
        let path = below(name);
        match properties.and_then(|properties| properties.get(name)) {
            Some(Value::Object(property)) => find_defect(property, member, &path, depth + 1),
            Some(Value::Bool(false)) => Some(format!("{} is not an argument", quote(&path))),
            Some(_) => None,
            None if has_patterns => None,
            None => match schema.get("additionalProperties") {
                Some(Value::Bool(false)) => Some(format!("{} is not an argument", quote(&path))),
                Some(Value::Object(other)) => find_defect(other, member, &path, depth + 1),
                _ => None,
            },
        }
    })
}

/// Returns the limit that a value exceeds.
fn find_limit(schema: &Map<String, Value>, value: &Value) -> Option<String> {
    let limit = |keyword: &str| schema.get(keyword).and_then(Value::as_f64);
    let size = match value {
        Value::Number(number) => {
            let number = number.as_f64()?;
            if let Some(least) = limit("minimum").filter(|least| number < *least) {
                return Some(format!("must be at least {least}"));
            }
            return limit("maximum")
                .filter(|most| number > *most)
                .map(|most| format!("must be at most {most}"));
        }
        Value::String(text) => ("minLength", "maxLength", text.chars().count(), "characters"),
        Value::Array(items) => ("minItems", "maxItems", items.len(), "items"),
        Value::Object(members) => ("minProperties", "maxProperties", members.len(), "members"),
        Value::Null | Value::Bool(_) => return None,
    };
    let (least, most, count, unit) = size;
    let count = u32::try_from(count).map_or(f64::INFINITY, f64::from);
    if let Some(least) = limit(least).filter(|least| count < *least) {
        return Some(format!("must have at least {least} {unit}"));
    }
    limit(most).filter(|most| count > *most).map(|most| format!("must have at most {most} {unit}"))
}

fn has_type(kinds: &Value, value: &Value) -> bool {
    let is_kind = |kind: &Value| match kind.as_str() {
        Some("string") => value.is_string(),
        Some("number") => value.is_number(),
        // 1.0 is an integer too.
        Some("integer") => value.as_f64().is_some_and(|number| number.fract() == 0.0),
        Some("boolean") => value.is_boolean(),
        Some("object") => value.is_object(),
        Some("array") => value.is_array(),
        Some("null") => value.is_null(),
        _ => true,
    };
    match kinds {
        Value::Array(kinds) => kinds.iter().any(is_kind),
        kind => is_kind(kind),
    }
}

fn has_equal(values: &[Value], value: &Value) -> bool {
    values.iter().any(|one| is_equal(one, value))
}

/// Returns whether two values are equal; numbers are compared by what they are, not how they are written.
fn is_equal(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => one == other || one.as_f64() == other.as_f64(),
        // Numbers in them may be written in another way, which the server decides.
        (Value::Array(_), Value::Array(_)) | (Value::Object(_), Value::Object(_)) => true,
        _ => one == other,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn arguments_are_checked_by_the_schema() {
        let schema = json!({
            "type": "object",
            "properties": {
                "path": {"type": "string", "minLength": 1, "maxLength": 3},
                "count": {"type": "integer", "minimum": 1, "maximum": 9},
                "kind": {"enum": ["a", 1]},
                "only": {"const": true},
                "list": {"type": "array", "items": {"type": "string"}, "maxItems": 2},
                "deep": {"type": "object", "required": ["x"], "additionalProperties": {"type": "number"}},
                "either": {"type": ["string", "null"]},
                "never": false,
                "any": {},
                "foreign": {"type": "x", "format": "uri", "pattern": "^a$", "anyOf": [false]},
            },
            "required": ["path"],
            "additionalProperties": false,
        });
        let schema = schema.as_object().unwrap();
        let cases = [
            (json!({"path": "a"}), None),
            (json!({}), Some("`path` is missing")),
            (json!({"path": 1}), Some("`path` must be of the type \"string\"")),
            (json!({"path": ""}), Some("`path` must have at least 1 characters")),
            (json!({"path": "äöüä"}), Some("`path` must have at most 3 characters")),
            (json!({"path": "a", "other": 1}), Some("`other` is not an argument")),
            (json!({"path": "a", "never": 1}), Some("`never` is not an argument")),
            (json!({"path": "a", "count": 1.0}), None),
            (json!({"path": "a", "count": 1.5}), Some("`count` must be of the type \"integer\"")),
            (json!({"path": "a", "count": 0}), Some("`count` must be at least 1")),
            (json!({"path": "a", "count": 10}), Some("`count` must be at most 9")),
            (json!({"path": "a", "kind": "a"}), None),
            (json!({"path": "a", "kind": 1.0}), None),
            (json!({"path": "a", "kind": "b"}), Some("`kind` is not one of the values")),
            (json!({"path": "a", "only": false}), Some("`only` is not the value")),
            (json!({"path": "a", "list": ["x", "y"]}), None),
            (json!({"path": "a", "list": ["x", 2]}), Some("`list[1]` must be of the type \"string\"")),
            (json!({"path": "a", "list": ["x", "y", "z"]}), Some("`list` must have at most 2 items")),
            (json!({"path": "a", "deep": {"x": 1, "y": 2}}), None),
            (json!({"path": "a", "deep": {}}), Some("`deep.x` is missing")),
            (json!({"path": "a", "deep": {"x": "1"}}), Some("`deep.x` must be of the type \"number\"")),
            (json!({"path": "a", "either": null}), None),
            (json!({"path": "a", "either": 1}), Some("`either` must be of the type [\"string\",\"null\"]")),
            (json!({"path": "a", "any": [1, {}]}), None),
            (json!({"path": "a", "foreign": 5}), None),
        ];
        for (given, expected) in cases {
            let checked = check(schema, given.as_object().unwrap());
            let message = checked.err().map(|refusal| refusal.message).unwrap_or_default();
            match expected {
                None => assert_eq!(message, "", "{given}"),
                Some(expected) => assert!(message.contains(expected), "{given}: {message}"),
            }
        }
    }
}
