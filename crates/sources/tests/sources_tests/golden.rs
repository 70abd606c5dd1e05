//! The findings in each fixture of the source family.

use std::path::Path;

use minds_diagnostics::Problems;
use minds_document::check_hidden_text;
use minds_fixture::{display, read};
use minds_sources::review::{is_found_by_review, review};
use minds_sources::{
    Identity, Item, ItemContent, ItemFile, ManifestFile, Refusal, RefusalKind, SourceItems, rules, scope,
};
use minds_vfs::{FileMode, Location, MountId, Snapshot, SnapshotEntry, WorkspacePath};

use crate::discovery::tree::Tree;

fn check_fixture(case: &Path) -> Problems {
    let snapshot = read(case);
    if is_about_review(case) { review_source(&snapshot) } else { check_manifest(&snapshot) }
}

/// Returns whether a fixture is about the offered items, which only a review reads.
fn is_about_review(case: &Path) -> bool {
    let mut names = case.iter().rev().filter_map(|name| name.to_str());
    let (name, area) = (names.next().unwrap(), names.nth(1).unwrap());
    let code = format!("{area}/{}", name.split("--").next().unwrap());
    let rule = rules::all().find(|rule| rule.code == code);
    rule.is_some_and(is_found_by_review) || name.starts_with("review-") || name.ends_with("--discovered")
}

fn check_manifest(snapshot: &Snapshot) -> Problems {
    let mut problems = Problems::new();
    for place in scope(&MountId::WORKSPACE).files {
        let manifest = ManifestFile::load(snapshot, &place).take(&mut problems);
        assert!(manifest.is_some() || !problems.is_empty(), "nothing was read");
        problems.append(check_hidden_text(manifest.as_ref().and_then(ManifestFile::text)));
    }
    problems
}

fn review_source(snapshot: &Snapshot) -> Problems {
    let mut problems = Problems::new();
    let discovered = Tree::from_files(snapshot).discover().take(&mut problems);
    let prefix = discovered.manifest.as_ref().and_then(|file| file.manifest().prefix().cloned());
    let identity = Identity::parse("local/here/source").unwrap();
    let contents = discovered.catalog.items.iter().map(|item| content(snapshot, item));
    let items = SourceItems::new(identity, prefix, None, discovered.catalog.clone(), contents);
    problems.append(review(&discovered, &items));
    problems
}

/// Returns the files of an item.
fn content(snapshot: &Snapshot, item: &Item) -> Result<ItemContent, Refusal> {
    let file = |entry: &SnapshotEntry| match entry {
        SnapshotEntry::File { bytes, mode } => {
            Some(ItemFile { bytes: bytes.clone(), is_executable: *mode == FileMode::Executable })
        }
        _ => None,
    };
    let place = Location::new(MountId::WORKSPACE, item.path.clone());
    if let Some(file) = snapshot.get(&place).and_then(file) {
        return Ok(ItemContent::File(file));
    }
    let inside = |path: &WorkspacePath| {
        let below = path.as_str().strip_prefix(item.path.as_str())?;
        WorkspacePath::parse(below.trim_start_matches('/')).ok()
    };
    let files = snapshot.iter().filter(|(location, _)| location.path.is_at_or_below(&item.path));
    let files = files.filter_map(|(location, entry)| Some((inside(&location.path)?, file(entry)?)));
    let files: std::collections::BTreeMap<_, _> = files.collect();
    if files.is_empty() {
        return Err(Refusal::new(RefusalKind::BadContent, format!("{}: it has no files", item.key())));
    }
    Ok(ItemContent::Folder(files))
}

#[test]
fn findings() {
    insta::glob!("../../../../fixtures/sources", "*/invalid/*", |case| {
        insta::assert_snapshot!(display(check_fixture(case)));
    });
}

#[test]
fn valid_sources_have_no_findings() {
    let mut found = String::new();
    insta::glob!("../../../../fixtures/sources", "*/valid/*", |case| {
        found += &display(check_fixture(case));
    });
    assert_eq!(found, "");
}
