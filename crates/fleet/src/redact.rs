//! Redaction of secrets in the configuration of a fleet.

use minds_document::{EnvVar, Node, Value};
use minds_text::secrets::{self, REDACTED, TextKind};

use crate::merge::MergedValue;

/// The keys of a mapping whose values may be shown. All other values may be secrets under a misspelled key.
pub(crate) type Public = &'static [&'static str];

/// The public keys of the transport.
pub(crate) const TRANSPORT: Public =
    &["kind", "name", "url", "username", "tls", "ca_file", "prefix", "allow_plaintext"];
/// The keys of the transport that may refer to an environment variable.
const REFERENCES: [&str; 3] = ["url", "username", "password"];

/// Returns the environment variable that a value of the transport refers to, and its node.
pub(crate) fn variable<'d>(
    public: Public,
    key: &str,
    value: &MergedValue<'d>,
) -> Option<(&'d str, Node<'d>)> {
    let MergedValue::Mapping(entries) = value else { return None };
    let [("env", MergedValue::Single(node))] = entries.as_slice() else { return None };
    let name = node.scalar_text().filter(|name| EnvVar::parse(name).is_some())?;
    (public == TRANSPORT && REFERENCES.contains(&key)).then_some((name, *node))
}

/// The public keys of `security`.
pub(crate) const SECURITY: Public = &["require_bootstrap"];

/// Returns whether a value may be shown: a scalar under a public key.
pub(crate) fn is_public(public: Public, key: &str, value: &MergedValue<'_>) -> bool {
    public.contains(&key) && matches!(value, MergedValue::Single(_) | MergedValue::Empty(_))
}

/// Returns the first value that is not null under a key.
pub(crate) fn first<'d>(mappings: &[Node<'d>], key: &str) -> Option<Node<'d>> {
    mappings.iter().filter_map(|mapping| mapping.get(key)).find(|node| node.value() != Value::Null)
}

/// Redacts the passwords of a URL, in the authority and the parameters. For malformed URLs it rather redacts too much.
pub(crate) fn without_credentials(url: &str) -> String {
    let start = url.find("://").map_or(0, |at| at + "://".len());
    let (scheme, inside) = url.split_at(start);
    let (before, rest_of_url) = match inside.rsplit_once('@') {
        Some((account, host)) => match account.split_once(':') {
            Some((user, _)) => (format!("{user}:{REDACTED}@"), host),
            None => (format!("{account}@"), host),
        },
        None => (String::new(), inside),
    };
    let shown = format!("{scheme}{before}");
    // The parameters of a malformed URL can still be recognized.
    let hidden = secrets::find_named_values(rest_of_url, TextKind::Settings);
    let mut at = 0;
    let mut rest = String::new();
    for range in hidden {
        rest.push_str(rest_of_url.get(at..range.start).unwrap_or_default());
        rest.push_str(REDACTED);
        at = range.end;
    }
    rest.push_str(rest_of_url.get(at..).unwrap_or_default());
    shown + &rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passwords_in_urls_are_redacted() {
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
