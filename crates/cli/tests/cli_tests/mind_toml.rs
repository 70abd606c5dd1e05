//! `mind.toml` in a workspace: checks, explanations, and schemas for editors.

use crate::support;

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
    assert_eq!((code, long), (0, format!("minds {version}\nsource format: 0.8.0\n")));
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
    let text = fs::read_to_string(folder.path().join("mind.toml")).expect("the file exists");
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
fn check_and_add_have_the_same_size_limit() {
    for (bytes, code, finding) in [(1 << 20, 0, ""), ((1 << 20) + 1, 1, "`mind.toml` is larger than 1 MiB")] {
        let folder = source(&format!("#{}", "x".repeat(bytes - 1)));
        let (exit, found) = check(folder.path());
        assert_eq!((exit, found.contains(finding), found.is_empty()), (code, true, code == 0), "{found}");
        let (exit, reviewed, _) = minds(folder.path(), &["review", "--format", "concise"]);
        assert_eq!((exit, reviewed), (code, found));
    }
}

#[test]
fn editors_get_the_schema() {
    let folder = source("");
    let (code, _, stderr) = minds(folder.path(), &["init", "--editor", "vscode,helix,nvim,zed"]);
    assert_eq!(code, 0, "{stderr}");
    let schema = folder.path().join(".minds/.schema/source.schema.json");
    let (_, printed, _) = minds(folder.path(), &["schema", "source"]);
    assert_eq!(fs::read_to_string(schema).expect("the file exists"), printed);
}

/// A source with a rule that refers to a skill by its plain name.
fn speaking() -> TempDir {
    let folder = tempfile::tempdir().expect("a folder can be made");
    for (path, text) in [
        ("skills/review/SKILL.md", "---\nname: review\ndescription: Reviews\n---\nFollow {{ns:style}}.\n"),
        ("rules/style.md", "---\ndescription: after review\n---\nAs in review, and rules/style.md.\n"),
    ] {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().expect("it has a folder")).expect("a folder can be made");
        fs::write(path, text).expect("a file can be written");
    }
    folder
}

#[test]
fn init_writes_a_file_once_and_it_checks_clean() {
    let folder = speaking();
    let (code, shown, stderr) = minds(folder.path(), &["init-source", "--dry-run"]);
    assert_eq!((code, stderr.as_str()), (0, "minds: dry run, nothing was written; files to write: 1\n"));
    assert!(!folder.path().join("mind.toml").exists());
    let (items, diff) = shown.split_once("--- ").expect("it shows what would be written");
    assert_eq!(
        items,
        "skill:review\n  needs rule:style\nrule:style\n  rules/style.md:4: plain name `review`\n"
    );
    assert!(diff.contains("+[source]"), "{diff}");

    let (code, stdout, _) = minds(folder.path(), &["source", "init-source"]);
    assert!(code == 0 && stdout.ends_with("wrote mind.toml\n"), "{stdout}");
    assert_eq!(check(folder.path()), (0, String::new()));
    fs::write(folder.path().join("mind.toml"), "# ours\n").expect("a file can be written");
    let (code, stdout, stderr) = minds(folder.path(), &["init-source"]);
    assert!(code == 0 && !stdout.contains("wrote"), "{stdout}");
    assert!(stderr.contains("`mind.toml` exists"), "{stderr}");
    assert_eq!(fs::read_to_string(folder.path().join("mind.toml")).expect("it exists"), "# ours\n");
}

#[test]
fn bare_names_become_references_on_request() {
    let folder = speaking();
    let path = folder.path().to_str().expect("the path is UTF-8");
    let (code, stdout, _) = minds(Path::new("/"), &["init-source", path, "--template", "--json"]);
    assert_eq!(code, 0);
    let document: serde_json::Value = serde_json::from_str(&stdout).expect("one document is printed");
    assert_eq!((&document["version"], &document["outcome"]), (&1.into(), &"written".into()));
    assert_eq!(document["written"], serde_json::json!(["mind.toml", "rules/style.md"]));
    let mention = serde_json::json!({ "file": "rules/style.md", "line": 4, "name": "review" });
    assert_eq!(document["items"][1]["mentions"], serde_json::json!([mention]));
    let text = fs::read_to_string(folder.path().join("rules/style.md")).expect("it exists");
    assert_eq!(text, "---\ndescription: after review\n---\nAs in {{ns:review}}, and rules/style.md.\n");
    let (_, stdout, _) = minds(folder.path(), &["init-source", "--template", "--json"]);
    assert!(stdout.contains("\"no-op\""), "{stdout}");
}

#[test]
fn a_source_with_errors_is_not_changed() {
    let folder = source("[source]\nprefix = \"../x\"\n");
    fs::create_dir(folder.path().join("rules")).expect("a folder can be made");
    fs::write(folder.path().join("rules/a.md"), "b\n").expect("a file can be written");
    fs::write(folder.path().join("rules/b.md"), "a\n").expect("a file can be written");
    let (code, stdout, _) = minds(folder.path(), &["init-source", "--template", "--json"]);
    let document: serde_json::Value = serde_json::from_str(&stdout).expect("one document is printed");
    assert_eq!((code, &document["error"]["kind"]), (1, &"invalid-manifest".into()));
    assert_eq!(fs::read_to_string(folder.path().join("rules/a.md")).expect("it exists"), "b\n");
    let (code, _, _) = minds(folder.path(), &["init-source", "nowhere"]);
    assert_ne!(code, 0);
}
