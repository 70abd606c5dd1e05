//! The integration tests of this crate.
#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "a test reads what it needs, and may stop at once"
)]

use std::fs;
use std::path::Path;

use minds_fs::Root;
use minds_search::{Glob, Limit, ReadAccess, Search, SearchResult};
use minds_vfs::{MountId, WorkspacePath};

/// Denies one directory and all files with one name.
struct Denied {
    directory: &'static str,
    name: &'static str,
}

impl ReadAccess for Denied {
    fn is_closed(&self, path: &WorkspacePath) -> bool {
        path.as_str() == self.directory
    }

    fn permits(&self, path: &WorkspacePath) -> bool {
        path.file_name() != Some(self.name)
    }
}

/// Denies nothing that the tests create.
const ALL: Denied = Denied { directory: "-", name: "-" };

/// Creates files with their content.
fn folder(files: &[(&str, &[u8])]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (path, bytes) in files {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }
    folder
}

/// Searches a whole folder, and returns the paths of the searched files.
fn search(folder: &Path, access: &Denied, glob: Option<&str>) -> (Vec<String>, SearchResult) {
    let root = Root::open(folder, MountId::WORKSPACE).unwrap();
    let glob = glob.map(|glob| Glob::parse(glob).unwrap());
    let mut paths = Vec::new();
    let search = Search::new(&root, access, glob.as_ref(), WorkspacePath::root(), WorkspacePath::root());
    let searched = search.directory(|path, _| {
        paths.push(path.to_string());
        Ok(())
    });
    (paths, searched)
}

#[test]
fn files_are_searched_in_the_order_of_their_paths() {
    let folder = folder(&[("b/a", b"1"), ("a", b"1"), ("b/c/d", b"1"), ("c", b"1"), (".git/config", b"1")]);
    let (paths, searched) = search(folder.path(), &ALL, None);
    assert_eq!(paths, ["a", "b/a", "b/c/d", "c"]);
    assert_eq!((searched.files, searched.skipped.summary().as_str(), searched.ended_by), (4, "", None));
}

#[test]
fn a_pattern_with_a_slash_applies_to_the_path() {
    let folder = folder(&[("x.rs", b"1"), ("src/x.rs", b"1"), ("src/x.txt", b"1"), ("src/[x].rs", b"1")]);
    let paths = |glob: &str| search(folder.path(), &ALL, Some(glob)).0;
    assert_eq!(paths("*.rs"), ["src/[x].rs", "src/x.rs", "x.rs"]);
    assert_eq!(paths("src/*.rs"), ["src/[x].rs", "src/x.rs"]);
    assert_eq!(paths("[x].rs"), ["src/[x].rs"]);
    assert!(Glob::parse("../*").is_err());
}

#[test]
fn skipped_entries_are_counted_by_reason() {
    let large = vec![b'x'; 4 * 1024 * 1024 + 1];
    let folder = folder(&[
        ("a", b"text"),
        ("binary", b"\0"),
        ("large", &large),
        ("latin", b"\xe9"),
        ("closed/a", b"text"),
        ("open/secret", b"text"),
    ]);
    let (paths, searched) = search(folder.path(), &Denied { directory: "closed", name: "secret" }, None);
    assert_eq!(paths, ["a"]);
    assert_eq!(searched.skipped.summary(), "2 denied, 1 binary, 1 invalid utf8, 1 too large");
}

#[test]
fn the_caller_can_end_a_search() {
    let folder = folder(&[("a", b"1"), ("b", b"1")]);
    let root = Root::open(folder.path(), MountId::WORKSPACE).unwrap();
    let search = Search::new(&root, &ALL, None, WorkspacePath::root(), WorkspacePath::root());
    let searched = search.directory(|_, _| Err(Limit::Matches));
    assert_eq!((searched.files, searched.ended_by), (1, Some(Limit::Matches)));
}
