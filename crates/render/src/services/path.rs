//! What every target wants of programs, paths and lines.

use super::service::Reason;

/// Returns an absolute path of a system with one root, as it is.
pub(crate) fn absolute(text: &str) -> Result<&str, Reason> {
    if text.starts_with('/') { line(text) } else { Err("it is no absolute path") }
}

/// Returns a program: an absolute path, or a name that is looked for.
pub(crate) fn program(text: &str) -> Result<&str, Reason> {
    match text {
        "" => Err("it is empty"),
        _ if names_directory(text, &['/']) => Err("it names a directory"),
        _ if text.starts_with('-') => Err("a shell takes what begins with `-` for an option"),
        _ if text.contains('/') => absolute(text),
        _ => line(text),
    }
}

/// Returns whether a path can only be that of a directory, by its last segment.
pub(crate) fn names_directory(text: &str, separators: &[char]) -> bool {
    matches!(text.rsplit(separators).next(), Some("" | "." | ".."))
}

/// Returns a text that stays in its line.
pub(crate) fn line(text: &str) -> Result<&str, Reason> {
    if text.contains(char::is_control) {
        return Err("it has a line break or another control character");
    }
    Ok(text)
}
