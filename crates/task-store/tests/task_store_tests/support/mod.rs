//! A workspace with a task package, what can be done with it, and how it is looked at.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;

use minds_core::Grants;
use minds_fs::Root;
use minds_task_store::{Author, Edit, Package, Request, Tasks};
use minds_taskdoc::{Journal, Operation, Section, TaskError};
use minds_vfs::{ContentHash, Expected, MountId, WorkspacePath};

/// A workspace with the package `demo`.
pub(crate) struct World {
    folder: tempfile::TempDir,
}

/// What lies in the package, by path: contents of files, and `directory`.
pub(crate) type Seen = BTreeMap<String, String>;

impl World {
    /// Makes an empty package, in memory where there is such a place.
    pub(crate) fn new() -> Self {
        let mut builder = tempfile::Builder::new();
        let builder = builder.prefix("task-");
        let folder = builder.tempdir_in("/dev/shm").or_else(|_| builder.tempdir()).unwrap();
        let world = Self { folder };
        Tasks::open(&world.open()).unwrap().create("demo", &author()).unwrap();
        world
    }

    /// Returns another one with the same files.
    pub(crate) fn copy(&self) -> Self {
        let mut builder = tempfile::Builder::new();
        let builder = builder.prefix("task-");
        let folder = builder.tempdir_in("/dev/shm").or_else(|_| builder.tempdir()).unwrap();
        let world = Self { folder };
        fs::create_dir_all(world.at("")).unwrap();
        for (path, what) in self.seen() {
            // A directory comes before what is in it.
            if what == "directory" {
                fs::create_dir(world.at(&path)).unwrap();
            } else {
                fs::write(world.at(&path), what).unwrap();
            }
        }
        world
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.folder.path().to_owned()
    }

    pub(crate) fn at(&self, below: &str) -> PathBuf {
        self.folder.path().join("tasks/demo.tsk").join(below)
    }

    pub(crate) fn open(&self) -> Root {
        Root::open(self.folder.path(), MountId::WORKSPACE).unwrap()
    }

    /// Makes changes that go well.
    pub(crate) fn changed(self, edits: &[(&str, Edit)]) -> Self {
        let root = self.open();
        for (section, edit) in edits {
            change(&package(&root), section, edit.clone()).unwrap();
        }
        self
    }

    /// Everything in the package.
    pub(crate) fn seen(&self) -> Seen {
        let (mut found, top) = (Seen::new(), self.at(""));
        let mut folders = vec![top.clone()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                let name = path.strip_prefix(&top).unwrap().to_str().unwrap().to_owned();
                let what = if path.is_dir() {
                    folders.push(path);
                    "directory".to_owned()
                } else {
                    String::from_utf8_lossy(&fs::read(&path).unwrap()).into_owned()
                };
                found.insert(name, what);
            }
        }
        found
    }

    /// The files of the package, without directories.
    pub(crate) fn files(&self) -> Seen {
        let mut files = self.tree();
        files.retain(|_, what| what != "directory");
        files
    }

    /// The same with directories.
    pub(crate) fn tree(&self) -> Seen {
        let mut seen = self.seen();
        seen.retain(|path, _| !path.contains(".minds-") && !path.starts_with(".history"));
        seen
    }

    /// The files that should not exist after a change in each directory.
    pub(crate) fn left(&self) -> Vec<String> {
        for directory in ["api", "bearinmind", "ux"] {
            let nothing = WorkspacePath::parse(&format!("tasks/demo.tsk/{directory}/none")).unwrap();
            let _ = self.open().no_follow().remove_file(&nothing, Expected::Any);
        }
        let is_left = |path: &String| path.contains(".minds-") || path == ".history/pending";
        self.seen().into_keys().filter(is_left).collect()
    }
}

pub(crate) fn package(root: &Root) -> Package<'_> {
    Tasks::open(root).unwrap().find(Some("demo")).unwrap()
}

fn author() -> Author {
    let grants = Grants::new(&["control"], Vec::new());
    Author::member("lead", &grants, &["control"], "change_mind", 1_700_000_000_000).unwrap()
}

pub(crate) fn set(text: &str) -> Edit {
    Edit::Set(text.to_owned())
}

pub(crate) fn change(package: &Package<'_>, section: &str, edit: Edit) -> Result<(), TaskError> {
    let request = Request { section: Section::parse_qualified(section).unwrap(), edit, expected: None };
    package.change(&author(), &request).map(|_| ())
}

/// Expects that the journal is complete and describes the content of every section, and that previous contents are kept; returns
/// how many changes there are. Only the reader of journals is believed.
#[track_caller]
pub(crate) fn verify(package: &Package<'_>, context: &str) -> usize {
    expect_contents(package, &package.journal().unwrap(), context);
    lines(package, context)
}

/// The same without the contents of the sections.
#[track_caller]
pub(crate) fn lines(package: &Package<'_>, context: &str) -> usize {
    let journal = package.journal().unwrap();
    assert_eq!(journal.problems, [], "{context}");
    let known = journal.by_id();
    for entry in &journal.entries {
        assert!(entry.parents.iter().all(|parent| known.contains_key(parent)), "{context}: {entry:?}");
        if let Some(before) = entry.before.filter(|_| entry.operation != Operation::Outside) {
            let kept = package.previous_content(entry).unwrap();
            assert_eq!(kept.as_deref().map(ContentHash::of), Some(before), "{context}: {entry:?}");
        }
    }
    journal.entries.len()
}

