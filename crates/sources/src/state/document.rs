//! Reading and writing files of state.

use serde::Serialize;
use serde::de::DeserializeOwned;

/// The version of every file of state.
pub(super) const VERSION: u32 = 1;

/// A file of state that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{file}`{}: {problem}", .line.map(|line| format!(" line {line}")).unwrap_or_default())]
pub struct StateError {
    /// The name of the file.
    pub file: String,
    /// The line that is wrong, counted from 1, if one is.
    pub line: Option<usize>,
    /// What is wrong.
    pub problem: String,
}

impl StateError {
    pub(super) fn new(file: &str, problem: impl Into<String>) -> Self {
        Self { file: file.to_owned(), line: None, problem: problem.into() }
    }
}

/// Reads a document of JSON.
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
    // A later version has keys that this one does not know: that it is later is what helps.
    let versioned: Versioned = serde_json::from_slice(bytes).map_err(error)?;
    match versioned.version {
        Some(version) if version == u64::from(VERSION) => serde_json::from_slice(bytes).map_err(error),
        Some(version) if version > u64::from(VERSION) => Err(StateError::new(
            file,
            format!("a later version of this program wrote it (version {version}, this one knows {VERSION})"),
        )),
        _ => Err(StateError::new(file, format!("`version` must be {VERSION}"))),
    }
}

/// Returns what is wrong, without the place, which is told apart.
fn message(error: &serde_json::Error) -> String {
    let text = error.to_string();
    match text.rsplit_once(" at line ") {
        Some((message, _)) => message.to_owned(),
        None => text,
    }
}

/// Returns a document with a line break at its end.
pub(super) fn write(document: &impl Serialize) -> String {
    // Documents of state hold texts, numbers, lists and maps with texts for keys, so this cannot fail.
    serde_json::to_string_pretty(document).unwrap_or_default() + "\n"
}
