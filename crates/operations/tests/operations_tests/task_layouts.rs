//! Which task packages a check looks at, and that none costs more than it may.
#![cfg(unix)]

use crate::support;

use std::fs;
use std::path::{Path, PathBuf};

use minds_operations::{CheckOutcome, CheckRequest, FixRequest, FmtRequest, UnsavedText};
use support::make;

/// Returns the findings, as `file: code`.
fn codes(outcome: &CheckOutcome) -> Vec<String> {
    let place = |found: &minds_diagnostics::Diagnostic| {
        found.primary.as_ref().map(|label| label.source.name().to_owned()).unwrap_or_default()
    };
    outcome.report.diagnostics.iter().map(|found| format!("{}: {}", place(found), found.rule.code)).collect()
}

#[track_caller]
fn check(folder: &Path, paths: &[&str]) -> Vec<String> {
    let paths: Vec<PathBuf> = paths.iter().map(PathBuf::from).collect();
    codes(
        &minds_operations::check(&CheckRequest { paths: &paths, ..CheckRequest::new(folder) })
            .expect("the folder can be read"),
    )
}

#[track_caller]
fn check_all(folder: &Path) -> Vec<String> {
    let request = CheckRequest { everywhere: true, ..CheckRequest::new(folder) };
    codes(&minds_operations::check(&request).expect("the folder can be read"))
}

/// Packages without goals, each a finding: in the home, at the top, and elsewhere.
const PLACES: &str = "\
directory .minds
file tasks/home.tsk/constraints.md x
file tasks/home.tsk/progress.md x
file top.tsk/constraints.md x
file top.tsk/progress.md x
file parts/web/web.tsk/constraints.md x
file parts/web/web.tsk/progress.md x
file .minds/never.tsk/constraints.md x
file tasks/deeper/deep.tsk/constraints.md x
file tasks/deeper/deep.tsk/progress.md x
";

#[test]
fn a_check_reads_packages_in_the_task_directory_and_at_the_top() {
    let folder = make(PLACES);
    let missing = |path: &str| format!("{path}: task/missing-section");
    assert_eq!(check(folder.path(), &[]), [missing("tasks/home.tsk"), missing("top.tsk")]);
    assert_eq!(
        check_all(folder.path()),
        [
            missing("parts/web/web.tsk"),
            missing("tasks/deeper/deep.tsk"),
            missing("tasks/home.tsk"),
            missing("top.tsk")
        ]
    );
    fs::write(folder.path().join(".minds/minds.toml"), "task_home = 'parts/web'\n").unwrap();
    assert_eq!(check(folder.path(), &[]), [missing("parts/web/web.tsk"), missing("top.tsk")]);
    // Where it is not known where packages lie, those at the top are known all the same.
    fs::write(folder.path().join(".minds/minds.toml"), "task_home = 5\n").unwrap();
    assert_eq!(check(folder.path(), &[]), [".minds/minds.toml: schema/type".to_owned(), missing("top.tsk")]);
}

#[test]
fn a_given_package_is_checked_alone() {
    let folder = make(PLACES);
    let web = "parts/web/web.tsk: task/missing-section";
    assert_eq!(check(folder.path(), &["parts/web/web.tsk"]), [web]);
    assert_eq!(check(folder.path(), &["parts/web/web.tsk/progress.md"]), [web]);
    assert_eq!(
        check(folder.path(), &["top.tsk", "tasks/home.tsk"]),
        ["tasks/home.tsk: task/missing-section", "top.tsk: task/missing-section"]
    );
    fs::create_dir(folder.path().join("top.tsk/bearinmind")).unwrap();
    fs::write(folder.path().join("top.tsk/bearinmind/x"), "").unwrap();
    fs::write(folder.path().join("top.tsk/risks.md"), "").unwrap();
    let inner = ["top.tsk: task/missing-section", "top.tsk/bearinmind/x: task/foreign-entry"];
    assert_eq!(check(folder.path(), &["top.tsk/bearinmind"]), inner);
    assert_eq!(check(folder.path(), &["top.tsk"]).len(), 3);
    // From inside a package, the workspace is checked.
    let outcome =
        minds_operations::check(&CheckRequest::new(&folder.path().join("top.tsk/bearinmind"))).unwrap();
    assert_eq!(codes(&outcome).len(), 4);
    // A directory next to the packages is not a package.
    assert_eq!(check(folder.path(), &["parts"]).len(), 4);
    // What is named together with everything comes on top.
    assert_eq!(check(folder.path(), &[".", "parts/web/web.tsk"]).len(), 5);
}

