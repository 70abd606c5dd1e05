//! Removing a directory removes exactly what was checked.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use minds_fs::faults::{Plan, run};
use minds_fs::{FileErrorKind, Root};

use crate::confined::tree::{Tree, path};

/// Checks a directory, runs `meanwhile`, and removes the directory.
fn remove(tree: &Tree, meanwhile: impl FnOnce(&Tree)) -> Result<(), FileErrorKind> {
    let place = tree.root.no_follow().entry(&path("dir")).unwrap();
    let judged = place.walk(100).unwrap();
    meanwhile(tree);
    place.remove_tree(&judged).map_err(|error| error.kind())
}

#[test]
fn entries_added_after_the_check_prevent_the_removal() {
    let changes: [fn(&Tree); 4] = [
        |tree| fs::write(tree.place("dir/new"), "new").unwrap(),
        |tree| fs::create_dir(tree.place("dir/deep/new")).unwrap(),
        |tree| fs::remove_file(tree.place("dir/inner")).unwrap(),
        |tree| {
            fs::remove_file(tree.place("dir/inner")).unwrap();
            fs::create_dir(tree.place("dir/inner")).unwrap();
        },
    ];
    for change in changes {
        let (tree, mut before) = (Tree::new(), None);
        let removed = remove(&tree, |tree| {
            change(tree);
            before = Some(tree.inside());
        });
        assert_eq!(removed, Err(FileErrorKind::Changed));
        assert_eq!(Some(tree.inside()), before);
    }
}

#[test]
fn read_only_entries_prevent_the_removal() {
    for (at, bits) in [("dir/inner", 0o444), ("dir/deep", 0o555), ("dir", 0o555)] {
        let tree = Tree::new();
        fs::write(tree.place("dir/deep/file"), "deep").unwrap();
        fs::set_permissions(tree.place(at), fs::Permissions::from_mode(bits)).unwrap();
        let before = tree.inside();
        assert_eq!(remove(&tree, |_| {}), Err(FileErrorKind::ReadOnly), "{at}");
        assert_eq!(tree.inside(), before, "{at}");
        fs::set_permissions(tree.place(at), fs::Permissions::from_mode(0o755)).unwrap();
    }
}

#[test]
fn directories_in_use_are_kept() {
    let tree = Tree::new();
    let before = tree.inside();
    // A lock on the directory itself, which any process that can read it can hold, does not count.
    fs::create_dir(tree.place("locked")).unwrap();
    let held = fs::File::open(tree.place("locked")).unwrap();
    held.lock().unwrap();
    let judged = tree.root.no_follow().walk(&path("locked"), 10).unwrap();
    tree.root.no_follow().entry(&path("locked")).unwrap().remove_tree(&judged).unwrap();
    let claim = fs::File::create(tree.place(".dir.minds-new")).unwrap();
    claim.lock().unwrap();
    let (removed, _) = run(Plan::none().with_simulated_time(), || remove(&tree, |_| {}));
    assert!(matches!(removed, Err(FileErrorKind::Locked(_))), "{removed:?}");
    drop(claim);
    fs::remove_file(tree.place(".dir.minds-new")).unwrap();
    assert_eq!(tree.inside(), before);
}

#[test]
fn leftovers_are_not_listed_and_removed_by_the_next_change_unless_in_use() {
    let tree = Tree::new();
    let outside = tree.outside();
    fs::create_dir_all(tree.place(".old.minds-gone/deep")).unwrap();
    fs::write(tree.place(".old.minds-gone/deep/file"), "old").unwrap();
    std::os::unix::fs::symlink("../../outside", tree.place(".old.minds-gone/out")).unwrap();
    let listing = tree.root.no_follow().walk(&path("."), 100).unwrap();
    assert!(!listing.entries.iter().any(|entry| entry.real.as_str().contains("minds-gone")));
    let held = fs::File::create(tree.place(".old.minds-new")).unwrap();
    held.lock().unwrap();
    tree.root.no_follow().make_directory(&path("new")).unwrap();
    assert!(tree.place(".old.minds-gone/deep/file").exists());
    drop(held);
    let root = Root::open(&tree.place(""), minds_vfs::MountId::WORKSPACE).unwrap();
    root.no_follow().make_directory(&path("newer")).unwrap();
    assert!(!tree.place(".old.minds-gone").exists());
    assert_eq!(tree.outside(), outside);
}

#[test]
fn a_foreign_link_at_the_temporary_name_is_not_followed() {
    let tree = Tree::new();
    let outside = tree.outside();
    tree.root.no_follow().make_directory(&path("swept")).unwrap();
    std::os::unix::fs::symlink("../outside", tree.place(".dir.minds-gone")).unwrap();
    assert_eq!(remove(&tree, |_| {}), Ok(()));
    assert!(!tree.place("dir").exists() && fs::symlink_metadata(tree.place(".dir.minds-gone")).is_err());
    assert_eq!(tree.outside(), outside);
}
