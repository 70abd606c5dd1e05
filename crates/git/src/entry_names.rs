//! Checking file names of foreign repositories.

use std::collections::{BTreeMap, BTreeSet};

use minds_fs::{is_dot_git, is_temporary};
use minds_vfs::WorkspacePath;
use minds_vfs::portable;

/// The result of checking the path of an entry.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct CheckedPath {
    /// The path of the entry, or a similar path if it is not a valid one.
    pub(crate) path: WorkspacePath,
    /// Why the entry must not be read, as text for a message.
    pub(crate) refusal: Option<String>,
}

/// Checks the path of an entry as stored by git.
pub(crate) fn check_path(raw: &[u8]) -> CheckedPath {
    let text = String::from_utf8_lossy(raw);
    let is_text = std::str::from_utf8(raw).is_ok();
    let path = match WorkspacePath::parse(&text) {
        Ok(path) if is_text => path,
        Ok(path) => return refuse(path, "its name is not valid UTF-8"),
        Err(error) => {
            let reason = error.kind().to_string();
            return refuse(placeholder_path(&text), &format!("its name is not a valid path: {reason}"));
        }
    };
    if path.segments().any(is_dot_git) {
        return refuse(path, "its name is reserved by git");
    }
    if path.segments().any(is_temporary) {
        return refuse(path, "its name is reserved for temporary files");
    }
    match path.check_portable() {
        Ok(()) => CheckedPath { path, refusal: None },
        Err(problem) => refuse(path, &problem.to_string()),
    }
}

fn refuse(path: WorkspacePath, reason: &str) -> CheckedPath {
    CheckedPath { path, refusal: Some(reason.to_owned()) }
}

/// Returns a valid path that resembles an invalid one.
fn placeholder_path(text: &str) -> WorkspacePath {
    let is_plain = |c: char| !(c == '\\' || portable::is_control(c) || portable::is_directional(c));
    let segments = text.split('/').map(|segment| match segment {
        "" | "." | ".." => "\u{fffd}".to_owned(),
        segment => segment.chars().map(|c| if is_plain(c) { c } else { '\u{fffd}' }).collect(),
    });
    let path = segments.collect::<Vec<String>>().join("/");
    WorkspacePath::parse(&path).unwrap_or_default()
}

/// Returns the paths, of files and of their parent directories, that some system confuses with another path
/// of the same tree.
pub(crate) fn find_collisions<'p>(paths: impl Iterator<Item = &'p WorkspacePath>) -> BTreeSet<String> {
    // Maps a folded path to the first spelling, and whether it is a directory.
    let mut seen: BTreeMap<String, (String, bool)> = BTreeMap::new();
    let mut colliding = BTreeSet::new();
    let mut last_parent = String::new();
    for path in paths {
        let text = path.as_str();
        let parent = text.rsplit_once('/').map_or("", |(parent, _)| parent);
        if parent != last_parent {
            for (at, _) in parent.match_indices('/').chain([(parent.len(), "")]) {
                record_path(&mut seen, &mut colliding, parent.get(..at).unwrap_or_default(), true);
            }
            parent.clone_into(&mut last_parent);
        }
        record_path(&mut seen, &mut colliding, text, false);
    }
    colliding
}

fn record_path(
    seen: &mut BTreeMap<String, (String, bool)>,
    colliding: &mut BTreeSet<String>,
    path: &str,
    is_directory: bool,
) {
    if path.is_empty() {
        return;
    }
    let folded = portable::fold(path);
    let Some((first, was_directory)) = seen.get(&folded) else {
        seen.insert(folded, (path.to_owned(), is_directory));
        return;
    };
    let is_same_directory = first == path && is_directory && *was_directory;
    if !is_same_directory {
        colliding.insert(first.clone());
        colliding.insert(path.to_owned());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_hostile_names_are_refused() {
        let cases: [(&[u8], &str, bool); 24] = [
            (b"skills/a/SKILL.md", "skills/a/SKILL.md", true),
            (b"a/.github/x", "a/.github/x", true),
            (b"a/.gitignore", "a/.gitignore", true),
            (b"git/x", "git/x", true),
            (b"a/git~x", "a/git~x", true),
            (b".git/config", ".git/config", false),
            (b"a/.GIT/config", "a/.GIT/config", false),
            (b"a/.git ", "a/.git ", false),
            (b"a/.git./x", "a/.git./x", false),
            (b"a/git~1/x", "a/git~1/x", false),
            (b"a/GIT~12", "a/GIT~12", false),
            (b"a/.git::$INDEX_ALLOCATION/x", "a/.git::$INDEX_ALLOCATION/x", false),
            ("a/.g\u{200c}it/x".as_bytes(), "a/.g\u{200c}it/x", false),
            (b"../x", "\u{fffd}/x", false),
            (b"a/../../x", "a/\u{fffd}/\u{fffd}/x", false),
            (b"/etc/x", "\u{fffd}/etc/x", false),
            (b"a//x", "a/\u{fffd}/x", false),
            (b"a\\..\\x", "a\u{fffd}..\u{fffd}x", false),
            (b"a\x1b[2J", "a\u{fffd}[2J", false),
            ("a\u{202e}b".as_bytes(), "a\u{fffd}b", false),
            (b"a\xff", "a\u{fffd}", false),
            (b"a/CON", "a/CON", false),
            (b"a:b", "a:b", false),
            (b"a/.x.minds-new", "a/.x.minds-new", false),
        ];
        for (raw, path, expected) in cases {
            let checked = check_path(raw);
            assert_eq!(checked.path.as_str(), path, "{raw:?}");
            assert_eq!(checked.refusal.is_none(), expected, "{raw:?}: {checked:?}");
        }
    }

    #[track_caller]
    fn check_collisions(paths: &[&str], expected: &[&str]) {
        let paths: Vec<WorkspacePath> =
            paths.iter().map(|path| WorkspacePath::parse(path).unwrap()).collect();
        let found: Vec<String> = find_collisions(paths.iter()).into_iter().collect();
        assert_eq!(found, expected, "{paths:?}");
    }

    #[test]
    fn names_that_some_system_confuses_collide() {
        check_collisions(&["a/x", "a/y", "b/x"], &[]);
        check_collisions(&["a/X", "a/x"], &["a/X", "a/x"]);
        check_collisions(&["A/x", "a/y"], &["A", "a"]);
        check_collisions(&["a", "a/y"], &["a"]);
        check_collisions(&["a/x", "a/x"], &["a/x"]);
        check_collisions(&["stra\u{df}e", "STRASSE"], &["STRASSE", "stra\u{df}e"]);
        check_collisions(&["a/b/c", "a/c", "a/b/d"], &[]);
    }
}
