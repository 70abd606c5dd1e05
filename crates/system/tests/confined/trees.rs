//! Removing a directory takes what was judged, and nothing that was not.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use minds_system::faults::{Plan, run};
use minds_system::{FileErrorKind, Root};

use crate::tree::{Tree, path};

/// Judges a directory, lets something happen, and removes it.
fn remove(tree: &Tree, meanwhile: impl FnOnce(&Tree)) -> Result<(), FileErrorKind> {
    let place = tree.root.scoped().entry(&path("dir")).unwrap();
    let judged = place.walk(100).unwrap();
    meanwhile(tree);
    place.remove_tree(&judged).map_err(|error| error.kind())
}

#[test]
fn what_came_since_it_was_judged_keeps_all_of_it() {
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
fn what_nobody_may_write_keeps_all_of_it() {
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
fn what_is_in_use_stays() {
    let tree = Tree::new();
    let before = tree.inside();
    // A lock on the directory itself, which any process that may read it can have, is none of ours.
    fs::create_dir(tree.place("locked")).unwrap();
    let held = fs::File::open(tree.place("locked")).unwrap();
    held.lock().unwrap();
    let judged = tree.root.scoped().walk(&path("locked"), 10).unwrap();
    tree.root.scoped().entry(&path("locked")).unwrap().remove_tree(&judged).unwrap();
    let claim = fs::File::create(tree.place(".dir.minds-new")).unwrap();
    claim.lock().unwrap();
    let (removed, _) = run(Plan::none().with_simulated_time(), || remove(&tree, |_| {}));
    assert!(matches!(removed, Err(FileErrorKind::Locked(_))), "{removed:?}");
    drop(claim);
    fs::remove_file(tree.place(".dir.minds-new")).unwrap();
    assert_eq!(tree.inside(), before);
}

#[test]
fn what_a_process_left_behind_is_not_listed_and_goes_with_the_next_change_unless_it_is_in_use() {
    let tree = Tree::new();
    let outside = tree.outside();
    fs::create_dir_all(tree.place(".old.minds-gone/deep")).unwrap();
    fs::write(tree.place(".old.minds-gone/deep/file"), "old").unwrap();
    std::os::unix::fs::symlink("../../outside", tree.place(".old.minds-gone/out")).unwrap();
    let listing = tree.root.scoped().walk(&path("."), 100).unwrap();
    assert!(!listing.entries.iter().any(|entry| entry.real.as_str().contains("minds-gone")));
    let held = fs::File::create(tree.place(".old.minds-new")).unwrap();
    held.lock().unwrap();
    tree.root.scoped().make_directory(&path("new")).unwrap();
    assert!(tree.place(".old.minds-gone/deep/file").exists());
    drop(held);
    let root = Root::open(&tree.place(""), minds_paths::MountId::WORKSPACE).unwrap();
    root.scoped().make_directory(&path("newer")).unwrap();
    assert!(!tree.place(".old.minds-gone").exists());
    assert_eq!(tree.outside(), outside);
}

#[test]
fn what_somebody_put_in_the_place_of_the_temporary_name_is_not_followed() {
    let tree = Tree::new();
    let outside = tree.outside();
    tree.root.scoped().make_directory(&path("swept")).unwrap();
    std::os::unix::fs::symlink("../outside", tree.place(".dir.minds-gone")).unwrap();
    assert_eq!(remove(&tree, |_| {}), Ok(()));
    assert!(!tree.place("dir").exists() && fs::symlink_metadata(tree.place(".dir.minds-gone")).is_err());
    assert_eq!(tree.outside(), outside);
}
