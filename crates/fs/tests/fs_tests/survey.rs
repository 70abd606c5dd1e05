//! Looking up paths without following links.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::symlink;
use std::path::Path;

use minds_fs::Root;
use minds_vfs::{MountId, SnapshotEntry, Survey, SurveyResult, WorkspacePath};
use rustix::fs::{CWD, Mode, mkfifoat};

fn path(path: &str) -> WorkspacePath {
    if path == "." { WorkspacePath::root() } else { WorkspacePath::parse(path).unwrap() }
}

fn survey(
    folder: &Path,
    directories: &[&str],
    files: &[&str],
    max_bytes: u64,
    max_entries: usize,
) -> SurveyResult {
    let paths = |names: &[&str]| names.iter().map(|name| path(name)).collect();
    let (directories, files) = (paths(directories), paths(files));
    let root = Root::open(folder, MountId::WORKSPACE).unwrap();
    root.survey(&Survey { directories, files, max_bytes, max_entries })
}

fn describe(answer: &SurveyResult) -> Vec<String> {
    let entries = answer.entries.iter().map(|(path, entry)| match entry {
        SnapshotEntry::File { bytes, .. } => format!("{path} = {}", bytes.text().unwrap()),
        SnapshotEntry::Directory => format!("{path}/"),
        SnapshotEntry::Link { target } => format!("{path} -> {target}"),
        SnapshotEntry::Special => format!("{path} special"),
        SnapshotEntry::HardLinked => format!("{path} several names"),
        SnapshotEntry::Unread => path.to_string(),
        SnapshotEntry::TooLarge { limit: most } => format!("{path} more than {most}"),
        SnapshotEntry::Outside { reason }
        | SnapshotEntry::Untrusted { reason }
        | SnapshotEntry::Unreadable { reason } => {
            format!("{path} unreadable: {reason}")
        }
    });
    let unnamed = answer
        .unnamed
        .iter()
        .flat_map(|(path, names)| names.iter().map(move |name| format!("{path}: {name:?}")));
    entries.chain(unnamed).collect()
}

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::create_dir_all(at("a/b/c")).unwrap();
    fs::write(at("a/b/file"), "content").unwrap();
    fs::write(at("a/b/\u{7}"), "").unwrap();
    fs::write(at("top"), "top").unwrap();
    fs::hard_link(at("top"), at("a/twin")).unwrap();
    symlink("a/b", at("link")).unwrap();
    symlink("/etc/passwd", at("a/out")).unwrap();
    symlink("out", at("a/chain")).unwrap();
    mkfifoat(CWD, at("a/pipe"), Mode::RUSR).unwrap();
    folder
}

#[test]
fn directories_are_listed_and_files_are_read() {
    let folder = folder();
    let answer =
        survey(folder.path(), &[".", "a/b", "nothing", "top"], &["a/b/file", "a/b/none", "top/x"], 100, 100);
    let expected =
        ["./", "a/", "a/b/", "a/b/c/", "a/b/file = content", "link -> a/b", "top", "a/b: \"\\u{7}\""];
    assert_eq!(describe(&answer), expected);
}

#[test]
fn links_are_not_followed_and_only_files_with_one_name_are_read() {
    let folder = folder();
    let files = ["a/out", "a/chain", "a/pipe", "a/twin", "a/b", "link/file", "link"];
    let answer = survey(folder.path(), &["link", "link/c", "a/pipe"], &files, 100, 100);
    let expected = [
        "a/b/",
        "a/chain -> out",
        "a/out -> /etc/passwd",
        "a/pipe special",
        "a/twin several names",
        "link -> a/b",
    ];
    assert_eq!(describe(&answer), expected);
}

#[test]
fn results_are_limited() {
    let folder = folder();
    let answer = survey(folder.path(), &["a", "a/b"], &["a/b/file"], 4, 3);
    assert_eq!(describe(&answer), ["a more than 3", "a/b/", "a/b/c/", "a/b/file = cont", "a/b: \"\\u{7}\""]);
}

#[test]
fn several_threads_give_the_same_result() {
    let folder = tempfile::tempdir().unwrap();
    let names: Vec<String> = (0..2_000).map(|number| format!("skills/s{number}/SKILL.md")).collect();
    for (number, name) in names.iter().enumerate() {
        let file = folder.path().join(name);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, number.to_string()).unwrap();
    }
    let files: Vec<&str> = names.iter().map(String::as_str).collect();
    let folders: Vec<&str> = files.iter().map(|name| name.strip_suffix("/SKILL.md").unwrap()).collect();
    let all = survey(folder.path(), &folders, &files, 100, 100);
    assert_eq!(all.entries.len(), 4_000);
    for (number, name) in names.iter().enumerate() {
        let SnapshotEntry::File { bytes, .. } = &all.entries[&path(name)] else { panic!("{name}") };
        assert_eq!(bytes.text().unwrap(), number.to_string());
    }
    let mut one_by_one = SurveyResult::default();
    for (folder_name, file) in folders.iter().zip(&files) {
        one_by_one.append(survey(folder.path(), &[*folder_name], &[*file], 100, 100));
    }
    assert_eq!(all, one_by_one);
}

#[test]
fn many_and_long_names_are_complete() {
    let folder = tempfile::tempdir().unwrap();
    let mut names: Vec<String> = (0..1_500).map(|number| format!("{number}{}", "n".repeat(200))).collect();
    for name in &names {
        fs::write(folder.path().join(name), "").unwrap();
    }
    names.sort();
    let all = survey(folder.path(), &["."], &[], 0, 1_500);
    let found: Vec<String> =
        all.entries.keys().filter(|path| !path.is_root()).map(ToString::to_string).collect();
    assert_eq!(found, names);
    let all = survey(folder.path(), &["."], &[], 0, 1_499);
    assert_eq!(describe(&all), [". more than 1499"]);
}

#[test]
fn entries_are_returned_without_reading_them() {
    let folder = folder();
    symlink(OsStr::from_bytes(b"\xff"), folder.path().join("a/odd")).unwrap();
    let names = [
        "a/b",
        "a/b/file",
        "a/b/none",
        "a/none/x",
        "a/out",
        "a/pipe",
        "a/twin",
        "link",
        "link/file",
        "a/b/file/x",
        ".",
        "a/chain",
        "a/b/c",
        "a/odd",
    ];
    let places: Vec<WorkspacePath> = names.iter().map(|name| path(name)).collect();
    let stood = Root::open(folder.path(), MountId::WORKSPACE).unwrap().entries_at(&places);
    let mut found = Vec::new();
    for (place, entry) in places.into_iter().zip(stood) {
        let mut one = SurveyResult::default();
        one.entries.extend(entry.map(|entry| (place.clone(), entry)));
        found.push(describe(&one).pop().unwrap_or_else(|| format!("{place} does not exist")));
    }
    let expected = [
        "a/b/",
        "a/b/file",
        "a/b/none does not exist",
        "a/none/x does not exist",
        "a/out -> /etc/passwd",
        "a/pipe special",
        "a/twin",
        "link -> a/b",
        "link/file unreadable: it is a symbolic link or below one, and links are not followed here",
        "a/b/file/x unreadable: it is not a directory",
        "./",
        "a/chain -> out",
        "a/b/c/",
        "a/odd special",
    ];
    assert_eq!(found, expected);
}
