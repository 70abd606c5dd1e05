//! What a command leaves that dies in the middle of several changes: the next one finishes or undoes it, says
//! so, and does its own work afterwards.
#![allow(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test reads what it needs, and may stop at once"
)]

#[allow(dead_code, reason = "other tests use the rest of it")]
#[path = "task_support/mod.rs"]
mod task_support;

use std::fs;
use std::path::Path;
use std::sync::Mutex;

use minds_operations::{FixOutcome, FmtOutcome, OperationError, fix, fmt};
use minds_system::faults::{Fault, Plan, run};
use minds_system::{Notice, Root, configure};
use tempfile::TempDir;

use task_support::{World, change, package, set};

const INPUT_OUTPUT: i32 = 5;

static NOTICES: Mutex<Vec<String>> = Mutex::new(Vec::new());

fn workspace(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    folder
}

fn all_contents(folder: &Path, files: &[(&str, &str)]) -> Vec<String> {
    files.iter().map(|(name, _)| fs::read_to_string(folder.join(name)).unwrap()).collect()
}

/// Lets a command fail at each of its calls as on a disk that breaks, so that what it began stays, and runs it again.
fn check(files: &[(&str, &str)], command: impl Fn(&Path) -> Result<(), OperationError>) -> (usize, usize) {
    let whole = workspace(files);
    let (done, calls) = run(Plan::none(), || command(whole.path()));
    done.unwrap();
    let (old, new) = (all_contents(workspace(files).path(), files), all_contents(whole.path(), files));
    assert!(old.iter().zip(&new).all(|(old, new)| old != new), "each file changes");
    let (mut finished, mut undone) = (0, 0);
    for at in 1..=calls.len() {
        let folder = workspace(files);
        let plan = Plan::at(u64::try_from(at).unwrap(), Fault::FailFrom(INPUT_OUTPUT));
        let _ = run(plan, || command(folder.path()));
        let left = folder.path().join(".minds-journal").exists();
        let before = all_contents(folder.path(), files);
        NOTICES.lock().unwrap().clear();
        command(folder.path()).unwrap_or_else(|error| panic!("call {at}: {error}"));
        assert_eq!(all_contents(folder.path(), files), new, "call {at}");
        assert!(!folder.path().join(".minds-journal").exists(), "call {at}");
        let notices = std::mem::take(&mut *NOTICES.lock().unwrap());
        assert!(left || notices.is_empty(), "call {at}: {notices:?}");
        // For a changed file the result is reported.
        assert!(before == old || before == new || notices.len() == 1, "call {at}: {notices:?}");
        for notice in &notices {
            assert!(
                files.iter().all(|(name, _)| notice.contains(&format!("`{name}`"))),
                "call {at}: {notice}"
            );
            finished += usize::from(notice.starts_with("finished a change that was interrupted earlier: "));
            undone += usize::from(notice.starts_with("undid a change that was interrupted earlier: "));
        }
    }
    (finished, undone)
}

#[test]
fn the_next_command_reports_what_it_completed() {
    configure(minds_system::DEFAULT_LOCK_TIMEOUT, |notice: &Notice<'_>| {
        if !notice.is_detail() {
            NOTICES.lock().unwrap().push(notice.to_string());
        }
    });
    let unformatted = [
        (".minds/llm.yaml", "providers:\n  p:\n      models: {m: {}}\n      name: x\n"),
        (".minds/team.yaml", "members:\n      coder:\n        model: gpt-5.2\n        provider: codex\n"),
    ];
    let (finished, undone) = check(&unformatted, |folder| fmt(folder, &[], true).map(|_: FmtOutcome| ()));
    assert!(finished > 0 && undone == 0 || undone > 0, "{finished} {undone}");
    let mistaken = [
        (".minds/mcp.yaml", "servers:\n  s:\n    command: run\n    args: quickly\n"),
        (
            ".minds/team.yaml",
            "member_defaults:\n  provider: codex\n  model: gpt-5.2\nmembers:\n  coder:\n    toolsets: ws_mod\n",
        ),
    ];
    let (finished, undone) = check(&mistaken, |folder| fix(folder, &[], true).map(|_: FixOutcome| ()));
    assert!(finished + undone > 0);

    let mut finished = 0;
    let template = World::new().changed(&[("goals", set("old\n"))]);
    let act = |root: &Root, plan, text: &str| {
        let package = package(root);
        run(plan, || change(&package, "goals", set(text)))
    };
    let (_, calls) = act(&template.copy().open(), Plan::none(), "new\n");
    for at in 1..=calls.len() {
        let world = template.copy();
        let plan = Plan::at(u64::try_from(at).unwrap(), Fault::FailFrom(INPUT_OUTPUT));
        let _ = act(&world.open(), plan, "new\n");
        let is_made = fs::read_to_string(world.at("goals.md")).unwrap() == "new\n";
        let is_written = fs::read_to_string(world.at("journal.jsonl")).unwrap().lines().count() == 2;
        NOTICES.lock().unwrap().clear();
        act(&world.open(), Plan::none(), "newer\n").0.unwrap();
        let notices = std::mem::take(&mut *NOTICES.lock().unwrap());
        let expected = "finished a change that was interrupted earlier: `tasks/demo.tsk/goals.md`";
        let expected: &[&str] = if is_made && !is_written { &[expected] } else { &[] };
        assert_eq!(notices, expected, "call {at}");
        finished += notices.len();
    }
    assert!(finished > 0);
}
