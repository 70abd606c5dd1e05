//! Operations that change a folder from one known state to the next.

use minds_fs::{Root, Sharing};
use minds_vfs::{Change, ChangeSet, ContentHash, Expected, FileMode, Location, MountId, WorkspacePath};

use super::tree::Files;

/// An operation that can be repeated. States are numbered.
pub(super) struct Operation {
    pub(super) name: &'static str,
    /// Changes the previous state to the state with this number.
    pub(super) step: fn(&Root, u64) -> Result<(), String>,
    /// Returns the files of a state, given the initial state.
    pub(super) state: fn(u64, u64) -> Files,
    /// The maximum number of temporary files left by a killed process, not limited for files that belong to a
    /// journal.
    pub(super) max_leftovers: usize,
}

/// All operations that change files.
pub(super) const OPERATIONS: [Operation; 10] = [
    Operation {
        name: "replace",
        step: |root, to| {
            to_result(root.no_follow().replace(&path("dir/state"), text(to).as_bytes(), MODE, Expected::Any))
        },
        state: |_, at| with([("dir/state".to_owned(), file(at))]),
        max_leftovers: 1,
    },
    Operation {
        name: "create",
        step: |root, to| {
            to_result(root.no_follow().create(&path(&format!("dir/new-{to}")), text(to).as_bytes(), MODE))
        },
        state: |from, at| with((from + 1..=at).map(|one| (format!("dir/new-{one}"), file(one)))),
        max_leftovers: 1,
    },
    Operation {
        name: "append",
        step: |root, to| to_result(root.no_follow().append(&path("dir/lines"), line(to).as_bytes(), MODE)),
        state: |from, at| {
            let lines: String = (from..=at).map(line).collect();
            with([("dir/lines".to_owned(), format!("file {lines}"))])
        },
        max_leftovers: 1,
    },
    Operation {
        name: "append more than a block",
        step: |root, to| to_result(root.no_follow().append(&path("dir/lines"), lines(to).as_bytes(), MODE)),
        state: |from, at| {
            let lines: String = (from..=at).map(lines).collect();
            with([("dir/lines".to_owned(), format!("file {lines}"))])
        },
        max_leftovers: 1,
    },
    Operation {
        name: "lock, compare and swap",
        step: |root, to| {
            let (view, state) = (root.no_follow(), path("dir/state"));
            let lock = view.lock(&state, Sharing::Exclusive).map_err(to_message)?;
            let expected = Expected::Content(ContentHash::of(text(to - 1).as_bytes()));
            let replaced = view.replace(&state, text(to).as_bytes(), MODE, expected);
            drop(lock);
            to_result(replaced)
        },
        state: |_, at| with([("dir/state".to_owned(), file(at))]),
        max_leftovers: 2,
    },
    Operation {
        name: "move",
        step: |root, to| to_result(root.no_follow().rename(&path(&one(to - 1)), &path(&one(to)))),
        state: |from, at| with([(one(at), file(from))]),
        max_leftovers: 0,
    },
    Operation {
        name: "create a directory",
        step: |root, to| to_result(root.no_follow().make_directory(&path(&format!("dir/made-{to}")))),
        state: |from, at| {
            with((from + 1..=at).map(|one| (format!("dir/made-{one}"), "directory".to_owned())))
        },
        max_leftovers: 0,
    },
    Operation {
        name: "remove a file with expected content",
        step: |root, to| {
            let expected = Expected::Content(ContentHash::of(text(to).as_bytes()));
            to_result(root.no_follow().remove_file(&path(&format!("dir/old-{to}")), expected))
        },
        state: |from, at| with((at + 1..=from + OLD).map(|one| (format!("dir/old-{one}"), file(one)))),
        max_leftovers: 1,
    },
    Operation {
        name: "apply one",
        step: |root, to| {
            let old = Expected::Content(ContentHash::of(text(to - 1).as_bytes()));
            apply(root, [("dir/state".to_owned(), write(to, old))])
        },
        state: |_, at| with([("dir/state".to_owned(), file(at))]),
        max_leftovers: 1,
    },
    Operation { name: "apply several", step: apply_several, state: several, max_leftovers: usize::MAX },
];

/// The number of files that can be removed.
const OLD: u64 = 110;
const MODE: FileMode = FileMode::Regular;

/// Returns a unique text for each number, between one block and several blocks long.
fn text(number: u64) -> String {
    let lines = 3 + usize::try_from(number % 97).unwrap_or_default() * 4;
    format!("{number} ").repeat(lines) + "\n"
}

/// Returns a line that is appended in place, except for about one in a hundred.
fn line(number: u64) -> String {
    format!("{number} appended\n")
}

/// Returns text that is appended by copying the file.
fn lines(number: u64) -> String {
    line(number).repeat(500)
}

fn file(number: u64) -> String {
    format!("file {}", text(number))
}

fn one(number: u64) -> String {
    format!("{}/one-{number}", if number.is_multiple_of(2) { "dir" } else { "other" })
}

fn with(files: impl IntoIterator<Item = (String, String)>) -> Files {
    let directories = ["dir", "other"].map(|path| (path.to_owned(), "directory".to_owned()));
    files.into_iter().chain(directories).collect()
}

fn path(text: &str) -> WorkspacePath {
    WorkspacePath::parse(text).expect("the path is valid")
}

fn to_message(error: impl std::fmt::Display) -> String {
    error.to_string()
}

fn to_result(result: Result<(), minds_fs::FileError>) -> Result<(), String> {
    result.map_err(to_message)
}

fn write(number: u64, expected: Expected) -> Change {
    Change::Write { bytes: text(number).into_bytes(), mode: MODE, expected }
}

fn apply(root: &Root, changes: impl IntoIterator<Item = (String, Change)>) -> Result<(), String> {
    let mut set = ChangeSet::new();
    for (at, change) in changes {
        set.add(Location::new(MountId::WORKSPACE, path(&at)), change).map_err(to_message)?;
    }
    root.apply(&set).map_err(to_message)
}

/// Writes two files, moves one and removes one, creates directories with a file in them, and a link.
fn apply_several(root: &Root, to: u64) -> Result<(), String> {
    let before = to - 1;
    let old = Expected::Content(ContentHash::of(text(before).as_bytes()));
    let moved = Location::new(MountId::WORKSPACE, path(&one(to)));
    apply(
        root,
        [
            ("dir/a".to_owned(), write(to, old)),
            ("other/b".to_owned(), write(to, Expected::Any)),
            (one(before), Change::Move { to: moved }),
            (format!("made-{to}/deep/x"), write(to, Expected::Absent)),
            (format!("made-{before}/deep/x"), Change::Remove { expected: old }),
            (format!("dir/link-{to}"), Change::Link { target: "a".to_owned() }),
            (format!("dir/link-{before}"), Change::Remove { expected: Expected::Any }),
        ],
    )
}

fn several(from: u64, at: u64) -> Files {
    let mut files = with([
        ("dir/a".to_owned(), file(at)),
        ("other/b".to_owned(), file(at)),
        (one(at), file(from)),
        (format!("dir/link-{at}"), "link to a".to_owned()),
        (format!("made-{at}/deep/x"), file(at)),
    ]);
    for number in from..=at {
        for directory in [format!("made-{number}"), format!("made-{number}/deep")] {
            files.insert(directory, "directory".to_owned());
        }
    }
    files
}
