//! The parameters of a request, with the names of a protocol.

use serde_json::Value;

use super::Object;

/// Adds parameters to a body. `rename` returns the name of a parameter; none if the protocol does not have it.
///
/// Members that the body has already are those of the protocol, and stay.
pub(super) fn add(body: &mut Object, parameters: &Object, rename: impl Fn(&str) -> Option<&str>) {
    for (key, value) in parameters {
        let Some(name) = rename(key).filter(|_| !value.is_null()) else { continue };
        body.entry(name).or_insert_with(|| value.clone());
    }
}

/// Sets a member that the parameters replace, also by null.
pub(super) fn set_default(body: &mut Object, parameters: &Object, key: &str, value: Value) {
    if !parameters.contains_key(key) {
        body.insert(key.to_owned(), value);
    }
}

/// Returns the values of `stop`, which may be a single one.
pub(super) fn stop_list(parameters: &Object) -> Option<Value> {
    match parameters.get("stop")? {
        Value::String(stop) => Some(Value::from(vec![stop.as_str()])),
        stop @ Value::Array(_) => Some(stop.clone()),
        _ => None,
    }
}
