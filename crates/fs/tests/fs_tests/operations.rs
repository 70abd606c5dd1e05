//! All operations.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;

use minds_fs::faults::{Plan, run};
use minds_fs::{Root, Sharing};
use minds_vfs::{Change, ChangeSet, ContentHash, Expected, FileMode, Location, MountId, WorkspacePath};

use crate::support::{Entries, list_entries};

/// An operation that succeeds in a new tree. Errors are returned as messages.
pub(crate) struct Operation {
    pub(crate) name: &'static str,
    pub(crate) act: fn(&Root) -> Result<(), String>,
}

pub(crate) fn path(text: &str) -> WorkspacePath {
    WorkspacePath::parse(text).unwrap()
}

fn to_message(error: impl std::fmt::Display) -> String {
    error.to_string()
}

fn apply(root: &Root, changes: &[(&str, Change)]) -> Result<(), String> {
    let mut set = ChangeSet::new();
    for (at, change) in changes {
        set.add(Location::new(MountId::WORKSPACE, path(at)), change.clone()).unwrap();
    }
    root.apply(&set).map_err(to_message)
}

fn write(text: &str, expected: Expected) -> Change {
    Change::Write { bytes: text.into(), mode: FileMode::Regular, expected }
}

fn old(text: &str) -> Expected {
    Expected::Content(ContentHash::of(text.as_bytes()))
}

const MODE: FileMode = FileMode::Regular;

pub(crate) const OPERATIONS: [Operation; 19] = [
    Operation {
        name: "create",
        act: |root| root.no_follow().create(&path("dir/new"), b"new", MODE).map_err(to_message),
    },
    Operation {
        name: "replace",
        act: |root| root.no_follow().replace(&path("dir/a"), b"new", MODE, Expected::Any).map_err(to_message),
    },
    Operation {
        name: "replace what is expected, through a link",
        act: |root| root.resolving().replace(&path("link"), b"new", MODE, old("a")).map_err(to_message),
    },
    Operation {
        name: "append",
        act: |root| root.no_follow().append(&path("dir/a"), b" and more", MODE).map_err(to_message),
    },
    Operation {
        name: "append more than a block",
        act: |root| root.no_follow().append(&path("dir/a"), &[b'+'; 5_000], MODE).map_err(to_message),
    },
    Operation {
        name: "append to nothing",
        act: |root| root.no_follow().append(&path("dir/new"), b"new", MODE).map_err(to_message),
    },
    Operation {
        name: "extend over the end of a block",
        act: |root| root.no_follow().extend(&path("dir/a"), &[b'+'; 5_000], MODE).map_err(to_message),
    },
    Operation {
        name: "move and not wait",
        act: |root| {
            root.no_follow().rename_unsynced(&path("dir/a"), &path("other/moved")).map_err(to_message)
        },
    },
    Operation {
        name: "remove and not wait",
        act: |root| root.no_follow().remove_file_unsynced(&path("dir/a")).map_err(to_message),
    },
    Operation {
        name: "make",
        act: |root| root.no_follow().make_directory(&path("dir/made")).map_err(to_message),
    },
    Operation {
        name: "move",
        act: |root| root.no_follow().rename(&path("dir/a"), &path("other/moved")).map_err(to_message),
    },
    Operation {
        name: "move a directory",
        act: |root| root.no_follow().rename(&path("dir"), &path("other/moved")).map_err(to_message),
    },
    Operation {
        name: "remove",
        act: |root| root.no_follow().remove_file(&path("dir/a"), Expected::Any).map_err(to_message),
    },
    Operation {
        name: "remove what is expected",
        act: |root| root.no_follow().remove_file(&path("dir/a"), old("a")).map_err(to_message),
    },
    Operation {
        name: "remove a directory",
        act: |root| root.no_follow().remove_directory(&path("empty")).map_err(to_message),
    },
    Operation {
        name: "remove a directory and all that it holds",
        act: |root| {
            let place = root.no_follow().entry(&path("dir")).map_err(to_message)?;
            let judged = place.walk(100).map_err(to_message)?;
            place.remove_tree(&judged).map_err(to_message)
        },
    },
    Operation {
        name: "replace under a lock",
        act: |root| {
            let view = root.no_follow();
            let lock = view.lock(&path("dir/a"), Sharing::Exclusive).map_err(to_message)?;
            let replaced = view.replace(&path("dir/a"), b"new", MODE, Expected::Any).map_err(to_message);
            drop(lock);
            replaced
        },
    },
    Operation { name: "apply one", act: |root| apply(root, &[("dir/a", write("new", old("a")))]) },
    Operation {
        name: "apply several",
        act: |root| {
            apply(
                root,
                &[
                    ("deep/er/new", write("new", Expected::Absent)),
                    ("dir/a", write("new", old("a"))),
                    ("dir/b", Change::Remove { expected: old("b") }),
                    ("dir/c", Change::Move { to: Location::new(MountId::WORKSPACE, path("other/c")) }),
                    ("dir/same", write("same", Expected::Any)),
                    (
                        "dir/x",
                        Change::Write {
                            bytes: b"x".into(),
                            mode: FileMode::Executable,
                            expected: Expected::Any,
                        },
                    ),
                    ("gone", Change::Remove { expected: Expected::Any }),
                    ("link-2", Change::Link { target: "dir/a\tb".to_owned() }),
                    ("made", Change::MakeDirectory),
                ],
            )
        },
    },
];

/// Returns the state after a successful operation, and its calls.
pub(crate) fn run_without_faults(operation: &Operation) -> (Tree, Vec<&'static str>) {
    let tree = Tree::new();
    let root = tree.open();
    let (done, calls) = run(Plan::none(), || (operation.act)(&root));
    assert_eq!(done, Ok(()), "{}", operation.name);
    assert_eq!(tree.temporaries(), Vec::<String>::new(), "{}", operation.name);
    (tree, calls)
}

/// Acts like the next process: attempts another change, which fails, after cleanup and recovery.
pub(crate) fn open_again(root: &Root) {
    for place in ["none", "dir/none", "other/none"] {
        let _ = root.no_follow().remove_file(&path(place), Expected::Any);
    }
}

/// A folder with a few files.
pub(crate) struct Tree {
    folder: tempfile::TempDir,
}

impl Tree {
    pub(crate) fn new() -> Self {
        // In memory, because durability is not tested here and memory is faster.
        let folder = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap();
        fill(folder.path());
        Self { folder }
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn open(&self) -> Root {
        Root::open(self.path(), MountId::WORKSPACE).unwrap()
    }

    /// Returns all entries that are not temporary: kinds, permissions, contents and targets, by path.
    pub(crate) fn files(&self) -> Entries {
        self.all_entries().into_iter().filter(|(name, _)| !name.contains(".minds-")).collect()
    }

    /// Returns the names of temporary entries, without the contents of directories.
    pub(crate) fn temporaries(&self) -> Vec<String> {
        let is_top = |name: &String| name.contains(".minds-") && !name.contains(".minds-gone/");
        self.all_entries().into_keys().filter(is_top).collect()
    }

    fn all_entries(&self) -> Entries {
        list_entries(self.folder.path())
    }
}

fn fill(top: &Path) {
    for directory in ["dir", "other", "empty"] {
        fs::create_dir(top.join(directory)).unwrap();
    }
    for name in ["a", "b", "c", "same", "x"] {
        fs::write(top.join("dir").join(name), name).unwrap();
        fs::set_permissions(top.join("dir").join(name), fs::Permissions::from_mode(0o640)).unwrap();
    }
    symlink("dir/a", top.join("link")).unwrap();
    symlink("nowhere", top.join("gone")).unwrap();
}
