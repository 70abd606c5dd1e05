//! What a command leaves that dies in the middle of several changes: the next one finishes or undoes it, says
//! so, and does its own work afterwards.

use std::cell::RefCell;
use std::fs;
use std::path::Path;

use minds_fs::faults::{Fault, Plan, run};
use minds_fs::{Notice, configure};
use minds_operations::{FixOutcome, FixRequest, FmtOutcome, FmtRequest, OperationError, fix, fmt};
use tempfile::TempDir;

const INPUT_OUTPUT: i32 = 5;

thread_local! {
    /// The notices of one test: other tests of the program run in other threads.
    static NOTICES: RefCell<Vec<String>> = const { RefCell::new(Vec::new()) };
}

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
        NOTICES.take();
        command(folder.path()).unwrap_or_else(|error| panic!("call {at}: {error}"));
        assert_eq!(all_contents(folder.path(), files), new, "call {at}");
        assert!(!folder.path().join(".minds-journal").exists(), "call {at}");
        let notices = NOTICES.take();
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
    configure(minds_fs::DEFAULT_LOCK_TIMEOUT, |notice: &Notice<'_>| {
        if !notice.is_detail() {
            NOTICES.with_borrow_mut(|notices| notices.push(notice.to_string()));
        }
    });
    let unformatted = [
        (".minds/llm.yaml", "providers:\n  p:\n      models: {m: {}}\n      name: x\n"),
        (".minds/team.yaml", "members:\n      coder:\n        model: gpt-5.2\n        provider: codex\n"),
    ];
    let (finished, undone) = check(&unformatted, |folder| {
        fmt(&FmtRequest { write: true, ..FmtRequest::new(folder) }).map(|_: FmtOutcome| ())
    });
    assert!(finished > 0 && undone == 0 || undone > 0, "{finished} {undone}");
    let mistaken = [
        (".minds/mcp.yaml", "servers:\n  s:\n    command: run\n    args: quickly\n"),
        (
            ".minds/team.yaml",
            "member_defaults:\n  provider: codex\n  model: gpt-5.2\nmembers:\n  coder:\n    toolsets: ws_mod\n",
        ),
    ];
    let (finished, undone) = check(&mistaken, |folder| {
        fix(&FixRequest { write: true, ..FixRequest::new(folder) }).map(|_: FixOutcome| ())
    });
    assert!(finished + undone > 0);
}
