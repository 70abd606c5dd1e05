//! Hostile paths, and directories that change while a file is written.

use std::os::unix::fs::symlink;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use serde_json::json;

use crate::support::{Place, call, code};

/// The number of paths; the variable `MINDS_TEST_PATHS` raises it.
const PATHS: u64 = 20_000;
/// The number of writes while a directory is exchanged, and of exchanges; the variable `MINDS_TEST_EXCHANGES` raises the second.
const WRITES: usize = 400;
const EXCHANGES: usize = 400;

/// Parts of hostile paths. Links of the place are among them.
const PARTS: &[&str] = &[
    "..",
    ".",
    "",
    "a",
    "dir",
    "out",
    "up",
    "abs",
    "chain",
    "canary",
    "outside",
    "work",
    "data",
    "..\\",
    "%2e%2e",
    "..\u{200d}",
    ".\u{2024}",
    "\u{ff0e}\u{ff0e}",
    "\u{2215}",
    "\\",
    "\0",
    "\n",
    "~",
    "$HOME",
    "{}",
    "*",
    "dev",
    "zero",
    "proc",
    "self",
    "root",
    "fd",
    "3",
    "etc",
    "passwd",
    ".ateam",
    ".git",
    ".minds",
    ".team",
    "x.tsk",
    ".ATEAM",
    "con",
    "a:b",
    "a ",
    ".. ",
];

/// A generator of the same numbers in every run: xorshift, from a fixed seed.
struct Numbers(u64);

impl Numbers {
    fn next_below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % u64::try_from(limit).unwrap()).unwrap()
    }
}

fn place() -> Place {
    let place = Place::new();
    place.write("work/dir/a", "inside\n");
    place.write("work/.ateam/agent.yaml", "name: zeus\n");
    for (target, name) in [
        ("../outside", "out"),
        ("..", "up"),
        ("out", "chain"),
        ("../../outside/canary", "dir/canary"),
        ("/", "abs"),
    ] {
        symlink(target, place.path("work").join(name)).unwrap();
    }
    symlink(place.path("outside"), place.path("data/out")).unwrap();
    place
}

/// Returns everything outside of the folders of the agent, and what no tool writes.
fn canaries(place: &Place) -> Vec<String> {
    let mut names: Vec<String> = ["", "outside", "work/.ateam"]
        .into_iter()
        .flat_map(|folder| std::fs::read_dir(place.path(folder)).unwrap())
        .map(|entry| entry.unwrap().path().display().to_string())
        .collect();
    names.sort();
    names.push(place.read("outside/canary"));
    names.push(place.read("work/.ateam/agent.yaml"));
    names
}

/// Returns the number in a variable, if there is one.
fn number<T: std::str::FromStr>(variable: &str) -> Option<T> {
    std::env::var(variable).ok()?.parse().ok()
}

/// No path reads or writes anything outside.
#[test]
fn no_path_leads_out() {
    let count = number("MINDS_TEST_PATHS").unwrap_or(PATHS);
    let place = place();
    let before = canaries(&place);
    let tops =
        [String::new(), "/".to_owned(), place.text("work/"), place.text("data/"), place.text("outside/")];
    let mut tools = place.tools();
    let mut numbers = Numbers(0x5eed_0000_7001);
    let mut succeeded = 0;
    for _ in 0..count {
        let length = 1 + numbers.next_below(6);
        let parts: Vec<&str> = (0..length).map(|_| PARTS[numbers.next_below(PARTS.len())]).collect();
        let path = format!("{}{}", tops[numbers.next_below(tops.len())], parts.join("/"));
        let (tool, arguments) = match numbers.next_below(5) {
            0 => ("fs_read", json!({"path": path})),
            1 => ("fs_list", json!({"path": path})),
            2 => ("fs_stat", json!({"path": path})),
            3 => ("fs_write", json!({"path": path, "content": "written"})),
            _ => ("fs_write", json!({"path": path, "content": "written", "create_dirs": true})),
        };
        let outcome = call(&mut tools, tool, arguments);
        succeeded += usize::from(outcome.is_ok);
        assert!(!outcome.content.contains("secret of the owner"), "{tool} {path:?}: {outcome:?}");
        assert!(!outcome.content.contains("root:x:"), "{tool} {path:?}: {outcome:?}");
        assert_ne!(code(&outcome), "failed", "{tool} {path:?}: {outcome:?}");
    }
    assert_eq!(canaries(&place), before);
    // The paths are not all invalid.
    assert!(succeeded > 100, "{succeeded}");
}

/// A directory that becomes a link to another one while a file is written in it does not lead out.
#[test]
fn an_exchanged_directory_does_not_lead_out() {
    let place = place();
    let before = std::fs::read_dir(place.path("outside")).unwrap().count();
    std::fs::create_dir(place.path("work/target")).unwrap();
    let (target, aside) = (place.path("work/target"), place.path("work/aside"));
    let (is_done, exchanged) = (AtomicBool::new(false), AtomicUsize::new(0));
    let (wanted, mut written) = (number("MINDS_TEST_EXCHANGES").unwrap_or(EXCHANGES), 0);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !is_done.load(Ordering::SeqCst) {
                if std::fs::rename(&target, &aside).is_err() {
                    continue;
                }
                // A call that creates directories may be faster, and then its directory has to go.
                if symlink("../outside", &target).is_ok() {
                    exchanged.fetch_add(1, Ordering::SeqCst);
                    let _ = std::fs::remove_file(&target);
                }
                while std::fs::rename(&aside, &target).is_err() {
                    let _ = std::fs::remove_dir_all(&target);
                }
            }
        });
        let mut tools = place.tools();
        let is_enough = |number| number >= WRITES && exchanged.load(Ordering::SeqCst) >= wanted;
        for number in (0..).take_while(|number| !is_enough(*number)) {
            for (tool, arguments) in [
                ("fs_write", json!({"path": format!("target/{}", number % 7), "content": "written"})),
                (
                    "fs_write",
                    json!({"path": format!("target/d{}/a", number % 5), "content": "written", "create_dirs": true}),
                ),
                ("fs_write", json!({"path": "target/canary", "content": "written"})),
                ("fs_read", json!({"path": "target/canary"})),
            ] {
                let outcome = call(&mut tools, tool, arguments);
                written += usize::from(outcome.is_ok);
                assert!(!outcome.content.contains("secret of the owner"), "{outcome:?}");
            }
        }
        is_done.store(true, Ordering::SeqCst);
    });
    assert_eq!(place.read("outside/canary"), "secret of the owner\n");
    assert_eq!(std::fs::read_dir(place.path("outside")).unwrap().count(), before);
    assert!(written > 0);
}
