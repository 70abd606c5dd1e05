//! The task packages that `minds check` checks.

use crate::support;

use std::fs;

use support::minds;

#[test]
fn task_packages_are_checked_in_every_directory() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let place = |path: &str| folder.path().join(path);
    // Stops the search for a workspace in parent directories.
    fs::create_dir(place(".git")).expect("a folder can be made");
    fs::write(place(".gitignore"), "target/\n").expect("a file can be written");
    for package in ["tasks/a.tsk", "web/b.tsk", "target/c.tsk"] {
        fs::create_dir_all(place(package)).expect("a folder can be made");
        for section in ["goals.md", "progress.md"] {
            fs::write(place(package).join(section), "").expect("a file can be written");
        }
    }
    let found = |args: &[&str]| {
        let (code, found, _) = minds(folder.path(), &[&["check", "--format", "concise"], args].concat());
        assert_eq!(code, 1, "{found}");
        found
    };
    let missing = |path: &str| {
        format!(
            "{path}:1:1: error[task/missing-section]: the task does not have `constraints.md` \
             (create `{path}/constraints.md`; it may be empty)\n"
        )
    };
    assert_eq!(found(&[]), missing("tasks/a.tsk"));
    assert_eq!(found(&["--all"]), missing("tasks/a.tsk") + &missing("web/b.tsk"));
    assert_eq!(found(&["target/c.tsk"]), missing("target/c.tsk"));
    assert_eq!(found(&["target/c.tsk/goals.md"]), missing("target/c.tsk"));
    for wrong in ["--fix", "--diff"] {
        assert_eq!(minds(folder.path(), &["check", "--all", wrong]).0, 2);
    }
    fs::write(place("tasks/a.tsk/constraints.md"), "").expect("a file can be written");
    assert_eq!(minds(folder.path(), &["check"]).0, 0);
}
