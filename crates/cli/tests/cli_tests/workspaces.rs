//! `minds check` of a repository with several workspaces.

use std::fs;
use std::path::Path;

use tempfile::TempDir;

use crate::support::minds;

const GOOD: &str =
    "member_defaults: {provider: codex, model: gpt-5.2}\nmembers: {coder: {toolsets: [ws_read]}}\n";
const BAD: &str =
    "member_defaults: {provider: codex, model: gpt-5.2}\nmembers: {coder: {tooolsets: [ws_read]}}\n";
const FIXABLE: &str =
    "member_defaults: {provider: codex, model: gpt-5.2}\nmembers: {coder: {toolsets: ws_read}}\n";

fn write(folder: &Path, path: &str, text: &str) {
    let path = folder.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

/// Returns a repository with these files.
fn repository(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join(".git")).unwrap();
    for (path, text) in files {
        write(folder.path(), path, text);
    }
    folder
}

#[track_caller]
fn concise(folder: &Path, args: &[&str], code: i32, expected: &[&str]) {
    let args: Vec<&str> = ["check", "--format", "concise"].iter().chain(args).copied().collect();
    let (found, stdout, stderr) = minds(folder, &args);
    assert_eq!(stdout.lines().collect::<Vec<_>>(), expected, "{stderr}");
    assert_eq!(found, code, "{stderr}");
}

const IN_A: &str = "apps/a/.minds/team.yaml:2:19: error[schema/unknown-key]: unknown key `tooolsets` (did you mean \
                    `toolsets`?)";
const IN_B: &str = "apps/b/.minds/team.yaml:2:19: error[schema/unknown-key]: unknown key `tooolsets` (did you mean \
                    `toolsets`?)";

#[test]
fn all_workspaces_below_a_directory_are_checked() {
    let folder = repository(&[
        ("README.md", ""),
        ("apps/a/.minds/team.yaml", BAD),
        ("apps/b/.minds/team.yaml", BAD),
        ("apps/c/.minds/team.yaml", GOOD),
    ]);
    concise(folder.path(), &[], 1, &[IN_A, IN_B]);
    concise(folder.path(), &["apps"], 1, &[IN_A, IN_B]);
    concise(&folder.path().join("apps/c"), &[], 0, &[]);
    concise(folder.path(), &["apps/c"], 0, &[]);
    // Files are named relative to the current directory.
    concise(
        &folder.path().join("apps"),
        &[],
        1,
        &[IN_A.strip_prefix("apps/").unwrap(), IN_B.strip_prefix("apps/").unwrap()],
    );
    // A workspace above them is checked too.
    write(folder.path(), ".minds/team.yaml", GOOD);
    concise(folder.path(), &[], 1, &[IN_A, IN_B]);
    let (_, stdout, _) = minds(folder.path(), &["check", "--json"]);
    let report: serde_json::Value = serde_json::from_str(&stdout).unwrap();
    let files =
        [".minds/team.yaml", "apps/a/.minds/team.yaml", "apps/b/.minds/team.yaml", "apps/c/.minds/team.yaml"];
    assert_eq!(report["root"], ".");
    assert_eq!(report["files"], serde_json::json!(files));
}

#[test]
fn ignored_directories_other_repositories_and_task_packages_are_left_out() {
    let folder = repository(&[
        (".gitignore", "/vendor/\n"),
        (".ignore", "examples\n"),
        ("vendor/x/.minds/team.yaml", BAD),
        ("docs/examples/y/.minds/team.yaml", BAD),
        ("module/.git", "gitdir: ../.git/modules/module\n"),
        ("module/deep/.minds/team.yaml", BAD),
        ("notes/ship.tsk/z/.minds/team.yaml", BAD),
        ("apps/a/.minds/team.yaml", BAD),
    ]);
    concise(folder.path(), &[], 1, &[IN_A]);
    // A directory that is named is checked in any case.
    let found = IN_A.replace("apps/a/", "");
    concise(folder.path(), &["vendor/x"], 1, &[&found]);
}

