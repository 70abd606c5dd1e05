//! Installed and refused items.

use std::fs;
use std::os::unix::fs::{MetadataExt as _, symlink};

use minds_fs::Root;
use minds_fs::install::{InstallErrorKind, PlaceState, Transaction, inspect, recover};
use minds_vfs::{FileMode, MountId};

use crate::install::world::{World, install, lobes, path};

#[test]
fn all_planned_items_are_installed() {
    let world = World::new();
    install(world.path()).unwrap();
    let files = world.files();
    let what = |name: &str| files.get(name).map(|(_, what)| what.as_str());
    let cases = [
        ("home/store/skill/a/SKILL.md", Some("new a")),
        ("home/store/skill/a/deep/x", None),
        ("home/store/skill/b/SKILL.md", Some("new b")),
        ("home/store/skill/gone", None),
        ("home/store/rule/same", Some("same")),
        ("home/sources/h/o/r.git/HEAD", Some("new head")),
        ("home/manifest.json", Some("new")),
        ("one/skills/a/SKILL.md", None),
        ("one/skills/a", Some("link to @/home/store/skill/a")),
        ("one/skills/b", Some("link to @/home/store/skill/b")),
        ("one/skills/user", Some("link to @/home/store/skill/b")),
        ("one/skills/moved", Some("link to @/home/store/skill/a")),
        ("one/skills/gone", None),
        ("one/rules/same.md", Some("link to @/home/store/rule/same")),
        ("one/rules/deep/er/r.md", Some("link to @/home/store/rule/r")),
        ("one/other", Some("the user's own")),
        ("two/skills/a/SKILL.md", Some("new a")),
        ("two/skills/b/SKILL.md", Some("new b")),
        ("two/rules/r.md", Some("new r")),
    ];
    for (name, expected) in cases {
        assert_eq!(what(name), expected, "{name}");
    }
    let mode = |name: &str| files[name].0 & 0o777;
    assert_eq!(mode("two/skills/a/bin/run") & 0o100, 0o100);
    assert_eq!(mode("home/store/skill/a/bin/run") & 0o100, 0o100);
    assert_eq!(mode("home/sources.json"), 0o600);
}

