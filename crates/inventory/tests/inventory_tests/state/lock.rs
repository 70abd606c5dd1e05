//! The lock file.

use std::collections::BTreeMap;

use minds_inventory::{Alias, LOCK_FILE, Lock, LockRefusal, LockedItem, LockedSource};
use minds_sources::{Pin, Prefix, RevisionName};
use minds_vfs::{ContentHash, WorkspacePath};

use crate::sample::{identity, key, path};

fn hash(text: &str) -> ContentHash {
    ContentHash::of(text.as_bytes())
}

fn sample() -> Lock {
    let plain = LockedSource {
        identity: identity("github.com/o/r"),
        url: "https://github.com/o/r".to_owned(),
        alias: Alias::Declared,
        pin: Pin::DefaultBranch,
        roots: None,
        commit: Some("1234567890".repeat(4)),
        tree: Some("abcdef0123".repeat(4)),
        is_whole: true,
        items: [(key("skill:a"), LockedItem { hash: hash("a") })].into(),
    };
    let other = LockedSource {
        identity: identity("local/work/agents"),
        url: "/home/u/work/\"agents\"".to_owned(),
        alias: Alias::Prefix(Prefix::parse("zz").unwrap().unwrap()),
        pin: Pin::Tag(RevisionName::parse("v1").unwrap()),
        roots: Some(vec![WorkspacePath::root(), path("packages/a")]),
        commit: None,
        tree: None,
        is_whole: false,
        items: BTreeMap::new(),
    };
    Lock { sources: vec![plain, other] }
}

#[test]
fn the_file_looks_like_this() {
    insta::assert_snapshot!(sample().write());
}

#[test]
fn written_files_can_be_read() {
    let mut without = sample();
    without.sources[1].alias = Alias::None;
    without.sources[1].roots = Some(Vec::new());
    for lock in [Lock::default(), sample(), without] {
        assert_eq!(Lock::parse(lock.write()), Ok(lock));
    }
}

#[test]
fn invalid_values_are_refused() {
    let text = sample().write();
    let cases = [
        ("version = 1", "version = 2"),
        ("version = 1", ""),
        ("github.com/o/r\"", "github.com/o\""),
        ("name = \"local/work/agents\"", "name = \"github.com/o/r\""),
        ("pin = \"tag\"", "pin = \"tags\""),
        ("revision = \"v1\"", ""),
        ("revision = \"v1\"", "revision = \"-v1\""),
        ("1234567890", "HEAD"),
        ("item = \"skill:a\"", "item = \"skill:../a\""),
        ("item = \"skill:a\"", "item = \"a\""),
        ("sha256:", "sha:"),
        ("whole = true", "hole = true"),
        ("whole = true", "whole = 1"),
        ("as = \"zz\"", "as = \"../zz\""),
        ("packages/a", "../a"),
    ];
    for (old, new) in cases {
        let changed = text.replacen(old, new, 1);
        assert_ne!(changed, text, "{old}");
        assert_eq!(Lock::parse(changed).unwrap_err().file, LOCK_FILE, "{new}");
    }
}

#[test]
fn differences_from_the_lock_are_reported() {
    let lock = sample();
    let source = identity("github.com/o/r");
    let url = "https://github.com/o/r";
    let kind = |result: Result<(), LockRefusal>| result.err().map(|refusal| refusal.kind());
    let found = |name: &str, url: &str| kind(lock.require(&identity(name), url).map(drop));
    assert_eq!(found("github.com/o/r", url), None);
    assert_eq!(found("github.com/o/x", url), Some("not-locked"));
    assert_eq!(found("github.com/o/r", "https://evil.example/o/r"), Some("locked-elsewhere"));

    let locked = lock.require(&source, url).unwrap();
    let (commit, tree) = (locked.commit.as_deref(), locked.tree.as_deref());
    assert_eq!(kind(locked.check_revision(commit, tree)), None);
    assert_eq!(kind(locked.check_revision(None, tree)), Some("locked-revision"));
    assert_eq!(kind(locked.check_revision(commit, Some("0000"))), Some("locked-revision"));

    let items = |pairs: &[(&str, &str)]| pairs.iter().map(|(item, text)| (key(item), hash(text))).collect();
    let kinds = |pairs: &[(&str, &str)]| -> Vec<&str> {
        let refusals = locked.check_items(&items(pairs)).err().unwrap_or_default();
        refusals.iter().map(LockRefusal::kind).collect()
    };
    assert_eq!(kinds(&[("skill:a", "a")]), [""; 0]);
    assert_eq!(kinds(&[("skill:a", "b")]), ["locked-content"]);
    assert_eq!(kinds(&[]), ["locked-item-missing"]);
    assert_eq!(kinds(&[("skill:a", "a"), ("skill:b", "b")]), ["locked-item-extra"]);
    // If a source is only partly installed, items that are not locked are ignored.
    let some = LockedSource { is_whole: false, ..locked.clone() };
    assert_eq!(some.check_items(&items(&[("skill:a", "a"), ("skill:b", "b")])), Ok(()));
}
