//! The process dies at every call of an installation: after the next command, everything is old or everything
//! is new, and each item is always one of the two.
//!
//! A separate program, because a process that is being started inherits the locks of its parent for a short
//! time.
#![cfg(unix)]

use crate::install::world;
use crate::support::killed_process;

use std::path::Path;
use std::process::Command;

use minds_fs::faults::{Plan, run};
use minds_fs::install::{Transaction, recover};
use minds_fs::{Root, Sharing};
use minds_vfs::FileMode;

use crate::install_kills::killed_process::{KILLS, is_killed, order};
use crate::install_kills::world::{World, install, lobes, open, path};
use crate::support::Entries;

const COUNT: &str = "MINDS_TEST_COUNT";

/// The process that dies: makes the installation in the environment.
#[test]
fn the_child_process_is_killed() {
    let Some((plan, world)) = order() else { return };
    let _ = run(plan, || install(world.as_ref()));
}

/// The items that are each old or new, with their subtrees.
const THINGS: [&str; 14] = [
    "home/store/skill/a",
    "home/store/skill/b",
    "home/store/skill/gone",
    "home/store/rule/r",
    "home/sources/h/o/r.git",
    "home/manifest.json",
    "home/sources.json",
    "one/skills/b",
    "one/skills/user",
    "one/skills/moved",
    "one/skills/gone",
    "one/rules/deep/er/r.md",
    "two/skills/a",
    "two/skills/b",
];

fn item_files(files: &Entries, name: &str) -> Entries {
    let below =
        |path: &str| path.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
    files.iter().filter(|(path, _)| below(path)).map(|(path, what)| (path.clone(), what.clone())).collect()
}

#[test]
fn a_killed_process_leaves_everything_old_or_everything_new() {
    let undisturbed = World::new();
    let old = undisturbed.files();
    let (done, calls) = run(Plan::none(), || install(undisturbed.path()));
    done.unwrap();
    let new = undisturbed.files();
    let (mut old_count, mut new_count) = (0, 0);
    for at in 1..=calls.len() {
        for death in KILLS {
            let world = World::new();
            let context = format!("{death} call {at}, {}", calls[at - 1]);
            assert!(
                is_killed("install_kills", &format!("{at}:{death}"), &world.path().display().to_string()),
                "{context}"
            );
            let files = world.files();
            for name in THINGS {
                let now = item_files(&files, name);
                assert!(
                    now == item_files(&old, name) || now == item_files(&new, name),
                    "{context}: {name}: {now:#?}"
                );
            }
            let recovered = world.recover();
            assert!(recovered.is_ok(), "{context}: {recovered:?}");
            // A folder of an agent home that was just created may remain.
            let files = world.files_but_new_folders(&old);
            let is_new = files == new;
            assert!(files == old || is_new, "{context}: {files:#?}");
            assert_eq!(world.temporaries(), Vec::<String>::new(), "{context}");
            old_count += usize::from(!is_new);
            new_count += usize::from(is_new);
            install(world.path()).unwrap();
            assert_eq!(world.files(), new, "{context}");
        }
    }
    assert!(old_count > 100 && new_count > 100, "{old_count} {new_count}");
}

/// The recovering process dies as well.
#[test]
fn the_recovering_process_may_die_too() {
    let undisturbed = World::new();
    let old = undisturbed.files();
    let (_, calls) = run(Plan::none(), || install(undisturbed.path()));
    let new = undisturbed.files();
    let kill = |world: &World, at: usize| {
        is_killed("install_kills", &format!("{at}:kill-after"), &world.path().display().to_string());
    };
    for first in (1..=calls.len()).step_by(11) {
        for second in (1..60).step_by(7) {
            let world = World::new();
            kill(&world, first);
            kill(&world, second);
            let recovered = world.recover();
            let context = format!("{first} and {second}");
            assert!(recovered.is_ok(), "{context}: {recovered:?}");
            let files = world.files_but_new_folders(&old);
            assert!(files == old || files == new, "{context}: {files:#?}");
            assert_eq!(world.temporaries(), Vec::<String>::new(), "{context}");
        }
    }
}

/// Increments a counter under the lock of the home, with one installation for each number.
fn count(world: &Path, times: usize) {
    for _ in 0..times {
        let root: Root = open(world);
        let _lock = root.no_follow().lock(&path("lock"), Sharing::Exclusive).unwrap();
        recover(&root, &lobes(world)).unwrap();
        let read = |name: &str| root.no_follow().read(&path(name), 100).map(|file| file.bytes).unwrap();
        let number: usize = String::from_utf8(read("count")).unwrap().parse().unwrap();
        assert_eq!(read("store/skill/counter/SKILL.md"), number.to_string().as_bytes());
        let next = (number + 1).to_string();
        let mut all = Transaction::begin(&root).unwrap();
        let item = all.folder().join("counter").unwrap();
        all.write(&item.join("SKILL.md").unwrap(), next.as_bytes(), FileMode::Regular).unwrap();
        all.put(item, path("store/skill/counter"));
        all.state(path("count"), next.as_bytes(), FileMode::Regular).unwrap();
        all.commit().unwrap();
    }
}

const TIMES: usize = 25;

#[test]
fn count_in_a_child_process() {
    match std::env::var(COUNT) {
        Ok(world) => count(world.as_ref(), TIMES),
        // Run as a normal test: nothing to do.
        Err(_) => assert_eq!(TIMES, 25),
    }
}

#[test]
fn processes_with_the_same_home_wait_for_each_other() {
    const PROCESSES: usize = 4;
    let world = World::new();
    world.write("home/count", "0");
    world.write("home/store/skill/counter/SKILL.md", "0");
    let start = |_| {
        Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "install_kills::count_in_a_child_process"])
            .env(COUNT, world.path())
            .spawn()
            .unwrap()
    };
    let counters: Vec<_> = (0..PROCESSES).map(start).collect();
    for mut counter in counters {
        assert!(counter.wait().unwrap().success());
    }
    let counted = std::fs::read_to_string(world.at("home/count")).unwrap();
    assert_eq!(counted, (PROCESSES * TIMES).to_string());
    assert_eq!(world.temporaries(), Vec::<String>::new());
}