/// Expects that every section has the content of its last journal line.
#[track_caller]
pub(crate) fn expect_contents(package: &Package<'_>, journal: &Journal, context: &str) {
    let mut last: BTreeMap<&Section, Option<ContentHash>> = BTreeMap::new();
    for entry in &journal.entries {
        last.insert(&entry.section, entry.after);
    }
    let sections: BTreeSet<Section> = Section::injected_sections()
        .chain(package.extras().unwrap().sections)
        .chain(last.keys().map(|one| (*one).clone()))
        .collect();
    for section in &sections {
        let now = package.section(section).unwrap().map(|found| found.hash);
        let nothing = Some(ContentHash::of(b""));
        let expected = last.get(section).copied().unwrap_or(now.and(nothing));
        assert_eq!(now, expected, "{context}: {section}");
    }
}

/// A change that goes well in a world that is made for it.
pub(crate) struct Case {
    pub(crate) name: &'static str,
    pub(crate) world: fn() -> World,
    pub(crate) section: &'static str,
    pub(crate) edit: fn() -> Edit,
}

impl Case {
    /// Returns whether a section was changed by hand, so that its content differs from the journal until the next change.
    fn is_by_hand(&self) -> bool {
        self.name.contains("outside")
    }

    /// Verifies the state before the change (`is_made` is false) or after it. Returns the number of journal
    /// lines, or `None` if there is no journal and none is about to be written.
    #[track_caller]
    pub(crate) fn verify(&self, world: &World, is_made: impl Fn(usize) -> bool, context: &str) -> usize {
        let root = world.open();
        if package(&root).journal().unwrap().entries.is_empty() {
            return 0;
        }
        let count = lines(&package(&root), context);
        if !self.is_by_hand() || is_made(count) {
            verify(&package(&root), context);
        }
        count
    }
}

fn with_contents() -> World {
    World::new().changed(&[
        ("goals", set("the goals\n")),
        ("ux/old", set("an old list\n")),
        ("bearinmind/risks", set("a risk")),
    ])
}

/// A change was made, and its author died before it was written down.
fn left_by_crash() -> World {
    let world = with_contents();
    let journal = fs::read(world.at("journal.jsonl")).unwrap();
    let world = world.changed(&[("goals", set("made and not written down\n"))]);
    let whole = fs::read(world.at("journal.jsonl")).unwrap();
    let line = String::from_utf8(whole[journal.len()..].to_vec()).unwrap();
    let id = line.split('"').nth(3).unwrap().replace(':', "-");
    fs::rename(world.at(&format!(".history/{id}")), world.at(".history/pending")).unwrap();
    fs::write(world.at("journal.jsonl"), journal).unwrap();
    world
}

pub(crate) const CASES: [Case; 13] = [
    Case { name: "set", world: with_contents, section: "goals", edit: || set("other goals\n") },
    Case { name: "set what was empty", world: with_contents, section: "progress", edit: || set("begun\n") },
    Case {
        name: "set in a new category",
        world: with_contents,
        section: "api/list",
        edit: || set("a list\n"),
    },
    Case { name: "clear", world: with_contents, section: "goals", edit: || Edit::Clear },
    Case { name: "remove", world: with_contents, section: "ux/old", edit: || Edit::Remove },
    Case {
        name: "append",
        world: with_contents,
        section: "bearinmind/risks",
        edit: || Edit::Append { text: "another".to_owned(), separator: None },
    },
    Case {
        name: "create",
        world: with_contents,
        section: "ux/new",
        edit: || Edit::Create("new\n".to_owned()),
    },
    Case {
        name: "undo",
        world: with_contents,
        section: "ux/old",
        edit: || Edit::Restore { content: None, undoes: ContentHash::of(b"some change") },
    },
    Case {
        name: "set what was changed outside",
        world: || {
            let world = with_contents();
            fs::write(world.at("goals.md"), "by hand").unwrap();
            world
        },
        section: "goals",
        edit: || set("other goals\n"),
    },
    Case {
        name: "set what it was set to outside",
        world: || {
            let world = with_contents();
            fs::write(world.at("goals.md"), "by hand").unwrap();
            world
        },
        section: "goals",
        edit: || set("by hand"),
    },
    Case {
        name: "set without a journal",
        world: || {
            let world = with_contents();
            fs::remove_file(world.at("journal.jsonl")).unwrap();
            fs::remove_dir_all(world.at(".history")).unwrap();
            world
        },
        section: "progress",
        edit: || set("begun\n"),
    },
    Case {
        name: "set when another died",
        world: left_by_crash,
        section: "progress",
        edit: || set("begun\n"),
    },
    Case {
        name: "set with a line over the end of a block",
        world: || {
            with_contents().changed(
                &["progress"; 7].map(|name| (name, Edit::Append { text: "x".to_owned(), separator: None })),
            )
        },
        section: "goals",
        edit: || set("other goals\n"),
    },
];
