//! What of a fleet is never shown.

use minds_document::secrets::{self, COVERED, Reading};
use minds_document::{EnvVar, Node, Value};

use crate::merge::Merged;

/// What a mapping says that may be shown; everything else below it may be a secret under a key with a slip.
pub(crate) type Public = &'static [&'static str];

/// What may be shown of the transport.
pub(crate) const TRANSPORT: Public = &["kind", "url", "username", "tls", "ca_file"];
/// The values of the transport that may come from an environment variable.
const REFERENCES: [&str; 3] = ["url", "username", "password"];

/// Returns the name of the environment variable that a value of the transport is read from, and where that is said.
pub(crate) fn variable<'d>(public: Public, key: &str, value: &Merged<'d>) -> Option<(&'d str, Node<'d>)> {
    let Merged::Mapping(entries) = value else { return None };
    let [("env", Merged::Single(node))] = entries.as_slice() else { return None };
    let name = node.scalar_text().filter(|name| EnvVar::parse(name).is_some())?;
    (public == TRANSPORT && REFERENCES.contains(&key)).then_some((name, *node))
}

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
    let shown = format!("{scheme}{before}");
    // A broken address has no end; its parameters have.
    let hidden = secrets::named(behind, Reading::Settings);
    let mut at = 0;
    let mut rest = String::new();
    for range in hidden {
        rest.push_str(behind.get(at..range.start).unwrap_or_default());
        rest.push_str(COVERED);
        at = range.end;
    }
    rest.push_str(behind.get(at..).unwrap_or_default());
    shown + &rest
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
            ("redis://host/?password=a&password=b#c", "redis://host/?password=****&password=****"),
            ("", ""),
        ] {
            assert_eq!(without_credentials(url), shown, "{url}");
        }
    }
}
