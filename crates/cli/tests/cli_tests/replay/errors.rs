//! The kinds of errors in the recordings, derived from their messages.

use serde_json::Value;

/// Words of a recorded error, and the equivalent kinds.
const KINDS: &[(&str, &[&str])] = &[
    ("requires mind >=", &["incompatible-version"]),
    ("invalid mind.toml", &["invalid-manifest"]),
    ("mind.toml at ", &["invalid-manifest"]),
    ("/mind.toml: stream", &["invalid-manifest"]),
    ("invalid ref value", &["invalid-manifest", "invalid-revision"]),
    ("is not a valid repo spec", &["invalid-manifest", "invalid-spec"]),
    ("git clone", &["unknown-revision"]),
    // An invalid root is an error of the file that contains it.
    ("scan root", &["invalid-source", "invalid-manifest"]),
    ("appears under more than one", &["invalid-source"]),
    ("does not match any item in source", &["unresolved-reference"]),
    ("is ambiguous", &["ambiguous"]),
    ("matches multiple sources", &["ambiguous"]),
    ("no item matches", &["not-found"]),
    ("no source named", &["not-found"]),
    ("is not installed", &["not-found"]),
    ("is not a valid item ref", &["bad-reference", "usage"]),
    ("needs confirmation", &["consent-required"]),
    ("is not a directory", &["broken-source"]),
    ("(de)serialize", &["invalid-state"]),
    ("/.tmp/staging/", &["invalid-source"]),
    ("already exists", &["occupied"]),
    ("hook", &["hook-failed"]),
];

/// Returns the acceptable kinds for a step that was recorded as failed. An unknown error
/// has a kind that never occurs.
pub(crate) fn kinds(step: &Value) -> Vec<&'static str> {
    let stderr = step["stderr"].as_str().unwrap_or_default();
    let error = stderr.lines().find(|line| line.starts_with("error")).unwrap_or_default();
    let found = KINDS.iter().find(|(words, _)| error.contains(words));
    found.map_or_else(|| vec!["nothing is known about this error"], |(_, kinds)| kinds.to_vec())
}