#[test]
fn an_unsaved_section_is_checked_in_its_package() {
    let folder = make(PLACES);
    let check = |name: &str, text: &[u8]| {
        let text = Some(UnsavedText { name: Path::new(name), bytes: text });
        codes(&minds_operations::check(&CheckRequest { text, ..CheckRequest::new(folder.path()) }).unwrap())
    };
    assert_eq!(
        check("top.tsk/progress.md", b"\xff"),
        ["top.tsk: task/missing-section", "top.tsk/progress.md: task/not-utf8"]
    );
    assert_eq!(check("top.tsk/goals.md", b"x"), Vec::<String>::new());
    let large = vec![b'x'; (4 << 20) + 1];
    assert_eq!(check("parts/web/web.tsk/goals.md", &large), ["parts/web/web.tsk/goals.md: task/too-large"]);
}

#[test]
fn packages_alone_make_a_workspace() {
    let folder = make("package tasks/a.tsk\nfile src/deep/x.rs x\nfile other/tasks/readme.txt x\n");
    let outcome = |folder: &Path| minds_operations::check(&CheckRequest::new(folder)).unwrap();
    for place in ["", "tasks", "tasks/a.tsk", "src/deep", "other/tasks"] {
        assert_eq!(outcome(&folder.path().join(place)).report.files.len(), 3, "{place}");
    }
    // What has a place of its own comes first, also further up.
    fs::create_dir(folder.path().join(".minds")).unwrap();
    let inner = folder.path().join("other/tasks/b.tsk");
    fs::create_dir(&inner).unwrap();
    assert_eq!(outcome(&inner).report.files.len(), 3);
    fs::remove_dir(folder.path().join(".minds")).unwrap();
    assert_eq!(codes(&outcome(&inner)).len(), 3);
    // The search does not leave the repository.
    fs::create_dir(folder.path().join("src/.git")).unwrap();
    let nothing = outcome(&folder.path().join("src/deep")).nothing.unwrap();
    assert!(nothing.contains("task package in `tasks/`"), "{nothing}");
    // A file is not a package.
    let folder = make("file tasks/a.tsk x\n");
    assert!(outcome(folder.path()).nothing.is_some());
}