#[test]
fn paths_in_several_workspaces_are_checked_together() {
    let folder = repository(&[
        ("apps/a/.minds/team.yaml", BAD),
        ("apps/a/.minds/mcp.yaml", "version: 1\nservers: 5\n"),
        ("apps/b/.minds/team.yaml", BAD),
        ("notes.txt", ""),
    ]);
    let paths = ["apps/a/.minds/team.yaml", "apps/b/.minds/team.yaml"];
    concise(folder.path(), &paths, 1, &[IN_A, IN_B]);
    // A file that is in no workspace is named.
    let (code, _, stderr) = minds(folder.path(), &["check", "apps/b/.minds/team.yaml", "notes.txt"]);
    assert_eq!(code, 1);
    assert!(stderr.contains("nothing to check"), "{stderr}");
}

#[test]
fn directories_outside_of_repositories_are_not_searched() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "a/.minds/team.yaml", BAD);
    let (code, _, stderr) = minds(folder.path(), &["check"]);
    assert_eq!(code, 0);
    assert!(stderr.contains("nothing to check"), "{stderr}");
}

#[test]
fn warnings_are_errors_only_where_the_settings_say_so() {
    let warning =
        "member_defaults: {provider: codex, model: gpt-5.2}\nmembers: {coder: {toolsets: [unknown]}}\n";
    let strict = "[check]\nstrict = true\n";
    let folder = repository(&[
        ("a/.minds/team.yaml", warning),
        ("b/.minds/team.yaml", GOOD),
        ("b/.minds/minds.toml", strict),
    ]);
    assert_eq!(minds(folder.path(), &["check"]).0, 0);
    assert_eq!(minds(folder.path(), &["check", "--strict"]).0, 1);
    write(folder.path(), "a/.minds/minds.toml", strict);
    assert_eq!(minds(folder.path(), &["check"]).0, 1);
}

#[test]
fn fixes_are_applied_in_all_workspaces() {
    let folder = repository(&[("a/.minds/team.yaml", FIXABLE), ("b/.minds/team.yaml", FIXABLE)]);
    let (code, diff, _) = minds(folder.path(), &["check", "--diff"]);
    assert_eq!(code, 1);
    assert!(diff.contains("--- a/a/.minds/team.yaml") && diff.contains("+++ b/b/.minds/team.yaml"), "{diff}");
    let (code, _, stderr) = minds(folder.path(), &["check", "--fix"]);
    assert_eq!(code, 0, "{stderr}");
    assert_eq!(stderr, "minds: fixed 2 problems in a/.minds/team.yaml, b/.minds/team.yaml\n");
    concise(folder.path(), &[], 0, &[]);
}

#[test]
fn a_workspace_of_another_user_does_not_hide_the_findings_of_the_other_ones() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = repository(&[("apps/a/.minds/team.yaml", BAD), ("apps/open/.minds/team.yaml", GOOD)]);
    let open = folder.path().join("apps/open/.minds");
    fs::set_permissions(&open, fs::Permissions::from_mode(0o777)).unwrap();
    let (code, stdout, stderr) = minds(folder.path(), &["check", "--format", "concise"]);
    assert_eq!(code, 1);
    assert!(
        stdout.contains(IN_A) && stdout.contains("apps/open/.minds") && stdout.contains("file/untrusted"),
        "{stdout}"
    );
    assert!(stderr.contains("nothing was read"), "{stderr}");
    // A fix writes nothing in this case, not even in the workspaces before it.
    write(folder.path(), "apps/a/.minds/team.yaml", FIXABLE);
    assert_eq!(minds(folder.path(), &["check", "--fix"]).0, 1);
    assert_eq!(fs::read_to_string(folder.path().join("apps/a/.minds/team.yaml")).unwrap(), FIXABLE);
}
