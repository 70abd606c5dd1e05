//! Readers during changes: they never see a partial section or journal.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use minds_taskdoc::{Language, Section, effective_text};

use crate::support::{World, change, package, set, verify};

const WRITERS: usize = 3;
const CHANGES: usize = 120;

/// A string that contains its number in each line, of one page or of many.
fn text(writer: usize, number: usize) -> String {
    let lines = if number.is_multiple_of(3) { 5_000 } else { 3 };
    format!("{writer} {number}\n").repeat(lines)
}

fn expect_whole(body: &str) {
    let first = body.lines().next().unwrap_or_default();
    let (writer, number) = first.split_once(' ').unwrap();
    assert_eq!(body, text(writer.parse().unwrap(), number.parse().unwrap()));
}

#[test]
fn readers_see_complete_sections_and_journals() {
    let world = World::new().changed(&[("goals", set(&text(9, 1))), ("ux/list", set(&text(9, 1)))]);
    let (running, reads) = (AtomicUsize::new(WRITERS), AtomicUsize::new(0));
    thread::scope(|scope| {
        for writer in 0..WRITERS {
            let (world, running) = (&world, &running);
            scope.spawn(move || {
                let root = world.open();
                for number in 0..CHANGES {
                    let section = if number % 2 == 0 { "goals" } else { "ux/list" };
                    change(&package(&root), section, set(&text(writer, number))).unwrap();
                }
                running.fetch_sub(1, Ordering::SeqCst);
            });
        }
        for _ in 0..2 {
            let (world, running, reads) = (&world, &running, &reads);
            scope.spawn(move || {
                let root = world.open();
                let package = package(&root);
                let list = Section::parse_qualified("ux/list").unwrap();
                loop {
                    let is_last = running.load(Ordering::SeqCst) == 0;
                    expect_whole(&package.section(&list).unwrap().unwrap().text);
                    let text = effective_text(&package.bodies(), Language::English, 1 << 20).text;
                    let goals =
                        text.split_once("## Goals\n").unwrap().1.split_once("\n\n## Constraints").unwrap().0;
                    expect_whole(&format!("{goals}\n").replace("\n\n", "\n"));
                    let journal = package.journal().unwrap();
                    assert_eq!(journal.problems, []);
                    assert_eq!(journal.heads().0.len(), 1);
                    reads.fetch_add(1, Ordering::SeqCst);
                    if is_last {
                        break;
                    }
                }
            });
        }
    });
    assert!(reads.load(Ordering::SeqCst) >= 2);
    assert_eq!(verify(&package(&world.open()), "at the end"), 2 + WRITERS * CHANGES);
    assert_eq!(world.left(), Vec::<String>::new());
}