/// Returns the packages that are found everywhere in a workspace, whose ignore files are given.
fn everywhere(packages: &[&str], files: &[(&str, &str)]) -> Vec<String> {
    let folder = make("directory .minds\n");
    for package in packages {
        fs::create_dir_all(folder.path().join(package)).unwrap();
    }
    for (path, text) in files {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let mut found = check_all(folder.path());
    found.dedup();
    found.into_iter().map(|found| found.split(": ").next().unwrap_or_default().to_owned()).collect()
}

#[test]
fn ignored_packages_are_skipped() {
    let all = ["a/x.tsk", "a/b/y.tsk", "build/z.tsk", "build/keep/k.tsk"];
    let check = |files: &[(&str, &str)], expected: &[&str]| {
        assert_eq!(everywhere(&all, files), expected, "{files:?}");
    };
    check(&[], &["a/b/y.tsk", "a/x.tsk", "build/keep/k.tsk", "build/z.tsk"]);
    check(&[(".gitignore", "build/\n")], &["a/b/y.tsk", "a/x.tsk"]);
    check(&[(".ignore", "/build\n")], &["a/b/y.tsk", "a/x.tsk"]);
    check(&[(".git/info/exclude", "build\n")], &["a/b/y.tsk", "a/x.tsk"]);
    check(&[(".gitignore", "\u{feff}build\r\n# a\r\n")], &["a/b/y.tsk", "a/x.tsk"]);
    check(&[(".gitignore", "*.tsk\n")], &[]);
    check(&[(".gitignore", "*.tsk\n!a/x.tsk\n")], &["a/x.tsk"]);
    check(&[(".gitignore", "/y.tsk\n/a/b\n")], &["a/x.tsk", "build/keep/k.tsk", "build/z.tsk"]);
    // The nearer file wins, and of one directory `.ignore` over `.gitignore`.
    check(&[(".gitignore", "*.tsk\n"), ("a/.gitignore", "!*.tsk\n")], &["a/b/y.tsk", "a/x.tsk"]);
    check(&[(".gitignore", "*.tsk\n"), (".ignore", "!x.tsk\n")], &["a/x.tsk"]);
    check(&[(".git/info/exclude", "*.tsk\n"), (".gitignore", "!y.tsk\n")], &["a/b/y.tsk"]);
    check(&[("a/.gitignore", "b/\n")], &["a/x.tsk", "build/keep/k.tsk", "build/z.tsk"]);
    // What lies in a directory that is left out does not come back.
    check(&[(".gitignore", "build/\n!build/keep/k.tsk\n")], &["a/b/y.tsk", "a/x.tsk"]);
    // Invalid lines and files that are too large are ignored.
    check(&[(".gitignore", "a[\nbuild\n")], &["a/b/y.tsk", "a/x.tsk"]);
    let large = format!("build\n{}", "#\n".repeat(40_000));
    check(&[(".gitignore", &large)], &["a/b/y.tsk", "a/x.tsk", "build/keep/k.tsk", "build/z.tsk"]);
    // An exclude file in a nested `.git` is ignored.
    check(
        &[("a/.git/info/exclude", "x.tsk\n")],
        &["a/b/y.tsk", "a/x.tsk", "build/keep/k.tsk", "build/z.tsk"],
    );
    // Neither what git keeps nor the configuration is looked through.
    assert_eq!(
        everywhere(&[".git/x.tsk", "sub/.git/x.tsk", ".Minds/x.tsk", ".hidden/x.tsk"], &[]),
        [".hidden/x.tsk"]
    );
}

#[test]
fn the_task_directory_and_the_top_are_read_even_if_ignored() {
    let folder = make("directory .minds\nfile tasks/a.tsk/x x\nfile b.tsk/x x\nfile .gitignore *.tsk\n");
    assert_eq!(check_all(folder.path()).len(), 6);
    // An ignore file that is a link is not read: it may lead anywhere.
    let folder = make("directory .minds\nfile a/a.tsk/x x\nfile ignored *.tsk\nlink .gitignore ignored\n");
    assert_eq!(check_all(folder.path()).len(), 3);
}

#[test]
fn links_are_not_followed() {
    let folder = make(
        "directory .minds\npackage a/a.tsk\nlink a/a.tsk/loop ..\nlink a/up ..\nlink a/self self\nlink out /\n\
         link a/b.tsk a.tsk\ndirectory a/a.tsk/bearinmind\nlink a/a.tsk/bearinmind/all ../../..\n",
    );
    assert_eq!(
        check_all(folder.path()),
        [
            "a/a.tsk/bearinmind/all: task/foreign-entry",
            "a/a.tsk/loop: task/not-a-directory",
            "a/b.tsk: task/not-a-directory"
        ]
    );
}

#[test]
fn the_cost_of_deep_directories_is_linear() {
    let folder = make("package tasks/a.tsk\n");
    let mut deep = folder.path().join("tasks/a.tsk");
    for _ in 0..400 {
        deep.push("deep");
    }
    fs::create_dir_all(&deep).unwrap();
    fs::write(deep.join("risks.md"), "").unwrap();
    let found = check_all(folder.path());
    assert!(found.len() == 1 && found[0].ends_with("deep/risks.md: task/misplaced-section"), "{found:?}");
    // Outside of packages the search ends at a depth that no new path may have.
    let folder = make("directory .minds\n");
    let place = |depth: usize| folder.path().join(vec!["deep"; depth].join("/")).join("a.tsk");
    fs::create_dir_all(place(60)).unwrap();
    fs::create_dir_all(place(70)).unwrap();
    assert_eq!(check_all(folder.path()).len(), 3);
}

#[test]
fn too_many_entries_are_reported_once() {
    let folder = make("package tasks/a.tsk\nfiles tasks/a.tsk/more 2100\nfile tasks/a.tsk/more/goals.md x\n");
    assert_eq!(check(folder.path(), &[]), ["tasks/a.tsk: task/too-many-entries"]);
    assert_eq!(check(folder.path(), &["tasks/a.tsk/goals.md"]), ["tasks/a.tsk: task/too-many-entries"]);
}

#[test]
fn unreadable_directories_are_reported_without_follow_up_findings() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = make("package tasks/a.tsk\nfile tasks/a.tsk/ux/a.md x\nfile tasks/b.tsk/x x\n");
    let close = |path: &str, bits: u32| {
        fs::set_permissions(folder.path().join(path), fs::Permissions::from_mode(bits)).unwrap();
    };
    let closed = ["tasks/a.tsk/goals.md", "tasks/a.tsk/ux", "tasks/b.tsk"];
    for path in &closed {
        close(path, 0);
    }
    // A privileged user is not affected.
    let is_privileged = fs::read(folder.path().join(closed[0])).is_ok();
    let found = check(folder.path(), &[]);
    for path in &closed {
        close(path, 0o755);
    }
    if is_privileged {
        assert_eq!(found.len(), 3, "{found:?}");
    } else {
        assert_eq!(found, closed.map(|path| format!("{path}: file/unreadable")));
    }
}