/// A step for one place whose entry changes after it was inspected.
#[track_caller]
fn expect_changed(
    prepare: impl FnOnce(&World),
    plan: impl FnOnce(&World, &mut Transaction<'_>),
    kind: InstallErrorKind,
) {
    let world = World::new();
    prepare(&world);
    let before = world.files();
    let root = world.root();
    let mut all = Transaction::begin(&root).unwrap();
    let staged = all.folder().join("x").unwrap();
    all.write(&staged, b"x", FileMode::Regular).unwrap();
    all.put(staged, path("store/rule/x"));
    all.state(path("manifest.json"), b"x", FileMode::Regular).unwrap();
    plan(&world, &mut all);
    let error = all.commit().unwrap_err();
    assert_eq!(error.kind(), kind, "{error}");
    assert_eq!(world.files(), before);
    assert_eq!(world.temporaries(), Vec::<String>::new());
}

#[test]
fn externally_changed_entries_are_kept() {
    let changed = InstallErrorKind::Changed;
    let one = |world: &World| world.at("one");
    // The user created a file.
    expect_changed(
        |world| world.write("one/skills/b", "mine"),
        |world, all| all.link(&one(world), path("skills/b"), "/x", PlaceState::Nothing),
        changed,
    );
    // The link to be removed has another target now.
    expect_changed(
        |world| {
            fs::remove_file(world.at("one/skills/gone")).unwrap();
            symlink("/elsewhere", world.at("one/skills/gone")).unwrap();
        },
        |world, all| {
            let found = PlaceState::Link(world.at("home/store/skill/gone").display().to_string());
            all.unlink(&one(world), path("skills/gone"), found);
        },
        changed,
    );
    // A copy was edited since.
    expect_changed(
        |_| {},
        |world, all| {
            let found = inspect(&world.at("two"), &path("skills/a")).unwrap();
            world.write("two/skills/a/SKILL.md", "edited");
            all.unlink(&world.at("two"), path("skills/a"), found);
            world.write("two/skills/a/SKILL.md", "old a");
            fs::rename(world.at("two/skills/a/SKILL.md"), world.at("two/skills/a/other")).unwrap();
            fs::rename(world.at("two/skills/a/other"), world.at("two/skills/a/SKILL.md")).unwrap();
            world.write("two/skills/a/more", "x");
            fs::remove_file(world.at("two/skills/a/more")).unwrap();
            all.link(&one(world), path("skills/user"), "/x", PlaceState::Link("/x".to_owned()));
        },
        changed,
    );
}

#[test]
fn an_edited_copy_has_another_state() {
    let world = World::new();
    let two = world.at("two");
    let found = || inspect(&two, &path("skills/a")).unwrap();
    let first = found();
    assert!(matches!(first, PlaceState::Content(_)));
    world.write("two/skills/a/SKILL.md", "edited");
    assert_ne!(found(), first);
    world.write("two/skills/a/SKILL.md", "old a");
    assert_eq!(found(), first);
    world.write("two/skills/a/more", "");
    assert_ne!(found(), first);
    fs::remove_file(world.at("two/skills/a/more")).unwrap();
    fs::rename(world.at("two/skills/a/SKILL.md"), world.at("two/skills/a/SKILL.MD")).unwrap();
    assert_ne!(found(), first);
    assert_eq!(inspect(&two, &path("skills/none")).unwrap(), PlaceState::Nothing);
    assert_eq!(inspect(&two, &path("none/none")).unwrap(), PlaceState::Nothing);
    assert_eq!(inspect(&world.at("none"), &path("skills/a")).unwrap(), PlaceState::Nothing);
    assert_eq!(inspect(&two, &path("skills")).unwrap_err().kind(), InstallErrorKind::Place);
}

#[test]
fn entries_that_cannot_be_compared_are_never_replaced() {
    let world = World::new();
    let pipe = world.at("one/skills/pipe");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    assert_eq!(inspect(&world.at("one"), &path("skills/pipe")).unwrap(), PlaceState::Other);
    let root = world.root();
    let mut all = Transaction::begin(&root).unwrap();
    all.link(&world.at("one"), path("skills/pipe"), "/x", PlaceState::Other);
    assert_eq!(all.commit().unwrap_err().kind(), InstallErrorKind::Changed);
    assert!(pipe.exists());
}

#[test]
fn invalid_places_are_refused() {
    let place = InstallErrorKind::Place;
    expect_changed(
        |_| {},
        |world, all| all.link(&world.at("one"), path("top"), "/x", PlaceState::Nothing),
        place,
    );
    expect_changed(
        |_| {},
        |_, all| all.link("relative".as_ref(), path("skills/x"), "/x", PlaceState::Nothing),
        place,
    );
    expect_changed(
        |_| {},
        |world, all| all.link(&world.at("one"), path("skills/a:b"), "/x", PlaceState::Nothing),
        place,
    );
    expect_changed(
        |_| {},
        |world, all| all.link(&world.at("one"), path("skills/CON"), "/x", PlaceState::Nothing),
        place,
    );
    expect_changed(|_| {}, |_, all| all.remove(path("store/.minds-install")), place);
    // Only staged files can be installed.
    let outside = InstallErrorKind::File(minds_fs::FileErrorKind::Outside);
    expect_changed(|_| {}, |_, all| all.put(path("store/skill/a"), path("store/skill/stolen")), outside);
    // Two items for the same place.
    expect_changed(|_| {}, |_, all| all.remove(path("store/rule/x")), place);
    expect_changed(
        |_| {},
        |world, all| {
            for target in ["/x", "/y"] {
                all.link(&world.at("one"), path("skills/twice"), target, PlaceState::Nothing);
            }
        },
        place,
    );
}

#[test]
fn nothing_is_created_below_a_link() {
    // The link of one item is not the folder of another.
    let through_link = |world: &World, all: &mut Transaction<'_>| {
        all.link(&world.at("one"), path("skills/a/inside"), "/x", PlaceState::Nothing);
    };
    let link = InstallErrorKind::File(minds_fs::FileErrorKind::Link);
    expect_changed(|_| {}, through_link, link);
    // The home does not lead outside either.
    let outside = |world: &World| {
        fs::create_dir_all(world.at("outside")).unwrap();
        symlink(world.at("outside"), world.at("home/store/tool")).unwrap();
    };
    expect_changed(
        outside,
        |_, all| {
            let staged = all.folder().join("y").unwrap();
            all.write(&staged, b"y", FileMode::Regular).unwrap();
            all.put(staged, path("store/tool/y"));
        },
        link,
    );
}

#[test]
fn the_folder_of_an_agent_home_may_be_a_link() {
    let world = World::new();
    fs::create_dir_all(world.at("dotfiles")).unwrap();
    fs::rename(world.at("one/skills"), world.at("dotfiles/skills")).unwrap();
    symlink(world.at("dotfiles/skills"), world.at("one/skills")).unwrap();
    install(world.path()).unwrap();
    let target = fs::read_link(world.at("dotfiles/skills/b")).unwrap();
    assert_eq!(target, world.at("home/store/skill/b"));
}

#[test]
fn a_missing_agent_home_is_created_and_removed_after_a_failure() {
    let world = World::new();
    let lobe = world.at("new/agents");
    let link = |target: &str, twice: bool| {
        let root = world.root();
        let mut all = Transaction::begin(&root).unwrap();
        all.link(&lobe, path("skills/x"), target, PlaceState::Nothing);
        if twice {
            all.link(&lobe, path("skills/x"), target, PlaceState::Nothing);
        }
        all.commit()
    };
    assert!(link("/x", true).is_err());
    assert!(!world.at("new").exists());
    link("/x", false).unwrap();
    assert_eq!(fs::read_link(lobe.join("skills/x")).unwrap().to_str(), Some("/x"));
}

