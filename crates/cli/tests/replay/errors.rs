//! Kinds of errors, as the recordings tell them by their words.

use serde_json::Value;

/// Words of a recorded error, and the kinds of ours that say the same.
const KINDS: &[(&str, &[&str])] = &[
    ("requires mind >=", &["incompatible-version"]),
    ("invalid mind.toml", &["invalid-manifest"]),
    ("mind.toml at ", &["invalid-manifest"]),
    ("/mind.toml: stream", &["invalid-manifest"]),
    ("invalid ref value", &["invalid-manifest"]),
    ("is not a valid repo spec", &["invalid-manifest", "invalid-spec"]),
    ("git clone", &["unknown-revision"]),
    ("scan root", &["invalid-source"]),
    ("appears under more than one", &["invalid-source"]),
    ("does not match any item in source", &["unresolved-reference"]),
    ("is ambiguous", &["ambiguous"]),
    ("no item matches", &["not-found"]),
    ("/.tmp/staging/", &["invalid-source"]),
    ("already exists", &["occupied"]),
    ("hook", &["hook-failed"]),
];

/// Returns the kinds of which ours must be one; none if the recording has no error, or one that nothing is known about.
pub(crate) fn kinds(expect: &Value) -> Vec<&'static str> {
    let Some(error) = expect.get("error").and_then(|lines| lines[0].as_str()) else { return Vec::new() };
    let found = KINDS.iter().find(|(words, _)| error.contains(words));
    found.unwrap_or_else(|| panic!("nothing is known about the error {error}")).1.to_vec()
}
