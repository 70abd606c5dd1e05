//! Reading and writing state files.

use serde::Serialize;
use serde::de::DeserializeOwned;

/// The version of every state file.
pub(super) const VERSION: u32 = 1;

/// A state file that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{file}`{}: {problem}", .line.map(|line| format!(" line {line}")).unwrap_or_default())]
pub struct StateError {
    /// The name of the file.
    pub file: String,
    /// The line of the error, counted from 1, if it is known.
    pub line: Option<usize>,
    /// The error.
    pub problem: String,
}

impl StateError {
    pub(super) fn new(file: &str, problem: impl Into<String>) -> Self {
        Self { file: file.to_owned(), line: None, problem: problem.into() }
    }
}

/// Parses a JSON document.
pub(super) fn read<T: DeserializeOwned>(file: &str, bytes: &[u8]) -> Result<T, StateError> {
    #[derive(serde::Deserialize)]
    struct Versioned {
        version: Option<u64>,
    }
    let error = |error: serde_json::Error| StateError {
        file: file.to_owned(),
        line: Some(error.line()).filter(|line| *line > 0),
        problem: message(&error),
    };
    // The version is checked first, because a newer version can have keys that are unknown here.
    let versioned: Versioned = serde_json::from_slice(bytes).map_err(error)?;
    match versioned.version {
        Some(version) if version == u64::from(VERSION) => serde_json::from_slice(bytes).map_err(error),
        Some(version) if version > u64::from(VERSION) => Err(StateError::new(
            file,
            format!(
                "it was written by a newer version of this program (version {version}; the supported one is {VERSION})"
            ),
        )),
        _ => Err(StateError::new(file, format!("`version` must be {VERSION}"))),
    }
}

/// Returns the message without the position, which is reported separately.
fn message(error: &serde_json::Error) -> String {
    let text = error.to_string();
    match text.rsplit_once(" at line ") {
        Some((message, _)) => message.to_owned(),
        None => text,
    }
}

/// Serializes a document, with a line break at its end.
pub(super) fn write(document: &impl Serialize) -> String {
    // State documents consist of strings, numbers, lists and maps with string keys, so this cannot fail.
    serde_json::to_string_pretty(document).unwrap_or_default() + "\n"
}
