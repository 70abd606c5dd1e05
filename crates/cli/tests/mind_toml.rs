//! `mind.toml` in a workspace: it is checked, explained and known to editors.
#![allow(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test runs the command, and may stop at once"
)]

mod support;

use std::fs;
use std::path::Path;

use support::minds;
use tempfile::TempDir;

fn source(text: &str) -> TempDir {
    let folder = tempfile::tempdir().expect("a folder can be made");
    fs::write(folder.path().join("mind.toml"), text).expect("a file can be written");
    folder
}

/// Returns the exit code of a check, and what it prints, a line for each finding.
fn check(folder: &Path) -> (i32, String) {
    let (code, stdout, _) = minds(folder, &["check", "--format", "concise"]);
    (code, stdout)
}

#[test]
fn the_version_of_the_format_is_printed() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let (code, long, _) = minds(folder.path(), &["--version"]);
    let version = env!("CARGO_PKG_VERSION");
    assert_eq!((code, long), (0, format!("minds {version}\nformat of sources: 0.8.0\n")));
    let (code, short, _) = minds(folder.path(), &["-V"]);
    assert_eq!((code, short), (0, format!("minds {version}\n")));
}

#[test]
fn a_source_is_checked_from_anywhere_in_it() {
    let folder = source("[source]\nprefix = \"../x\"\n");
    fs::create_dir(folder.path().join("skills")).expect("a folder can be made");
    let (code, stdout, _) = minds(&folder.path().join("skills"), &["check", "--format", "concise"]);
    assert_eq!(code, 1);
    assert!(stdout.starts_with("mind.toml:2:10: error[source/invalid-name]"), "{stdout}");
    let (code, page, _) = minds(folder.path(), &["explain", "source/invalid-name"]);
    assert!(code == 0 && page.contains("# Invalid name"), "{page}");
}

#[test]
fn warnings_can_be_allowed_and_errors_cannot() {
    let hook = "[[hooks]]\n# minds: allow(source/blank-hook) to be written\nrun = \"\"\n";
    assert_eq!(check(source(hook).path()), (0, String::new()));
    let name = "[source]\n# minds: allow(source/invalid-name) we mean it\nprefix = \"../x\"\n";
    let (code, found) = check(source(name).path());
    assert_eq!(code, 1);
    assert!(found.contains("error[source/invalid-name]") && found.contains("allow/"), "{found}");
}

#[test]
fn fixes_are_applied() {
    let folder = source("[source]\nmin-mind-version = 0.5 # old\nroots = \"a\"\n");
    let (code, _, _) = minds(folder.path(), &["check", "--fix"]);
    let text = fs::read_to_string(folder.path().join("mind.toml")).expect("the file is there");
    assert_eq!((code, text.as_str()), (0, "[source]\nmin-mind-version = \"0.5\" # old\nroots = [\"a\"]\n"));
}

#[cfg(unix)]
#[test]
fn a_link_out_of_the_source_is_not_read() {
    let outside = source("[source]\nprefix = \"../x\"\n");
    let folder = tempfile::tempdir().expect("a folder can be made");
    std::os::unix::fs::symlink(outside.path().join("mind.toml"), folder.path().join("mind.toml"))
        .expect("a link can be made");
    let (code, found) = check(folder.path());
    assert_eq!(code, 1);
    assert!(found.contains("file/unreadable") && !found.contains("source/"), "{found}");
}

#[test]
fn editors_get_the_schema() {
    let folder = source("");
    let (code, _, stderr) = minds(folder.path(), &["init", "--editor", "vscode,helix,nvim,zed"]);
    assert_eq!(code, 0, "{stderr}");
    let schema = folder.path().join(".minds/.schema/source.schema.json");
    let (_, printed, _) = minds(folder.path(), &["schema", "source"]);
    assert_eq!(fs::read_to_string(schema).expect("the file is there"), printed);
}
