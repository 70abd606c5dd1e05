//! What is kept for undoing, and what goes.

use std::fs;

use minds_taskdoc::package::{MAX_HISTORY_BYTES, MAX_HISTORY_FILES};
use minds_vfs::ContentHash;

use crate::support::{World, change, package, set};

fn kept(world: &World) -> Vec<(String, u64)> {
    let entries = fs::read_dir(world.at(".history")).unwrap().map(|entry| entry.unwrap());
    entries.map(|entry| (entry.file_name().into_string().unwrap(), entry.metadata().unwrap().len())).collect()
}

fn name(id: ContentHash) -> String {
    id.to_string().replace(':', "-")
}

#[test]
fn the_oldest_contents_are_removed_after_those_without_an_entry() {
    let world = World::new();
    let strangers: Vec<String> = (0..30u8).map(|number| name(ContentHash::of(&[number]))).collect();
    for stranger in &strangers {
        fs::write(world.at(&format!(".history/{stranger}")), "unrelated contents").unwrap();
    }
    fs::write(world.at(".history/notes.txt"), "foreign contents").unwrap();
    let root = world.open();
    let mut gone = 0;
    for number in 0..MAX_HISTORY_FILES + 120 {
        change(&package(&root), ["goals", "progress"][number % 2], set(&format!("text {number}"))).unwrap();
        let now = kept(&world).len() - 1;
        assert!(now <= MAX_HISTORY_FILES, "{number}: {now}");
        gone += usize::from(now < number);
    }
    assert!(gone > 0);
    let journal = package(&root).journal().unwrap();
    let there: Vec<bool> = journal
        .entries
        .iter()
        .map(|entry| package(&root).previous_content(entry).unwrap().is_some())
        .collect();
    // The first two changes replaced nothing, then follow removed contents, then saved ones.
    let first = there.iter().skip(2).position(|is_there| *is_there).unwrap() + 2;
    assert!(there[first..].iter().all(|is_there| *is_there));
    assert!(there.len() - first >= MAX_HISTORY_FILES - 64, "{}", there.len() - first);
    let now = kept(&world);
    assert!(strangers.iter().all(|stranger| now.iter().all(|(name, _)| name != stranger)));
    assert!(now.iter().any(|(name, _)| name == "notes.txt"));
    for (entry, is_there) in journal.entries.iter().zip(&there).skip(2).filter(|(_, is_there)| **is_there) {
        let content = package(&root).previous_content(entry).unwrap().unwrap();
        assert_eq!((Some(ContentHash::of(&content)), *is_there), (entry.before, true));
    }
}

#[test]
fn large_contents_are_bounded_by_their_bytes() {
    let world = World::new();
    let root = world.open();
    let size = 4 * 1024 * 1024 - 16;
    for number in 0..20 {
        change(&package(&root), "goals", set(&format!("{number:08}").repeat(size / 8))).unwrap();
        let bytes: u64 = kept(&world).iter().map(|(_, size)| size).sum();
        assert!(bytes <= MAX_HISTORY_BYTES, "{number}: {bytes}");
    }
    assert!(kept(&world).len() >= 13, "{}", kept(&world).len());
    let journal = package(&root).journal().unwrap();
    assert!(package(&root).previous_content(&journal.entries[1]).unwrap().is_none());
    assert!(package(&root).previous_content(&journal.entries[19]).unwrap().is_some());
}

/// A content that cannot be removed does not keep anybody from changing anything.
#[test]
fn files_that_cannot_be_removed_are_kept() {
    let world = World::new();
    for number in 0..MAX_HISTORY_FILES + 10 {
        let id = ContentHash::of(&number.to_le_bytes());
        let file = world.at(&format!(".history/{}", name(id)));
        fs::write(&file, "unrelated contents").unwrap();
        let mut permissions = fs::metadata(&file).unwrap().permissions();
        permissions.set_readonly(true);
        fs::set_permissions(&file, permissions).unwrap();
    }
    let root = world.open();
    change(&package(&root), "goals", set("one")).unwrap();
    change(&package(&root), "goals", set(&"large ".repeat(20_000))).unwrap();
    change(&package(&root), "goals", set("three")).unwrap();
    assert!(kept(&world).len() > MAX_HISTORY_FILES);
}
