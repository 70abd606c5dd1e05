use proptest::prelude::*;

use super::*;

#[track_caller]
fn refuses(path: &str, kind: PathErrorKind) {
    assert_eq!(WorkspacePath::parse(path).map_err(|error| error.kind()), Err(kind), "{path:?}");
}

#[test]
fn paths_outside_of_the_root_are_rejected() {
    refuses("", PathErrorKind::EmptySegment);
    refuses("/etc", PathErrorKind::Absolute);
    refuses("a//b", PathErrorKind::EmptySegment);
    refuses("a/", PathErrorKind::EmptySegment);
    refuses("./a", PathErrorKind::DotSegment);
    refuses("a/../b", PathErrorKind::DotSegment);
    refuses("a\\b", PathErrorKind::Backslash);
    refuses("a\0b", PathErrorKind::HiddenCharacter);
    refuses("a\u{202e}b", PathErrorKind::HiddenCharacter);
}

#[track_caller]
fn normalizes(path: &str, expected: Result<&str, PathErrorKind>) {
    let found = WorkspacePath::normalize(path);
    assert_eq!(found.as_ref().map(WorkspacePath::as_str).map_err(PathError::kind), expected, "{path:?}");
}

#[test]
fn paths_are_normalized_lexically() {
    for root in ["", ".", "./", "a/..", "a/b/../.."] {
        normalizes(root, Ok(""));
    }
    for src in ["src", "src/", "./src", "src//", "a/../src", "src/./.", "src/a/.."] {
        normalizes(src, Ok("src"));
    }
    normalizes("a//b/./c/../d", Ok("a/b/d"));
    normalizes("..foo/x", Ok("..foo/x"));
    normalizes("...", Ok("..."));
    normalizes("/src", Err(PathErrorKind::Absolute));
    for outside in ["..", "../a", "a/../..", "../ws/a", "a/../../ws/a"] {
        normalizes(outside, Err(PathErrorKind::LeavesRoot));
    }
}

/// `path-clean` is not used, because it follows the path syntax of the system and returns paths that leave the
/// root, so each caller would have to check the result.
#[test]
fn path_clean_returns_paths_outside() {
    for (path, cleaned) in [("a/../../ws/a", "../ws/a"), ("..", ".."), ("/a/../../b", "/b")] {
        assert_eq!(path_clean::clean(path).to_str(), Some(cleaned));
        assert!(WorkspacePath::normalize(path).is_err_and(|error| error.kind().is_outside()), "{path:?}");
    }
}

#[test]
fn invalid_paths_are_reported_before_paths_outside() {
    normalizes("..\\a", Err(PathErrorKind::Backslash));
    normalizes("/etc\0", Err(PathErrorKind::HiddenCharacter));
    normalizes("../a\u{202e}", Err(PathErrorKind::HiddenCharacter));
    assert!(PathErrorKind::Absolute.is_outside() && PathErrorKind::LeavesRoot.is_outside());
    assert!(!PathErrorKind::Backslash.is_outside() && !PathErrorKind::HiddenCharacter.is_outside());
}

#[test]
fn existing_paths_need_not_be_portable() {
    let portable = |path: &str| WorkspacePath::parse(path).unwrap().check_portable();
    assert_eq!(portable("a/b.md"), Ok(()));
    let problem = NameProblem::Device;
    assert_eq!(portable("a/nul/b"), Err(UnportablePath::Name { segment: "nul".to_owned(), problem }));
    assert!(matches!(portable(&"a".repeat(256)), Err(UnportablePath::Name { .. })));
    assert_eq!(portable(&vec!["a"; 65].join("/")), Err(UnportablePath::TooLong));
    assert_eq!(portable(&vec!["a"; 64].join("/")), Ok(()));
    assert_eq!(portable(&vec!["a".repeat(255); 17].join("/")), Err(UnportablePath::TooLong));
}

#[test]
fn parts_of_a_path() {
    let path = WorkspacePath::parse("a/b/c.md").unwrap();
    assert_eq!(path.file_name(), Some("c.md"));
    assert_eq!(path.parent().unwrap().as_str(), "a/b");
    assert_eq!(WorkspacePath::parse("a").unwrap().parent(), Some(WorkspacePath::root()));
    assert_eq!(WorkspacePath::root().parent(), None);
    assert_eq!(WorkspacePath::root().join("a").unwrap().as_str(), "a");
    assert_eq!(WorkspacePath::root().to_string(), ".");
}

#[test]
fn containment_is_by_whole_segments() {
    let below = |path: &str, other: &str| {
        WorkspacePath::parse(path).unwrap().is_at_or_below(&WorkspacePath::parse(other).unwrap())
    };
    assert!(below("src", "src"));
    assert!(below("src/a", "src"));
    assert!(!below("src-old/a", "src"));
    assert!(below("x", "x") && WorkspacePath::parse("x").unwrap().is_at_or_below(&WorkspacePath::root()));
}

proptest! {
    /// A normalized path is valid, and the same as when each segment is followed.
    #[test]
    fn normalizing_follows_each_segment(path in "[ab./]{0,14}") {
        let mut stack = Vec::new();
        let mut left = path.starts_with('/');
        for segment in path.split('/') {
            match segment {
                "" | "." => {}
                ".." => left |= stack.pop().is_none(),
                _ => stack.push(segment),
            }
        }
        let found = WorkspacePath::normalize(&path);
        prop_assert_eq!(found.is_err(), left);
        if let Ok(found) = found {
            prop_assert_eq!(found.segments().collect::<Vec<_>>(), stack);
            prop_assert!(found.is_root() || WorkspacePath::parse(found.as_str()).is_ok());
        }
    }

    /// A path equals its segments, and the parent of a joined path is the path.
    #[test]
    fn segments_make_the_path(path in "[a-c.é/]{0,12}") {
        if let Ok(parsed) = WorkspacePath::parse(&path) {
            prop_assert_eq!(parsed.segments().collect::<Vec<_>>().join("/"), path.as_str());
            prop_assert!(parsed.segments().rev().eq(path.rsplit('/')));
            // From both ends they meet in the middle.
            let (mut both, mut met) = (parsed.segments(), (Vec::new(), Vec::new()));
            while let Some(front) = both.next() {
                met.0.push(front);
                met.1.extend(both.next_back());
            }
            met.0.extend(met.1.into_iter().rev());
            prop_assert_eq!(met.0.join("/"), path);
            prop_assert_eq!(parsed.join("x").unwrap().parent(), Some(parsed));
        }
    }
}