#[test]
fn staged_files_stay_below_their_folder_and_are_removed_with_it() {
    let world = World::new();
    let before = world.files();
    let root = world.root();
    {
        let mut all = Transaction::begin(&root).unwrap();
        let folder = all.folder().clone();
        for name in ["store/x", "x", ".staging/x", folder.as_str()] {
            assert!(all.write(&path(name), b"x", FileMode::Regular).is_err(), "{name}");
            assert!(all.make_directory(&path(name)).is_err(), "{name}");
        }
        for name in ["a:b", "CON", "a "] {
            assert!(all.write(&folder.join(name).unwrap(), b"x", FileMode::Regular).is_err(), "{name}");
        }
        let one = folder.join("one").unwrap();
        all.write(&one, b"x", FileMode::Regular).unwrap();
        assert!(all.write(&one, b"y", FileMode::Regular).is_err());
        all.make_directory(&folder.join("empty").unwrap()).unwrap();
        all.make_directory(&folder.join("empty").unwrap()).unwrap();
    }
    assert_eq!(world.files(), before);
    assert_eq!(world.temporaries(), Vec::<String>::new());
    // A plan for files that were not staged is refused.
    let mut all = Transaction::begin(&root).unwrap();
    let none = all.folder().join("none").unwrap();
    all.put(none, path("store/skill/none"));
    assert!(all.commit().is_err());
    assert!(Transaction::begin(&root).unwrap().commit().is_ok());
    assert_eq!(world.files(), before);
}

#[test]
fn many_files_are_synced_together() {
    let world = World::new();
    let root = world.root();
    let mut all = Transaction::begin(&root).unwrap();
    for number in 0..200 {
        let item = all.folder().join(&format!("s{number}")).unwrap();
        all.write(&item.join("SKILL.md").unwrap(), b"x", FileMode::Regular).unwrap();
        all.put(item, path(&format!("store/skill/s{number}")));
    }
    let (done, calls) = minds_fs::faults::run(minds_fs::faults::Plan::none(), || all.commit());
    done.unwrap();
    let count = |name: &str| calls.iter().filter(|call| **call == name).count();
    assert_eq!((count("syncfs"), count("fdatasync")), (1, 1));
    assert!(count("fsync") < 8, "{}", count("fsync"));
    assert_eq!(fs::read_dir(world.at("home/store/skill")).unwrap().count(), 202);
}

/// Runs only if another file system is available.
#[test]
fn an_agent_home_may_be_on_another_file_system() {
    let world = World::new();
    let other = tempfile::tempdir().unwrap();
    let device = |path: &std::path::Path| fs::metadata(path).unwrap().dev();
    if device(other.path()) == device(world.path()) {
        return;
    }
    let root = world.root();
    for round in ["one", "two"] {
        let mut all = Transaction::begin(&root).unwrap();
        let item = all.folder().join("x").unwrap();
        all.write(&item.join("SKILL.md").unwrap(), round.as_bytes(), FileMode::Regular).unwrap();
        all.put(item, path("store/skill/x"));
        let found = |name: &str| inspect(other.path(), &path(name)).unwrap();
        all.copy(other.path(), path("skills/x"), path("store/skill/x"), found("skills/x"));
        let target = world.at("home/store/skill/x").display().to_string();
        all.link(other.path(), path("skills/link"), &target, found("skills/link"));
        all.commit().unwrap();
        assert_eq!(fs::read_to_string(other.path().join("skills/x/SKILL.md")).unwrap(), round);
        assert_eq!(fs::read_to_string(other.path().join("skills/link/SKILL.md")).unwrap(), round);
    }
}

#[test]
fn one_home_is_not_another() {
    let world = World::new();
    let other = World::new();
    let root = Root::open(&other.at("home"), MountId::new("home")).unwrap();
    assert!(recover(&root, &lobes(world.path())).is_ok());
    assert!(install(world.path()).is_ok());
}

#[test]
fn a_step_can_change_an_entry_of_an_earlier_step() {
    let world = World::new();
    let root = world.root();
    let mut all = Transaction::begin(&root).unwrap();
    let (outer, inner) = (all.folder().join("outer").unwrap(), all.folder().join("inner").unwrap());
    all.write(&outer.join("SKILL.md").unwrap(), b"outer", FileMode::Regular).unwrap();
    all.write(&inner, b"inner", FileMode::Regular).unwrap();
    all.put(outer, path("store/skill/a"));
    all.put(inner, path("store/skill/a/inner"));
    all.commit().unwrap();
    let files = world.files();
    let what = |name: &str| files.get(name).map(|(_, what)| what.as_str());
    assert_eq!(what("home/store/skill/a/SKILL.md"), Some("outer"));
    assert_eq!(what("home/store/skill/a/inner"), Some("inner"));
    assert_eq!(what("home/store/skill/a/deep/x"), None);
    assert_eq!(world.temporaries(), Vec::<String>::new());
}
