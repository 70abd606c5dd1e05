//! Where a path of an event leads.

use minds_vfs::{PathErrorKind, WorkspacePath};

use crate::Surroundings;

/// A place that a path names: the path itself, and its real path if links lead elsewhere.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Place {
    Inside(WorkspacePath),
    /// Outside of the workspace: the absolute path.
    Outside(String),
}

/// The places that a path can name, and its absolute path.
#[derive(Debug)]
pub(crate) struct Places {
    pub(crate) found: Vec<Place>,
    /// The absolute path, with `.` and `..` resolved lexically.
    pub(crate) absolute: String,
}

/// Returns the places that a path names.
///
/// Programs differ in how they resolve `..` after a link: lexically, or as the system does. Therefore the path is resolved
/// both ways, and everything that it can name is returned.
///
/// # Errors
///
/// Returns why it is not known what the path names, as a clause. Such a path must be denied.
pub(crate) fn places(
    surroundings: &dyn Surroundings,
    directory: Option<&str>,
    path: &str,
) -> Result<Places, String> {
    if let Some(reason) = unusable(path) {
        return Err(reason.to_owned());
    }
    let joined = if path.starts_with('/') {
        path.to_owned()
    } else {
        let directory = directory.ok_or("the path is relative, and the working directory is not known")?;
        if !directory.starts_with('/') {
            return Err("the working directory is not an absolute path".to_owned());
        }
        format!("{directory}/{path}")
    };
    let absolute = normalize(&joined);
    let mut found = Vec::new();
    for real in [absolute.clone(), surroundings.real_path(&absolute)?, surroundings.real_path(&joined)?] {
        let place = place(surroundings, &real)?;
        if !found.contains(&place) {
            found.push(place);
        }
    }
    Ok(Places { found, absolute })
}

/// Returns why it is not known what a path names. Clients, and the programs that they start, expand some of these, and take
/// the rest literally.
fn unusable(path: &str) -> Option<&'static str> {
    let scheme = path.split_once(':').map(|(scheme, _)| scheme);
    if path.is_empty() {
        Some("the path is empty")
    } else if path.contains('\0') {
        Some("the path contains a null character")
    } else if path.starts_with('~') {
        Some("a leading `~` can be expanded")
    } else if path.contains("$HOME") || path.contains("${") || path.starts_with('$') {
        Some("a variable in the path can be expanded")
    } else if scheme.is_some_and(|scheme| {
        ["file", "http", "https", "vscode"].iter().any(|known| scheme.eq_ignore_ascii_case(known))
    }) {
        Some("the path is a URL")
    } else if scheme.is_some_and(|scheme| scheme.len() == 1) {
        Some("the path names a drive")
    } else if path.trim() != path {
        Some("the path begins or ends with white space, which some clients remove")
    } else if path.starts_with('"')
        || path.starts_with('\'')
        || path.starts_with('`')
        || path.starts_with('@')
    {
        Some("the path begins with a character that some clients remove")
    } else {
        None
    }
}

/// Resolves `.`, `..` and empty segments of an absolute path.
pub fn normalize(path: &str) -> String {
    let mut segments: Vec<&str> = Vec::new();
    for segment in path.split('/') {
        match segment {
            "" | "." => {}
            ".." => {
                segments.pop();
            }
            segment => segments.push(segment),
        }
    }
    format!("/{}", segments.join("/"))
}

/// Returns where an absolute path without `..` leads.
fn place(surroundings: &dyn Surroundings, absolute: &str) -> Result<Place, String> {
    for root in surroundings.roots() {
        let Some(below) = strip_root(absolute, &root) else { continue };
        return match WorkspacePath::normalize(below) {
            Ok(path) => Ok(Place::Inside(path)),
            Err(error) if error.kind() == PathErrorKind::Absolute => continue,
            Err(error) => Err(format!("not a valid path: {}", error.kind())),
        };
    }
    Ok(Place::Outside(absolute.to_owned()))
}

/// Returns the part of an absolute path below a root, without `..`; empty for the root itself.
pub fn strip_root<'p>(path: &'p str, root: &str) -> Option<&'p str> {
    let rest = path.strip_prefix(root.trim_end_matches('/'))?;
    if rest.is_empty() { Some(rest) } else { rest.strip_prefix('/') }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_below_a_root_by_whole_names() {
        assert_eq!(strip_root("/w/a", "/w"), Some("a"));
        assert_eq!(strip_root("/w", "/w"), Some(""));
        assert_eq!(strip_root("/work", "/w"), None);
        assert_eq!(strip_root("/a", "/"), Some("a"));
    }

    #[test]
    fn paths_are_normalized_within_the_file_system() {
        assert_eq!(normalize("/a/./b//../../../c/"), "/c");
        assert_eq!(normalize("/"), "/");
    }
}
