//! A home with killed installations: every item is old or new, and after the next command all items match the
//! state file.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use minds_fs::Root;
use minds_fs::faults::{Plan, run};
use minds_fs::install::{Transaction, inspect, recover};
use minds_vfs::{FileMode, MountId, WorkspacePath};

use super::killed_processes::{ProcessKills, Work};
use super::tree::{Files, Tree};
use super::victim::{start_worker, wait};
use crate::random::Random;

/// The argument that makes a victim install items.
pub(super) const WORD: &str = "source";
/// The maximum lifetime of a victim in microseconds after its first installation.
const MAX_LIFE: usize = 12_000;
/// Enough installations for that.
const MAX_STEPS: u64 = 200;
/// The maximum call number at which a recovering process is killed.
const MAX_RECOVERY_CALLS: usize = 60;
const NAMES: [&str; 3] = ["alpha", "beta", "gamma"];

/// The installed items, with the number in their text.
type Items = BTreeMap<&'static str, u64>;

/// Returns the items after so many installations. Each installation changes two items: one is added or
/// replaced, and one is added or removed.
fn items(steps: u64) -> Items {
    let mut items = Items::new();
    for number in 1..=steps {
        let (first, second) = names(number);
        items.insert(first, number);
        if number % 4 == 0 {
            items.remove(second);
        } else {
            items.insert(second, number);
        }
    }
    items
}

fn names(number: u64) -> (&'static str, &'static str) {
    let name = |number: u64| NAMES[usize::try_from(number % 3).unwrap_or_default()];
    (name(number), name(number + 1))
}

fn lobes(folder: &Path) -> [PathBuf; 2] {
    [folder.join("one"), folder.join("two")]
}

fn path(text: &str) -> WorkspacePath {
    WorkspacePath::parse(text).expect("the path is valid")
}

/// Opens the home in a folder.
pub(super) fn open(folder: &Path) -> Result<Root, String> {
    Root::open(&folder.join("home"), MountId::new("home")).map_err(|error| error.to_string())
}

/// Makes the installation with this number.
pub(super) fn perform(root: &Root, folder: &Path, number: u64) -> Result<(), String> {
    let done = || {
        let [one, two] = lobes(folder);
        recover(root, &[one.clone(), two.clone()])?;
        let mut all = Transaction::begin(root)?;
        let after = items(number);
        let (first, second) = names(number);
        for name in [first, second] {
            let (store, place) = (path(&format!("store/skill/{name}")), path(&format!("skills/{name}")));
            let found = [inspect(&one, &place)?, inspect(&two, &place)?];
            let [in_one, in_two] = found;
            if !after.contains_key(name) {
                all.remove(store);
                all.unlink(&one, place.clone(), in_one);
                all.unlink(&two, place, in_two);
                continue;
            }
            let item = all.folder().join(name).expect("the path is valid");
            for file in ["SKILL.md", "deep/x"] {
                let file = item.join(file).expect("the path is valid");
                all.write(&file, number.to_string().as_bytes(), FileMode::Regular)?;
            }
            all.put(item, store.clone());
            let target = folder.join("home").join(store.as_str()).display().to_string();
            all.link(&one, place.clone(), &target, in_one);
            all.copy(&two, place, store, in_two);
        }
        all.state(path("state"), number.to_string().as_bytes(), FileMode::Regular)?;
        all.commit().map(|_| ())
    };
    done().map_err(|error: minds_fs::install::InstallError| error.to_string())
}

/// Creates a folder in the state after so many installations.
fn create_tree(steps: u64) -> Tree {
    let tree = Tree::new(&Files::new());
    for (path, what) in files(&tree, steps) {
        let at = tree.path().join(path);
        let made = match what.split_once(' ') {
            Some(("file", text)) => fs::write(at, text),
            Some((_, target)) => symlink(target.trim_start_matches("to "), at),
            None => fs::create_dir(at),
        };
        made.expect("it can be made");
    }
    tree
}

