//! Names in repositories, which anybody may have written.

use std::collections::{BTreeMap, BTreeSet};

use minds_paths::WorkspacePath;
use minds_paths::portable;

use crate::is_temporary;

/// What a name in a repository is good for.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Judged {
    /// Where it stands. Of a name that is no path, a path that looks like it.
    pub(super) path: WorkspacePath,
    /// Why nothing may be read under this name, in words for a message.
    pub(super) refusal: Option<String>,
}

/// Judges the path of an entry, as git stores it.
pub(super) fn judge(raw: &[u8]) -> Judged {
    let text = String::from_utf8_lossy(raw);
    let is_text = std::str::from_utf8(raw).is_ok();
    let path = match WorkspacePath::parse(&text) {
        Ok(path) if is_text => path,
        Ok(path) => return refused(path, "its name is not UTF-8"),
        Err(error) => {
            let reason = error.kind().to_string();
            return refused(stand_in(&text), &format!("its name is no path: {reason}"));
        }
    };
    if path.segments().any(is_dot_git) {
        return refused(path, "its name is one that git keeps for itself");
    }
    if path.segments().any(is_temporary) {
        return refused(path, "such names are kept for temporary files");
    }
    match path.check_portable() {
        Ok(()) => Judged { path, refusal: None },
        Err(problem) => refused(path, &problem.to_string()),
    }
}

fn refused(path: WorkspacePath, reason: &str) -> Judged {
    Judged { path, refusal: Some(reason.to_owned()) }
}

/// Returns a path that looks like a text that is none.
fn stand_in(text: &str) -> WorkspacePath {
    let is_plain = |c: char| !(c == '\\' || portable::is_control(c) || portable::is_directional(c));
    let segments = text.split('/').map(|segment| match segment {
        "" | "." | ".." => "\u{fffd}".to_owned(),
        segment => segment.chars().map(|c| if is_plain(c) { c } else { '\u{fffd}' }).collect(),
    });
    let path = segments.collect::<Vec<String>>().join("/");
    WorkspacePath::parse(&path).unwrap_or_default()
}

/// Returns whether some system takes a name for `.git`: in any letter case, with characters that have no width, with dots
/// and blanks at its end, with a stream behind a colon, or as its short name.
pub(crate) fn is_dot_git(name: &str) -> bool {
    let has_width = |c: &char| !matches!(c, '\u{200c}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{206a}'..='\u{206f}' | '\u{feff}');
    let visible: String = name.chars().filter(has_width).collect();
    let folded = portable::fold(&visible);
    let stem = folded.split(':').next().unwrap_or_default().trim_end_matches(['.', ' ']);
    if stem == ".git" {
        return true;
    }
    let number = stem.strip_prefix("git~");
    number.is_some_and(|number| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Returns the paths, of files and of directories above them, that some system takes for others of the same tree.
pub(super) fn collisions<'p>(paths: impl Iterator<Item = &'p WorkspacePath>) -> BTreeSet<String> {
    // By what it is folded to: a spelling, and whether it is a directory.
    let mut seen: BTreeMap<String, (String, bool)> = BTreeMap::new();
    let mut colliding = BTreeSet::new();
    let mut last_parent = String::new();
    for path in paths {
        let text = path.as_str();
        let parent = text.rsplit_once('/').map_or("", |(parent, _)| parent);
        if parent != last_parent {
            for (at, _) in parent.match_indices('/').chain([(parent.len(), "")]) {
                note(&mut seen, &mut colliding, parent.get(..at).unwrap_or_default(), true);
            }
            parent.clone_into(&mut last_parent);
        }
        note(&mut seen, &mut colliding, text, false);
    }
    colliding
}

fn note(
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
    fn hostile_names_are_refused_and_harmless_ones_are_not() {
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
            let judged = judge(raw);
            assert_eq!(judged.path.as_str(), path, "{raw:?}");
            assert_eq!(judged.refusal.is_none(), expected, "{raw:?}: {judged:?}");
        }
    }

    #[track_caller]
    fn collide(paths: &[&str], expected: &[&str]) {
        let paths: Vec<WorkspacePath> =
            paths.iter().map(|path| WorkspacePath::parse(path).unwrap()).collect();
        let found: Vec<String> = collisions(paths.iter()).into_iter().collect();
        assert_eq!(found, expected, "{paths:?}");
    }

    #[test]
    fn names_that_some_system_takes_for_the_same_collide() {
        collide(&["a/x", "a/y", "b/x"], &[]);
        collide(&["a/X", "a/x"], &["a/X", "a/x"]);
        collide(&["A/x", "a/y"], &["A", "a"]);
        collide(&["a", "a/y"], &["a"]);
        collide(&["a/x", "a/x"], &["a/x"]);
        collide(&["stra\u{df}e", "STRASSE"], &["STRASSE", "stra\u{df}e"]);
        collide(&["a/b/c", "a/c", "a/b/d"], &[]);
    }
}
