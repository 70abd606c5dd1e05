//! What of a fleet is never shown.

use minds_document::{Node, Value};
use serde_json::Value as Json;

use crate::merge::Merged;

/// What stands in the place of a secret: its length is nobody's concern either.
pub(crate) const COVERED: &str = "****";

/// The key whose value is a secret wherever it stands.
const PASSWORD: &str = "password";

/// What a mapping says that may be shown; everything else below it may be a secret under a key with a slip.
pub(crate) type Public = &'static [&'static str];

/// What may be shown of the transport.
pub(crate) const TRANSPORT: Public = &["kind", "url", "username", "tls", "ca_file"];
/// What may be shown of `security`.
pub(crate) const SECURITY: Public = &["require_bootstrap"];

/// Returns whether a value may be shown: under a key that is known, and with nothing below it.
pub(crate) fn is_public(public: Public, key: &str, value: &Merged<'_>) -> bool {
    public.contains(&key) && matches!(value, Merged::Single(_) | Merged::Empty(_))
}

/// Returns the value of the first mapping that says something under a key.
pub(crate) fn first<'d>(mappings: &[Node<'d>], key: &str) -> Option<Node<'d>> {
    mappings.iter().filter_map(|mapping| mapping.get(key)).find(|node| node.value() != Value::Null)
}

/// Returns a value in which every password is covered; `keys` lead to it.
pub(crate) fn without_passwords(keys: &[&str], value: Json) -> Json {
    if keys.contains(&PASSWORD) {
        return Json::from(COVERED);
    }
    match value {
        Json::Array(items) => items.into_iter().map(|item| without_passwords(&[], item)).collect(),
        Json::Object(entries) => entries
            .into_iter()
            .map(|(key, value)| {
                let value = without_passwords(&[&key], value);
                (key, value)
            })
            .collect(),
        other => other,
    }
}

/// Returns an address without the password before its host or behind it, however it is broken: of what may be one,
/// rather too much is covered.
pub(crate) fn without_credentials(url: &str) -> String {
    let start = url.find("://").map_or(0, |at| at + "://".len());
    let (scheme, inside) = url.split_at(start);
    let (before, behind) = match inside.rsplit_once('@') {
        Some((account, host)) => match account.split_once(':') {
            Some((user, _)) => (format!("{user}:{COVERED}@"), host),
            None => (format!("{account}@"), host),
        },
        None => (String::new(), inside),
    };
    let mut shown = format!("{scheme}{before}");
    let mut rest = behind;
    while let Some(at) = rest.find("password=").map(|at| at + "password=".len()) {
        let (known, secret) = rest.split_at(at);
        shown.push_str(known);
        shown.push_str(COVERED);
        rest = secret.find(['&', '#']).map_or("", |end| secret.split_at(end).1);
    }
    shown + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_shown_without_its_password() {
        for (url, shown) in [
            ("redis://127.0.0.1:6379/0", "redis://127.0.0.1:6379/0"),
            ("redis://ann@host", "redis://ann@host"),
            ("redis://ann:hunter2@host:6379/0", "redis://ann:****@host:6379/0"),
            ("redis://:changeme@host", "redis://:****@host"),
            ("redis://ann:hun@ter:2@host", "redis://ann:****@host"),
            ("redis://ann:hun/ter2@host", "redis://ann:****@host"),
            ("redis://ann:hunter 2@host", "redis://ann:****@host"),
            ("ann:hunter2@host", "ann:****@host"),
            ("redis:ann:hunter2@host", "redis:****@host"),
            ("redis://host/0?password=hunter2&protocol=resp3", "redis://host/0?password=****&protocol=resp3"),
            ("redis://a:hunter2@host/?db=1&password=hunter2", "redis://a:****@host/?db=1&password=****"),
            ("redis://host/?password=a&password=b#c", "redis://host/?password=****&password=****#c"),
            ("", ""),
        ] {
            assert_eq!(without_credentials(url), shown, "{url}");
        }
    }
}