#[test]
fn names_that_are_not_utf8_are_reported_where_they_matter() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt as _;
    let folder = make("package tasks/a.tsk\ndirectory tasks/a.tsk/bearinmind\ndirectory tasks/a.tsk/data\n");
    for place in ["tasks/a.tsk/bearinmind", "tasks/a.tsk/data"] {
        fs::write(folder.path().join(place).join(OsStr::from_bytes(b"\xff")), "").unwrap();
    }
    assert_eq!(check(folder.path(), &[]), ["tasks/a.tsk/bearinmind: file/unreadable"]);
}

#[test]
fn the_total_size_of_sections_is_limited() {
    let folder = make(
        &(0..18)
            .map(|number| {
                format!("package tasks/p{number:02}.tsk\nfill tasks/p{number:02}.tsk/ux/a.md 4000000\n")
            })
            .collect::<String>(),
    );
    let found = check(folder.path(), &[]);
    assert!(found.len() >= 2 && found.iter().all(|found| found.ends_with("file/unreadable")), "{found:?}");
    assert!(found[0].starts_with("tasks/p16.tsk"), "{found:?}");
    // Named alone it is read.
    assert_eq!(check(folder.path(), &["tasks/p17.tsk"]), Vec::<String>::new());
}

#[test]
fn only_a_check_reads_packages() {
    let folder = make("directory .minds\nfile tasks/a.tsk/x x\nfile .minds/team.yaml {}\n");
    let formatted = minds_operations::fmt(&FmtRequest::new(folder.path())).unwrap();
    assert_eq!((formatted.report.files.len(), formatted.report.diagnostics.len()), (1, 0));
    let fixed = minds_operations::fix(&FixRequest { write: true, ..FixRequest::new(folder.path()) }).unwrap();
    let missing =
        fixed.check.report.diagnostics.iter().filter(|found| found.rule.code == "task/missing-section");
    assert_eq!(missing.count(), 3);
    assert!(!folder.path().join("tasks/a.tsk/goals.md").exists());
}
