//! Redaction of secrets in values that are shown by key.

use serde_json::Value;

use super::named_values::is_secret_word;
use super::names::is_metadata_key;
use super::{KeyClass, TextKind, classify_key, mask_secrets};

/// The replacement of a secret whose length is hidden, too.
pub const REDACTED: &str = "****";

/// Returns a value without the secrets in it; `keys` is the path to it. A mapping that states where a secret is, such
/// as `{env: NAME}`, stays as it is.
pub fn redact_value(keys: &[&str], value: Value) -> Value {
    let last = keys.last().copied().unwrap_or_default();
    let under = keys.iter().map(|key| classify_key(key)).filter(|naming| *naming == KeyClass::Secret);
    let above = match under.count() {
        0 => classify_key(last),
        // The place or a limit of the secret that the preceding keys name.
        _ if is_metadata_key(last) && classify_key(last) != KeyClass::Variable => KeyClass::Ordinary,
        _ if classify_key(last) == KeyClass::Variable || is_metadata_key(last) => KeyClass::Variable,
        _ => KeyClass::Secret,
    };
    redact(value, above)
}

/// Returns a value without the secrets in it, for a key of this kind.
fn redact(value: Value, above: KeyClass) -> Value {
    match value {
        Value::String(text) => Value::String(redact_text(&text, above)),
        Value::Number(_) if matches!(above, KeyClass::Secret | KeyClass::Scalar) => Value::from(REDACTED),
        Value::Array(items) => {
            let mut is_next = false;
            let item = |item: Value| {
                let naming = if is_next { KeyClass::Secret } else { naming_of_item(above) };
                // `--password` and its value are two arguments.
                is_next = item.as_str().is_some_and(is_secret_flag);
                redact(item, naming)
            };
            items.into_iter().map(item).collect()
        }
        Value::Object(entries) => {
            let named =
                entries.get("name").or_else(|| entries.get("key")).and_then(Value::as_str).map(classify_key);
            let entry = |(key, value): (String, Value)| {
                let own = match classify_key(&key) {
                    _ if is_metadata_key(&key) => classify_key(&key),
                    KeyClass::Ordinary if key == "value" && named.is_some() => {
                        named.unwrap_or(KeyClass::Ordinary)
                    }
                    KeyClass::Secret => KeyClass::Secret,
                    own if above == KeyClass::Secret && own != KeyClass::Variable => KeyClass::Secret,
                    own => own,
                };
                (mask_secrets(&key, TextKind::Message).into_owned(), redact(value, own))
            };
            entries.into_iter().map(entry).collect()
        }
        other => other,
    }
}

/// Returns the naming of an item of a list, by that of the list.
fn naming_of_item(above: KeyClass) -> KeyClass {
    if above == KeyClass::Scalar { KeyClass::Ordinary } else { above }
}

fn redact_text(text: &str, above: KeyClass) -> String {
    if is_secret_word(text, above, TextKind::Settings) {
        return REDACTED.to_owned();
    }
    mask_secrets(text, TextKind::Settings).into_owned()
}

/// Returns whether the argument after this one is a secret.
fn is_secret_flag(text: &str) -> bool {
    text.strip_prefix("--")
        .is_some_and(|name| !name.contains(['=', ' ']) && classify_key(name) == KeyClass::Secret)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn values_below_keys_that_name_secrets_are_redacted() {
        for (value, shown) in [
            (json!({"api_key": "hunter2"}), json!({"api_key": "****"})),
            (
                json!({"a": [{"clientSecret": {"x": "hunter2"}}]}),
                json!({"a": [{"clientSecret": {"x": "****"}}]}),
            ),
            (json!({"password": 1234}), json!({"password": "****"})),
            (json!({"tokens": ["a"], "max_tokens": 10}), json!({"tokens": ["a"], "max_tokens": 10})),
            (json!({"api_keys": ["hunter2"]}), json!({"api_keys": ["****"]})),
            (json!({"API_KEY": {"env": "NAME"}}), json!({"API_KEY": {"env": "NAME"}})),
            (json!({"apiKeyEnvVar": "NAME_2"}), json!({"apiKeyEnvVar": "NAME_2"})),
            (json!({"apiKeyEnvVar": "zz-9hunter2"}), json!({"apiKeyEnvVar": "****"})),
            (json!({"Authorization": "{env:TOKEN_2}"}), json!({"Authorization": "{env:TOKEN_2}"})),
            (json!({"TOKEN": "${NAME}", "PASSWORD": ""}), json!({"TOKEN": "${NAME}", "PASSWORD": ""})),
            (json!(["--password", "hunter2", "x"]), json!(["--password", "****", "x"])),
            (json!(["--password=hunter2"]), json!(["--password=*******"])),
            (json!({"name": "API_KEY", "value": "hunter2"}), json!({"name": "API_KEY", "value": "****"})),
            (json!("https://h/?token=hunter2"), json!("https://h/?token=*******")),
        ] {
            assert_eq!(redact_value(&[], value.clone()), shown, "{value}");
        }
        assert_eq!(redact_value(&["api_key"], json!("hunter2")), json!("****"));
        assert_eq!(redact_value(&["password", "x"], json!(["hunter2"])), json!(["****"]));
        assert_eq!(redact_value(&["api_key", "env"], json!("NAME")), json!("NAME"));
    }
}
