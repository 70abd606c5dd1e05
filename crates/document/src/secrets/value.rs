//! Secrets in values that are shown by key.

use serde_json::Value;

use super::named::is_secret_word;
use super::names::is_about;
use super::{Naming, Reading, masked, naming};

/// What is shown in place of a secret whose length nobody needs to know either.
pub const COVERED: &str = "****";

/// Returns a value without the secrets in it; `keys` lead to it. A mapping that says where a secret is, such as
/// `{env: NAME}`, stays as it is.
pub fn covered_below(keys: &[&str], value: Value) -> Value {
    let last = keys.last().copied().unwrap_or_default();
    let under = keys.iter().map(|key| naming(key)).filter(|naming| *naming == Naming::Secret);
    let above = match under.count() {
        0 => naming(last),
        // A place or a limit of what the keys before it name.
        _ if is_about(last) && naming(last) != Naming::Variable => Naming::Ordinary,
        _ if naming(last) == Naming::Variable || is_about(last) => Naming::Variable,
        _ => Naming::Secret,
    };
    covered(value, above)
}

/// Returns a value without the secrets in it, where its key is of this kind.
fn covered(value: Value, above: Naming) -> Value {
    match value {
        Value::String(text) => Value::String(covered_text(&text, above)),
        Value::Number(_) if matches!(above, Naming::Secret | Naming::Scalar) => Value::from(COVERED),
        Value::Array(items) => {
            let mut is_next = false;
            let item = |item: Value| {
                let naming = if is_next { Naming::Secret } else { below(above) };
                // `--password` and its value are two arguments.
                is_next = item.as_str().is_some_and(is_secret_flag);
                covered(item, naming)
            };
            items.into_iter().map(item).collect()
        }
        Value::Object(entries) => {
            let named =
                entries.get("name").or_else(|| entries.get("key")).and_then(Value::as_str).map(naming);
            let entry = |(key, value): (String, Value)| {
                let own = match naming(&key) {
                    _ if is_about(&key) => naming(&key),
                    Naming::Ordinary if key == "value" && named.is_some() => {
                        named.unwrap_or(Naming::Ordinary)
                    }
                    Naming::Secret => Naming::Secret,
                    own if above == Naming::Secret && own != Naming::Variable => Naming::Secret,
                    own => own,
                };
                (masked(&key, Reading::Message).into_owned(), covered(value, own))
            };
            entries.into_iter().map(entry).collect()
        }
        other => other,
    }
}

/// Returns what an item of a list is where the list is under a key of this kind.
fn below(above: Naming) -> Naming {
    if above == Naming::Scalar { Naming::Ordinary } else { above }
}

fn covered_text(text: &str, above: Naming) -> String {
    if is_secret_word(text, above, Reading::Settings) {
        return COVERED.to_owned();
    }
    masked(text, Reading::Settings).into_owned()
}

/// Returns whether the argument after this one is a secret.
fn is_secret_flag(text: &str) -> bool {
    text.strip_prefix("--").is_some_and(|name| !name.contains(['=', ' ']) && naming(name) == Naming::Secret)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn values_below_keys_that_name_secrets_are_covered() {
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
            assert_eq!(covered_below(&[], value.clone()), shown, "{value}");
        }
        assert_eq!(covered_below(&["api_key"], json!("hunter2")), json!("****"));
        assert_eq!(covered_below(&["password", "x"], json!(["hunter2"])), json!(["****"]));
        assert_eq!(covered_below(&["api_key", "env"], json!("NAME")), json!("NAME"));
    }
}
