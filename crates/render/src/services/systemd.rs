//! The texts of systemd units, as `systemd.syntax(7)`, `systemd.service(5)`, `systemd.exec(5)` and `systemd.unit(5)` define
//! them.

use super::path::names_directory;
use super::service::Reason;

/// How long a text is at most, in bytes: Linux takes no longer argument, variable or line of a unit with several.
const MAX_BYTES: usize = (128 << 10) - 1;
/// How long a path and a segment of it are at most, in bytes.
const MAX_PATH_BYTES: usize = 4_095;
const MAX_SEGMENT_BYTES: usize = 255;
/// How long a line is at most, in bytes.
pub(super) const MAX_LINE_BYTES: usize = 1_000_000;

/// What stands before a program changes how it is run.
const PREFIXES: [char; 8] = ['@', '-', ':', '+', '!', '|', '~', ';'];

/// What is trimmed from the ends of a line.
const WHITE_SPACE: [char; 4] = [' ', '\t', '\n', '\r'];

/// Returns an argument of `ExecStart=`.
pub(super) fn argument(text: &str) -> Result<String, Reason> {
    Ok(word(&plain(text)?.replace('$', "$$")))
}

/// Returns the program of `ExecStart=`: an absolute path, or a name that is looked for.
pub(super) fn program(text: &str) -> Result<String, Reason> {
    let text = plain(text)?;
    if text.contains(['"', '\'', '\\']) {
        return Err("systemd takes no program with a quote or a backslash in its path");
    }
    if text.contains('$') {
        return Err("systemd would look for a variable in the name of the program");
    }
    if text.contains('/') {
        path(text)?;
        if names_directory(text, &['/']) {
            return Err("it names a directory");
        }
    } else if text.is_empty() {
        return Err("it is empty");
    } else if text.starts_with(PREFIXES) {
        return Err("systemd takes its first character for an order how to run it");
    } else if names_directory(text, &['/']) {
        return Err("it names a directory");
    }
    Ok(word(text))
}

/// Returns an assignment for `Environment=`.
pub(super) fn assignment(key: &str, value: &str) -> Result<String, Reason> {
    Ok(word(plain(&format!("{key}={value}"))?))
}

/// Returns a directory for `WorkingDirectory=`.
pub(super) fn directory(text: &str) -> Result<String, Reason> {
    let text = path(plain(text)?)?;
    line(text)
}

/// Returns a path for `EnvironmentFile=`, which takes patterns too.
pub(super) fn environment_file(text: &str) -> Result<String, Reason> {
    let text = path(plain(text)?)?;
    if text.contains('\\') {
        return Err("it has a backslash, which hides the next character");
    }
    let mut pattern = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            // A class of one character stands for that character.
            '*' | '?' | '[' => pattern.extend(['[', c, ']']),
            _ => pattern.push(c),
        }
    }
    // What systemd measures is the pattern.
    line(path(&pattern)?)
}

/// Returns a text for `Description=`.
pub(super) fn description(text: &str) -> Result<String, Reason> {
    line(plain(text)?)
}

/// Says whether a variable of a file means for `EnvironmentFile=` what it says: nothing is quoted there.
pub(super) fn variable(value: &str) -> Result<(), Reason> {
    let value = plain(value)?;
    if value.contains('\\') {
        return Err("systemd drops a backslash in the file of the environment");
    }
    if value.starts_with(['"', '\'']) {
        return Err(
            "systemd takes a quote at its beginning in the file of the environment for more than a sign",
        );
    }
    if value.trim_matches(WHITE_SPACE) != value {
        return Err("systemd drops white space around it in the file of the environment");
    }
    Ok(())
}

/// Returns a text that can be in a unit at all.
fn plain(text: &str) -> Result<&str, Reason> {
    if text.len() > MAX_BYTES {
        return Err("it is longer than 128 KiB");
    }
    if text.contains(char::is_control) {
        return Err("it has a line break or another control character");
    }
    if text.chars().any(is_noncharacter) {
        return Err("it has a noncharacter code point");
    }
    Ok(text)
}

/// Returns whether a code point is one that never becomes a character.
fn is_noncharacter(c: char) -> bool {
    let code = u32::from(c);
    (0xfdd0..=0xfdef).contains(&code) || code & 0xfffe == 0xfffe
}

/// Returns a path that systemd takes as it is.
fn path(text: &str) -> Result<&str, Reason> {
    let Some(inside) = text.strip_prefix('/') else { return Err("it is no absolute path") };
    if text.len() > MAX_PATH_BYTES || inside.split('/').any(|segment| segment.len() > MAX_SEGMENT_BYTES) {
        return Err("it is longer than paths are");
    }
    let is_odd = |segment: &str| matches!(segment, "" | "." | "..");
    let inside = inside.strip_suffix('/').unwrap_or(inside);
    if !inside.is_empty() && inside.split('/').any(is_odd) {
        return Err("it has an empty segment, `.` or `..`");
    }
    Ok(text)
}

/// Returns a value that is the rest of its line.
fn line(text: &str) -> Result<String, Reason> {
    if text.trim_matches(WHITE_SPACE) != text {
        return Err("systemd drops white space around it");
    }
    if text.ends_with('\\') {
        return Err("it ends with a backslash, which would join the next line to it");
    }
    if text.is_empty() {
        return Err("it is empty");
    }
    Ok(text.replace('%', "%%"))
}

/// Returns a word of a list of words, in quotes if it needs any.
fn word(text: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=@,+%$".contains(c);
    let text = text.replace('%', "%%");
    if !text.is_empty() && text.chars().all(is_plain) {
        return text;
    }
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}
