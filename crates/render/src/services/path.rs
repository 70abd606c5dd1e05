//! Checks of programs, paths and lines that apply to every target.

use super::service::Reason;

/// Returns `text` if it is an absolute Unix path without control characters.
pub(crate) fn absolute(text: &str) -> Result<&str, Reason> {
    if text.starts_with('/') { line(text) } else { Err("it is not an absolute path") }
}

/// Returns `text` if it is a program: an absolute path, or a name to look up.
pub(crate) fn program(text: &str) -> Result<&str, Reason> {
    match text {
        "" => Err("it is empty"),
        _ if names_directory(text, &['/']) => Err("it names a directory"),
        _ if text.starts_with('-') => Err("a shell would read a name that begins with `-` as an option"),
        _ if text.contains('/') => absolute(text),
        _ => line(text),
    }
}

/// Returns whether the last segment shows that a path is a directory.
pub(crate) fn names_directory(text: &str, separators: &[char]) -> bool {
    matches!(text.rsplit(separators).next(), Some("" | "." | ".."))
}

/// Returns `text` if it contains no control characters.
pub(crate) fn line(text: &str) -> Result<&str, Reason> {
    if text.contains(char::is_control) {
        return Err("it contains a line break or another control character");
    }
    Ok(text)
}
