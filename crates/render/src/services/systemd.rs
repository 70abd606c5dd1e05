//! The syntax of systemd units, as defined in `systemd.syntax(7)`, `systemd.service(5)`, `systemd.exec(5)`
//! and `systemd.unit(5)`.

use super::path::names_directory;
use super::service::Reason;

/// The maximum length of an argument, a variable or a value in bytes, which is a limit of Linux.
const MAX_BYTES: usize = (128 << 10) - 1;
/// The maximum lengths of a path and of its segments, in bytes.
const MAX_PATH_BYTES: usize = 4_095;
const MAX_SEGMENT_BYTES: usize = 255;
/// The maximum length of a line, in bytes.
pub(super) const MAX_LINE_BYTES: usize = 1_000_000;

/// Prefixes of a program that change how it is run.
const PREFIXES: [char; 8] = ['@', '-', ':', '+', '!', '|', '~', ';'];

/// The characters that are trimmed from the ends of a line.
const WHITE_SPACE: [char; 4] = [' ', '\t', '\n', '\r'];

/// Returns `text` as an argument of `ExecStart=`.
pub(super) fn argument(text: &str) -> Result<String, Reason> {
    Ok(word(&plain(text)?.replace('$', "$$")))
}

/// Returns `text` as the program of `ExecStart=`: an absolute path, or a name to look up.
pub(super) fn program(text: &str) -> Result<String, Reason> {
    let text = plain(text)?;
    if text.contains(['"', '\'', '\\']) {
        return Err("systemd does not accept a quote or a backslash in the path of a program");
    }
    if text.contains('$') {
        return Err("systemd would expand `$` in the name of the program");
    }
    if text.contains('/') {
        path(text)?;
        if names_directory(text, &['/']) {
            return Err("it names a directory");
        }
    } else if text.is_empty() {
        return Err("it is empty");
    } else if text.starts_with(PREFIXES) {
        return Err("systemd would read its first character as a prefix");
    } else if names_directory(text, &['/']) {
        return Err("it names a directory");
    }
    Ok(word(text))
}

/// Returns an assignment for `Environment=`.
pub(super) fn assignment(key: &str, value: &str) -> Result<String, Reason> {
    Ok(word(plain(&format!("{key}={value}"))?))
}

/// Returns `text` as a directory for `WorkingDirectory=`.
pub(super) fn directory(text: &str) -> Result<String, Reason> {
    let text = path(plain(text)?)?;
    line(text)
}

/// Returns `text` as a path for `EnvironmentFile=`, in which glob characters must be escaped.
pub(super) fn environment_file(text: &str) -> Result<String, Reason> {
    let text = path(plain(text)?)?;
    if text.contains('\\') {
        return Err("it contains a backslash, which escapes the next character");
    }
    let mut pattern = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            // A character class of one character matches that character.
            '*' | '?' | '[' => pattern.extend(['[', c, ']']),
            _ => pattern.push(c),
        }
    }
    // systemd limits the length of the pattern.
    line(path(&pattern)?)
}

/// Returns `text` as a value of `Description=`.
pub(super) fn description(text: &str) -> Result<String, Reason> {
    line(plain(text)?)
}

/// Checks that `EnvironmentFile=` reads an unquoted value unchanged.
pub(super) fn variable(value: &str) -> Result<(), Reason> {
    let value = plain(value)?;
    if value.contains('\\') {
        return Err("systemd removes backslashes in the environment file");
    }
    if value.starts_with(['"', '\'']) {
        return Err("systemd interprets a leading quote in the environment file");
    }
    if value.trim_matches(WHITE_SPACE) != value {
        return Err("systemd removes surrounding white space in the environment file");
    }
    Ok(())
}

/// Returns `text` if it can be part of a unit.
fn plain(text: &str) -> Result<&str, Reason> {
    if text.len() > MAX_BYTES {
        return Err("it is longer than 128 KiB");
    }
    if text.contains(char::is_control) {
        return Err("it contains a line break or another control character");
    }
    if text.chars().any(is_noncharacter) {
        return Err("it contains a noncharacter code point");
    }
    Ok(text)
}

/// Returns whether a code point is a noncharacter.
fn is_noncharacter(c: char) -> bool {
    let code = u32::from(c);
    (0xfdd0..=0xfdef).contains(&code) || code & 0xfffe == 0xfffe
}

/// Returns `text` if it is a path that systemd accepts.
fn path(text: &str) -> Result<&str, Reason> {
    let Some(inside) = text.strip_prefix('/') else { return Err("it is not an absolute path") };
    if text.len() > MAX_PATH_BYTES || inside.split('/').any(|segment| segment.len() > MAX_SEGMENT_BYTES) {
        return Err("it is longer than a path may be");
    }
    let is_special = |segment: &str| matches!(segment, "" | "." | "..");
    let inside = inside.strip_suffix('/').unwrap_or(inside);
    if !inside.is_empty() && inside.split('/').any(is_special) {
        return Err("it contains an empty segment, `.` or `..`");
    }
    Ok(text)
}

/// Returns `text` as a value that fills the rest of its line.
fn line(text: &str) -> Result<String, Reason> {
    if text.trim_matches(WHITE_SPACE) != text {
        return Err("systemd removes surrounding white space");
    }
    if text.ends_with('\\') {
        return Err("it ends with a backslash, which would continue the line");
    }
    if text.is_empty() {
        return Err("it is empty");
    }
    Ok(text.replace('%', "%%"))
}

/// Returns `text` as one word of a list, quoted if necessary.
fn word(text: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=@,+%$".contains(c);
    let text = text.replace('%', "%%");
    if !text.is_empty() && text.chars().all(is_plain) {
        return text;
    }
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}
