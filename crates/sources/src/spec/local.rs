//! Folders of this machine.

use minds_vfs::portable;

use super::identity::{is_clone, is_special};
use super::{Identity, SourceSpec, SpecError};

/// The first name of the identities of folders of this machine. It is not a valid host.
pub(super) const LOCAL: &str = "local";

/// The maximum length of a name that has to be changed.
const MAX_NAME_BYTES: usize = 100;

/// Returns whether a source is written as a path.
pub(super) fn is_path(text: &str) -> bool {
    matches!(text, "." | "~") || ["/", "./", "../", "~/"].iter().any(|start| text.starts_with(start))
}

/// Returns the absolute path of `text` in the folder `base`, resolved lexically: `..` removes the name in
/// front of it.
pub(super) fn resolve_path(text: &str, base: &str, home: Option<&str>) -> Result<String, SpecError> {
    if text.contains(|c: char| portable::is_control(c) || portable::is_directional(c)) {
        return Err(SpecError::Hidden);
    }
    let (base, rest) = match text.strip_prefix('~') {
        Some(rest) => (home.ok_or(SpecError::NoHome)?, rest),
        None if text.starts_with('/') => ("", text),
        None => (base, text),
    };
    let mut names: Vec<&str> = Vec::new();
    for name in base.split('/').chain(rest.split('/')) {
        match name {
            "" | "." => {}
            ".." => {
                names.pop();
            }
            name => names.push(name),
        }
    }
    if names.is_empty() {
        return Err(SpecError::TooShort);
    }
    let path = format!("/{}", names.join("/"));
    if path.len() > SourceSpec::MAX_BYTES {
        return Err(SpecError::TooLong);
    }
    Ok(path)
}

/// Returns the identity of a folder: its name and that of its parent.
///
/// Users name folders as they like, so characters that an identity cannot have are replaced; the path remains
/// the exact location.
pub(super) fn identity_of(path: &str) -> Result<Identity, SpecError> {
    let mut names = path.rsplit('/').filter(|name| !name.is_empty());
    let name = sanitize_name(names.next().unwrap_or_default());
    let parent = sanitize_name(names.next().unwrap_or_default());
    let parent = if is_clone(&parent) { format!("{parent}_") } else { parent };
    Identity::parse(&format!("{LOCAL}/{parent}/{name}"))
}

/// Returns a name with the characters replaced that an identity cannot have.
fn sanitize_name(name: &str) -> String {
    let is_refused = |c: char| {
        c == '\\' || c.is_control() || is_special(c) || matches!(c, ':' | '*' | '?' | '"' | '<' | '>' | '|')
    };
    let replaced: String = name.chars().map(|c| if is_refused(c) { '_' } else { c }).collect();
    let trimmed = replaced.trim_start_matches(|c: char| matches!(c, '.' | '-') || c.is_whitespace());
    let trimmed = trimmed.trim_end_matches(['.', ' ']);
    match portable::check(trimmed) {
        _ if trimmed.is_empty() => LOCAL.to_owned(),
        Ok(()) => trimmed.to_owned(),
        // A device name, or a form that some file system would change.
        Err(_) => {
            let plain: String = trimmed.chars().filter(char::is_ascii).take(MAX_NAME_BYTES).collect();
            format!("_{plain}")
        }
    }
}
