//! The tree changes at the worst time: before each single call of each operation.

use std::fs;
use std::os::unix::fs::symlink;

use minds_fs::faults::{Plan, run, run_observed};
use minds_fs::{FileError, View};
use minds_vfs::{Expected, FileMode};

use crate::confined::tree::{Tree, path};

type Verb = fn(&View<'_>) -> Result<Vec<u8>, FileError>;

const VERBS: [(&str, Verb); 9] = [
    ("read", |view| view.read(&path("dir/inner"), 100).map(|file| file.bytes)),
    ("metadata", |view| view.metadata(&path("dir/inner")).map(|_| Vec::new())),
    ("list", |view| {
        let names = view.list(&path("dir"), 100)?.entries;
        Ok(names.iter().map(|entry| entry.real.as_str()).collect::<String>().into_bytes())
    }),
    ("create", |view| view.create(&path("dir/new"), b"mine", FileMode::Regular).map(|()| Vec::new())),
    ("replace", |view| {
        let new = view.replace(&path("dir/inner"), b"mine", FileMode::Regular, Expected::Any);
        new.map(|()| Vec::new())
    }),
    ("append", |view| view.append(&path("dir/inner"), b"mine", FileMode::Regular).map(|()| Vec::new())),
    ("make", |view| view.make_directory(&path("dir/made")).map(|()| Vec::new())),
    ("move", |view| view.rename(&path("dir/inner"), &path("dir/moved")).map(|()| Vec::new())),
    ("remove", |view| view.remove_file(&path("dir/inner"), Expected::Any).map(|()| Vec::new())),
];

/// The replacement for `dir`, or for `dir/inner`, in the middle of an operation.
const SWAPS: [(&str, &str); 5] = [
    ("dir", "link to ../outside/like"),
    ("dir", "link to in-like"),
    ("dir/inner", "link to ../../outside/secret"),
    ("dir/inner", "hard"),
    ("dir/inner", "link to ../file"),
];

fn swap(top: &std::path::Path, name: &str, with: &str) {
    let (place, aside) = (top.join(name), top.join("aside"));
    if fs::rename(&place, aside).is_err() {
        return;
    }
    match with.strip_prefix("link to ") {
        Some(target) => symlink(target, place).unwrap(),
        None => fs::hard_link(top.join(with), place).unwrap(),
    }
}

#[test]
fn nothing_outside_is_reached_if_entries_are_swapped_before_any_call() {
    let mut done = 0;
    for (verb_name, verb) in VERBS {
        for is_no_follow in [true, false] {
            for (name, with) in SWAPS {
                let mut number = 1;
                loop {
                    let tree = Tree::new();
                    prepare(&tree);
                    let outside = tree.outside();
                    let top = tree.place("");
                    let view = if is_no_follow { tree.root.no_follow() } else { tree.root.resolving() };
                    let observer = move |call, _: &'static str| {
                        if call == number {
                            swap(&top, name, with);
                        }
                    };
                    let (said, calls) = run_observed(Plan::none(), observer, || verb(&view));
                    let context = format!("{verb_name}, call {number}, {name} becomes {with}");
                    assert_eq!(tree.outside(), outside, "{context}");
                    let said = said.unwrap_or_default();
                    assert!(!String::from_utf8_lossy(&said).contains("secret"), "{context}");
                    done += 1;
                    if calls.len() < usize::try_from(number).unwrap() {
                        break;
                    }
                    number += 1;
                }
            }
        }
    }
    // Short operations make three calls, long ones a dozen.
    assert!(done > 500, "{done}");
}

/// The replacement for `dir` looks the same.
fn prepare(tree: &Tree) {
    for (like, text) in [("../outside/like", "secret"), ("in-like", "like")] {
        fs::create_dir(tree.place(like)).unwrap();
        fs::write(tree.place(like).join("inner"), text).unwrap();
    }
}

/// Without support by the kernel, the results are the same.
#[test]
fn paths_are_not_trusted_without_kernel_support() {
    const NO_SUCH_CALL: i32 = 38;
    const NOT_PERMITTED: i32 = 1;
    for errno in [NO_SUCH_CALL, NOT_PERMITTED] {
        for (at, expected) in [
            ("file", "inside"),
            ("dir/inner", "inner"),
            ("in", "inside"),
            ("dir/twice", "inside"),
            ("in-dir/inner", "inner"),
            ("out", "Outside"),
            ("out-dir/secret", "Outside"),
            ("parent/root/file", "Outside"),
            ("absolute", "Outside"),
            ("magic", "Outside"),
            ("loop", "TooManyLinks"),
            ("hard", "SeveralLinks"),
            ("fifo", "NotFile(Special)"),
            ("in/below", "NotDirectory"),
            ("nowhere", "NotFound"),
        ] {
            let tree = Tree::new();
            let plan = Plan::fail_every("openat2", errno);
            let read = |view: View<'_>| match view.read(&path(at), 100) {
                Ok(file) => String::from_utf8(file.bytes).unwrap(),
                Err(error) => format!("{:?}", error.kind()),
            };
            let (said, calls) = run(plan, || read(tree.root.resolving()));
            assert_eq!(said, expected, "{at}");
            assert!(
                calls.contains(&"openat2") == (errno == NOT_PERMITTED) || calls.first() == Some(&"openat2")
            );
            let no_follow = run(plan, || read(tree.root.no_follow())).0;
            let links = ["in", "dir/twice", "in-dir/inner", "out", "out-dir/secret", "parent/root/file"];
            let is_link = links.contains(&at) || ["absolute", "magic", "loop", "in/below"].contains(&at);
            assert_eq!(no_follow, if is_link { "Link" } else { expected }, "{at}");
        }
    }
}
