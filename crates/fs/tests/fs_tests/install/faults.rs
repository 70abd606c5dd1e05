//! Every call fails once.

use std::collections::BTreeSet;

use minds_fs::faults::{Fault, Plan, run};
use minds_fs::install::{Recovery, recover};

use crate::install::world::{World, install, lobes};
use crate::support::Entries;

const INTERRUPTED: i32 = 4;
const INPUT_OUTPUT: i32 = 5;
const NO_ACCESS: i32 = 13;
const NOT_SUPPORTED: i32 = 22;
const NO_SPACE: i32 = 28;
const READ_ONLY: i32 = 30;

/// Returns the states before and after, and the calls in between.
fn install_without_faults() -> (Entries, Entries, Vec<&'static str>) {
    let world = World::new();
    let old = world.files();
    let (done, calls) = run(Plan::none(), || install(world.path()));
    assert_eq!(done.map(|outcome| outcome.remains), Ok(Vec::new()));
    assert_eq!(world.temporaries(), Vec::<String>::new());
    (old, world.files(), calls)
}

fn check(plan: Plan, old: &Entries, new: &Entries) -> bool {
    let world = World::new();
    let (done, made) = run(plan, || install(world.path()));
    let context = format!("{plan:?}: {done:?}, {made:?}");
    let is_lasting = format!("{plan:?}").contains("FailFrom");
    let files = || if is_lasting { world.files_but_new_folders(old) } else { world.files() };
    let now = files();
    let has_failed = match &done {
        Ok(_) => {
            assert_eq!(&now, new, "{context}");
            false
        }
        Err(text) if text.contains("[unconfirmed]") => {
            assert_eq!(&now, new, "{context}");
            false
        }
        Err(text) if text.contains("[half-done]") => false,
        Err(_) => {
            assert_eq!(&now, old, "{context}");
            true
        }
    };
    let recovered = world.recover();
    assert!(recovered.is_ok(), "{context}: {recovered:?}");
    let settled = files();
    assert!(settled == *old && done.is_err() || settled == *new, "{context}: {settled:#?}");
    assert!(!has_failed || settled == *old, "{context}");
    // Entries that could not be deleted at the end are reported.
    let remains = done.as_ref().map_or(0, |outcome| outcome.remains.len());
    let left: Vec<String> = world.temporaries();
    assert!(left.is_empty() || remains > 0 || done.is_err(), "{context}: {left:?}");
    assert!(world.path().join("home/.minds-install").symlink_metadata().is_err(), "{context}");
    has_failed
}

#[test]
fn a_failure_leaves_everything_unchanged() {
    let (old, new, calls) = install_without_faults();
    let mut failed = 0;
    for at in 1..=calls.len() {
        let number = u64::try_from(at).unwrap();
        for errno in [NO_SPACE, INPUT_OUTPUT, READ_ONLY, NO_ACCESS] {
            failed += usize::from(check(Plan::at(number, Fault::Fail(errno)), &old, &new));
        }
        for errno in [NO_SPACE, INPUT_OUTPUT] {
            failed += usize::from(check(Plan::at(number, Fault::FailFrom(errno)), &old, &new));
        }
    }
    assert!(failed > calls.len() * 3, "{failed} of {}", calls.len());
    let names: BTreeSet<_> = calls.into_iter().collect();
    for expected in ["fdatasync", "fsync", "mkdirat", "renameat2", "symlinkat", "syncfs", "unlinkat", "write"]
    {
        assert!(names.contains(expected), "the call {expected} is not made");
    }
}

#[test]
fn an_installation_interrupted_by_a_signal_completes() {
    let (_, new, calls) = install_without_faults();
    for at in 1..=calls.len() {
        let world = World::new();
        let plan = Plan::at(u64::try_from(at).unwrap(), Fault::Fail(INTERRUPTED));
        let (done, _) = run(plan, || install(world.path()));
        assert!(done.is_ok(), "{at}: {done:?}");
        assert_eq!(world.files(), new, "{at}");
    }
}

/// For file systems that can neither exchange names nor rename without replacing, or cannot be synced as a
/// whole.
#[test]
fn a_file_system_with_fewer_features_gives_the_same_result() {
    let (_, new, _) = install_without_faults();
    for call in ["renameat2", "syncfs"] {
        let world = World::new();
        let (done, _) = run(Plan::fail_every(call, NOT_SUPPORTED), || install(world.path()));
        assert!(done.is_ok(), "{call}: {done:?}");
        assert_eq!(world.files(), new, "{call}");
        assert_eq!(world.temporaries(), Vec::<String>::new(), "{call}");
    }
}

#[test]
fn a_read_only_agent_home_prevents_all_changes() {
    for (call, errno) in [("symlinkat", READ_ONLY), ("symlinkat", NO_ACCESS), ("syncfs", INPUT_OUTPUT)] {
        let world = World::new();
        let old = world.files();
        let (done, _) = run(Plan::fail_every(call, errno), || install(world.path()));
        assert!(done.is_err(), "{call}");
        assert_eq!(world.files(), old, "{call}");
        assert_eq!(world.temporaries(), Vec::<String>::new(), "{call}");
    }
}

/// The recovering process is interrupted as well.
#[test]
fn a_recovery_survives_another_failure() {
    let (old, new, calls) = install_without_faults();
    let mut outcomes = BTreeSet::new();
    for first in (1..=calls.len()).step_by(7) {
        for second in (1..60).step_by(3) {
            let world = World::new();
            let left = Plan::at(u64::try_from(first).unwrap(), Fault::FailFrom(INPUT_OUTPUT));
            let _ = run(left, || install(world.path()));
            let disturbed = Plan::at(second, Fault::FailFrom(INPUT_OUTPUT));
            let root = world.root();
            let (_, made) = run(disturbed, || recover(&root, &lobes(world.path())).map(|_| ()));
            let context = format!("{first} and {second}: {made:?}");
            let settled = world.recover();
            assert!(settled.is_ok(), "{context}: {settled:?}");
            let files = world.files_but_new_folders(&old);
            assert!(files == old || files == new, "{context}: {files:#?}");
            outcomes.insert(files == new);
            if made.len() < usize::try_from(second).unwrap() {
                break;
            }
        }
    }
    assert!(outcomes.contains(&false));
}

#[test]
fn a_successful_installation_needs_no_recovery() {
    let world = World::new();
    install(world.path()).unwrap();
    let new = world.files();
    assert_eq!(world.recover().unwrap(), Recovery::Nothing);
    assert_eq!(world.files(), new);
    // The same installation again changes only the inode numbers.
    install(world.path()).unwrap();
    assert_eq!(world.files(), new);
}
