//! The plan that each fixture describes, and the changes that exclude each other.
#![allow(clippy::disallowed_methods, reason = "a test reads its fixtures")]

use std::fmt::Write as _;
use std::fs;

use crate::{Change, ChangeSet, ContentHash, Expected, FileMode, Location, MountId, WorkspacePath};

fn at(path: &str) -> Location {
    Location::new(MountId::WORKSPACE, WorkspacePath::parse(path).expect("a path of the workspace"))
}

/// Returns the change that a line describes: `write`, `create`, `replace`, `remove` and `directory` with a path, `move`
/// and `link` with a path and a target.
fn parse(line: &str) -> (Location, Change) {
    let words: Vec<&str> = line.split(' ').collect();
    let old = ContentHash::of(b"old\n");
    let write = |expected| Change::Write { bytes: b"new\n".to_vec(), mode: FileMode::Regular, expected };
    let change = match words[..] {
        ["write", _] => write(Expected::Any),
        ["create", _] => write(Expected::Absent),
        ["replace", _] => write(Expected::Content(old)),
        ["remove", _] => Change::Remove { expected: Expected::Content(old) },
        ["directory", _] => Change::MakeDirectory,
        ["move", _, to] => Change::Move { to: at(to) },
        ["link", _, target] => Change::Link { target: target.to_owned() },
        _ => panic!("`{line}` is not a change"),
    };
    (at(words[1]), change)
}

/// Returns the refused changes, and then the plan in the order in which it is applied.
fn plan(text: &str) -> String {
    let mut set = ChangeSet::new();
    let mut plan = String::new();
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let (location, change) = parse(line);
        if let Err(error) = set.add(location, change) {
            let _ = writeln!(plan, "refused {line}: {error}");
        }
    }
    let _ = writeln!(plan, "plan {} of {} changes", set.id(), set.len());
    for (location, change) in set.iter() {
        let change = match change {
            Change::Write { bytes, mode, expected } => {
                format!("write {} bytes, {mode:?}, if {}", bytes.len(), describe(*expected))
            }
            Change::MakeDirectory => "create a directory".to_owned(),
            Change::Move { to } => format!("move to {to}"),
            Change::Link { target } => format!("link to {target}"),
            Change::Remove { expected } => format!("remove if {}", describe(*expected)),
        };
        let _ = writeln!(plan, "  {location}: {change}");
    }
    plan
}

fn describe(expected: Expected) -> String {
    match expected {
        Expected::Absent => "nothing exists".to_owned(),
        Expected::Content(hash) => format!("the content is {hash}"),
        Expected::Any => "anything or nothing exists".to_owned(),
    }
}

#[test]
fn plans() {
    insta::glob!("../../../fixtures/vfs/plans", "*.txt", |case| {
        insta::assert_snapshot!(plan(&fs::read_to_string(case).unwrap()));
    });
}