/// Returns the files after so many installations.
fn files(tree: &Tree, steps: u64) -> Files {
    let mut files = Files::new();
    let mut put = |path: String, what: String| drop(files.insert(path, what));
    for folder in ["home", "home/store", "home/store/skill", "one", "one/skills", "two", "two/skills"] {
        put(folder.to_owned(), "directory".to_owned());
    }
    for (name, number) in items(steps) {
        for base in ["home/store/skill", "two/skills"] {
            put(format!("{base}/{name}"), "directory".to_owned());
            put(format!("{base}/{name}/deep"), "directory".to_owned());
            for file in ["SKILL.md", "deep/x"] {
                put(format!("{base}/{name}/{file}"), format!("file {number}"));
            }
        }
        let target = tree.path().join("home/store/skill").join(name);
        put(format!("one/skills/{name}"), format!("link to {}", target.display()));
    }
    if steps > 0 {
        put("home/state".to_owned(), format!("file {steps}"));
    }
    files
}

/// Verifies that every item is in one of two states before recovery, and everything in one of them after the
/// next command; returns that state.
fn check_recovery(tree: &Tree, states: [u64; 2]) -> Result<u64, String> {
    let seen = tree.files();
    for base in ["home/store/skill", "two/skills", "one/skills"] {
        for name in NAMES {
            let prefix = format!("{base}/{name}");
            let subtree = |files: &Files| -> Files {
                let mut files = files.clone();
                files.retain(|path, _| {
                    path.strip_prefix(&prefix).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
                });
                files
            };
            let now = subtree(&seen);
            if states.into_iter().all(|state| subtree(&files(tree, state)) != now) {
                return Err(format!("torn: `{prefix}` is {now:?}"));
            }
        }
    }
    let root = open(tree.path())?;
    recover(&root, &lobes(tree.path())).map_err(|error| format!("it cannot be finished: {error}"))?;
    let now = tree.all_files();
    let state = states.into_iter().find(|state| files(tree, *state) == now);
    state.ok_or_else(|| format!("torn or lost: none of {states:?}: {now:?}"))
}

/// Kills a process before and after each call of several installations, so many times each, and so many at
/// random times.
pub(super) fn kill(program: &Path, each: usize, kills: usize, seed: u64) -> Result<ProcessKills, String> {
    let mut random = Random::new(seed);
    let mut process_kills = ProcessKills::default();
    // The first installation, one that replaces an item, and one that removes an item.
    for before in [0, 4, 7] {
        let tree = create_tree(before);
        let (done, calls) =
            run(Plan::none(), || open(tree.path()).and_then(|root| perform(&root, tree.path(), before + 1)));
        done?;
        for (at, call) in calls.iter().enumerate().skip(1) {
            for time in 0..each {
                let tree = create_tree(before);
                let kill = if time % 2 == 0 { "kill-before" } else { "kill-after" };
                let plan = format!("{at}:{kill}");
                let failed = |why| format!("installation {}, {plan} ({call}): {why}", before + 1);
                let (killed, _) = wait(start_worker(program, WORD, tree.path(), [before, 1], &plan, None));
                if !killed {
                    return Err(failed("it did not die".to_owned()));
                }
                // The recovering process may die as well.
                if time % 4 >= 2 {
                    let plan = format!("{}:{kill}", 1 + random.next_below(MAX_RECOVERY_CALLS));
                    wait(start_worker(program, WORD, tree.path(), [before, 1], &plan, None));
                }
                let state = check_recovery(&tree, [before, before + 1]).map_err(failed)?;
                expect_next_step(&tree, state).map_err(failed)?;
                process_kills.at_calls += 1;
            }
        }
    }
    let work = Work {
        step: "installation",
        max_life: MAX_LIFE,
        create: &|| create_tree(0),
        start: &|tree, progress| start_worker(program, WORD, tree, [0, MAX_STEPS], "none", Some(progress)),
        check_recovery: &|tree, acknowledged| {
            let state = check_recovery(tree, [acknowledged, acknowledged + 1])?;
            expect_next_step(tree, state).map(|()| state)
        },
    };
    process_kills.kill_at_random_times(&work, kills, &mut random)?;
    Ok(process_kills)
}

/// Makes the next installation, and verifies the result.
fn expect_next_step(tree: &Tree, state: u64) -> Result<(), String> {
    let root = open(tree.path())?;
    perform(&root, tree.path(), state + 1)
        .map_err(|error| format!("the next installation fails: {error}"))?;
    check_recovery(tree, [state + 1, state + 1]).map(|_| ())
}
