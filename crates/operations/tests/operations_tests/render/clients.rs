//! The files of MCP clients beside a compose root, and without one.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;

use minds_diagnostics::emit;
use minds_operations::{CheckRequest, OperationError, RenderOutcome, RenderRequest, clean, render};
use minds_render::clients::{CLIENTS_FILE, Client};
use minds_render::{PlanRefusal, State, Target};

use crate::render::tree::{MCP, Tree, copy, files};

const ALL: [Target; 6] = [
    Target::Mcp(Client::ClaudeCode),
    Target::Mcp(Client::Codex),
    Target::Mcp(Client::Gemini),
    Target::Mcp(Client::VsCode),
    Target::Mcp(Client::Cursor),
    Target::Mcp(Client::OpenCode),
];

fn try_rendered(root: &Path, targets: &[Target], write: bool) -> Result<RenderOutcome, OperationError> {
    let request = RenderRequest {
        root: Some(root),
        targets,
        mcp_command: Some("/usr/local/bin/team-mcp"),
        write,
        ..RenderRequest::new(Path::new("."))
    };
    render(&request)
}

fn rendered(root: &Path, targets: &[Target], write: bool) -> RenderOutcome {
    let outcome = try_rendered(root, targets, write).unwrap();
    assert_eq!(outcome.report.summary().errors, 0, "{}", emit::concise(&outcome.report));
    outcome
}

fn states(outcome: &RenderOutcome) -> Vec<(&str, State)> {
    outcome.files.iter().map(|file| (file.path.as_str(), file.state)).collect()
}

/// Returns a workspace whose team has servers, and no compose root.
fn workspace() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join(".minds")).unwrap();
    fs::write(folder.path().join(".minds/mcp.yaml"), MCP).unwrap();
    folder
}

#[test]
fn servers_of_the_team_need_no_compose_root() {
    let folder = workspace();
    let before = files(folder.path());
    let outcome = rendered(folder.path(), &ALL, false);
    assert_eq!(outcome.files.len(), 7);
    assert!(outcome.files.iter().all(|file| file.state == State::Created && !file.diff.is_empty()));
    assert_eq!(files(folder.path()), before);
    assert!(rendered(folder.path(), &ALL, true).would_change);
    let after = files(folder.path());
    assert_eq!(after.len(), before.len() + 7);
    let again = rendered(folder.path(), &ALL, true);
    assert!(!again.would_change && again.files.iter().all(|file| file.state == State::Unchanged));
    assert_eq!(files(folder.path()), after);
    // What is found is named as everywhere else.
    assert_eq!(again.report.files, [".minds/mcp.yaml"]);
}

#[test]
fn created_files_are_private_and_existing_ones_keep_their_permissions() {
    let folder = workspace();
    fs::write(folder.path().join("opencode.json"), "{}").unwrap();
    fs::set_permissions(folder.path().join("opencode.json"), fs::Permissions::from_mode(0o644)).unwrap();
    rendered(folder.path(), &ALL, true);
    for (path, mode) in [(".mcp.json", 0o600), (".codex/config.toml", 0o600), ("opencode.json", 0o644)] {
        let found = fs::metadata(folder.path().join(path)).unwrap().permissions().mode() & 0o777;
        assert_eq!(found, mode, "{path}");
    }
    fs::set_permissions(folder.path().join(".mcp.json"), fs::Permissions::from_mode(0o644)).unwrap();
    assert!(!rendered(folder.path(), &ALL, false).would_change, "git keeps no such permission");
}

#[test]
fn a_clone_knows_which_servers_are_ours() {
    let folder = workspace();
    rendered(folder.path(), &ALL, true);
    let clone = tempfile::tempdir().unwrap();
    copy(folder.path(), clone.path());
    assert!(!rendered(clone.path(), &ALL, false).would_change);
    fs::write(clone.path().join(".minds/mcp.yaml"), "version: 1\nservers: {}\n").unwrap();
    rendered(clone.path(), &ALL, true);
    assert_eq!(files(clone.path()).into_keys().collect::<Vec<_>>(), [".minds/mcp.yaml"]);
}

#[test]
fn an_unreadable_file_prevents_rendering() {
    let tree = Tree::with_servers();
    let old = "{\n  // mine\n  \"mcpServers\": {}\n}\n";
    fs::write(tree.outside().join(".mcp.json"), old).unwrap();
    let targets = [Target::Artifacts, Target::Mcp(Client::Codex), Target::Mcp(Client::ClaudeCode)];
    let before = files(tree.outside());
    let outcome = try_rendered(&tree.root(), &targets, true).unwrap();
    let codes: Vec<&str> = outcome.report.diagnostics.iter().map(|found| found.rule.code).collect();
    assert_eq!(codes, ["render/unmergeable"]);
    assert!(outcome.files.is_empty() && outcome.refused.is_none());
    assert_eq!(files(tree.outside()), before);
}

#[test]
fn only_errors_about_servers_of_the_team_prevent_rendering() {
    let folder = workspace();
    fs::write(folder.path().join(".minds/team.yaml"), "members: 1\n").unwrap();
    assert!(rendered(folder.path(), &ALL, false).would_change);
    for broken in [
        "version: 1\nservers: {s: {transport: stdio}}\n",
        "version: 1\nserver: {}\n",
        "a: [",
        "- 1\n",
        "",
        "# later\n",
    ] {
        fs::write(folder.path().join(".minds/mcp.yaml"), broken).unwrap();
        let outcome = try_rendered(folder.path(), &ALL, true).unwrap();
        assert!(outcome.report.summary().errors > 0 && outcome.files.is_empty(), "{broken}");
    }
    // With nothing in it there is nothing to render.
    for empty in ["version: 1\n", "version: 1\nservers: {}\n"] {
        fs::write(folder.path().join(".minds/mcp.yaml"), empty).unwrap();
        assert!(rendered(folder.path(), &ALL, true).files.is_empty(), "{empty}");
    }
    fs::remove_file(folder.path().join(".minds/mcp.yaml")).unwrap();
    assert!(rendered(folder.path(), &ALL, true).files.is_empty());
}

#[test]
fn agents_are_servers_of_clients_too() {
    let tree = Tree::with_servers();
    let outcome = rendered(&tree.root(), &[Target::Mcp(Client::ClaudeCode)], true);
    assert_eq!(states(&outcome), [(".mcp.json", State::Created), (CLIENTS_FILE, State::Created)]);
    let text = fs::read_to_string(tree.outside().join(".mcp.json")).unwrap();
    let file: serde_json::Value = serde_json::from_str(&text).unwrap();
    let names: Vec<&String> = file["mcpServers"].as_object().unwrap().keys().collect();
    assert_eq!(names, ["notes", "team-shop-coder", "team-shop-lead"]);
    // The entry of an agent in the list is equal to its own file.
    tree.render(true, false);
    let own: serde_json::Value = serde_json::from_str(&tree.read("state/mcp/shop-lead.json")).unwrap();
    let shared = &file["mcpServers"]["team-shop-lead"];
    for key in ["command", "args"] {
        assert_eq!(own["mcpServers"]["team"][key], shared[key]);
    }
    assert!(!tree.exists(".mcp.json"));
}

#[test]
fn invalid_agent_names_are_reported_at_their_position() {
    let tree = Tree::with_servers();
    tree.write(
        "projects/shop.yaml",
        "version: 2\nproject: {id: shop, name: Shop, cwd: ..}\nmanagers:\n  lead.one: {}\n",
    );
    let outcome = rendered(&tree.root(), &[Target::Mcp(Client::Codex)], false);
    let found: Vec<String> = emit::concise(&outcome.report).lines().map(str::to_owned).collect();
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].contains("shop.yaml:4:3: warning[render/cannot-express]"), "{found:?}");
}

#[test]
fn agents_and_clients_are_written_together() {
    let tree = Tree::with_servers();
    let targets = [Target::Mcp(Client::Cursor), Target::Artifacts];
    let outcome = rendered(&tree.root(), &targets, true);
    assert_eq!(outcome.files.len(), 8);
    assert!(tree.exists("state/envs/shop-lead.env") && tree.outside().join(".cursor/mcp.json").exists());
    assert!(!rendered(&tree.root(), &targets, false).would_change);
    assert!(!tree.render(false, false).would_change);
    // One drifted file prevents writing the remaining files.
    tree.write("state/envs/shop-lead.env", "MINE=1\n");
    fs::write(tree.outside().join(".minds/mcp.yaml"), MCP.replace("notes-mcp", "other")).unwrap();
    let before = files(tree.outside());
    let outcome = rendered(&tree.root(), &targets, true);
    assert!(matches!(outcome.refused, Some(PlanRefusal::Drifted(_))));
    assert_eq!(files(tree.outside()), before);
}

#[test]
fn links_are_never_followed() {
    let folder = workspace();
    let elsewhere = tempfile::tempdir().unwrap();
    fs::write(elsewhere.path().join("mcp.json"), "{}").unwrap();
    symlink(elsewhere.path().join("mcp.json"), folder.path().join(".mcp.json")).unwrap();
    symlink(elsewhere.path(), folder.path().join(".cursor")).unwrap();
    for client in [Client::ClaudeCode, Client::Cursor] {
        let outcome = rendered(folder.path(), &[Target::Mcp(client)], true);
        assert!(matches!(outcome.refused, Some(PlanRefusal::Obstacle { .. })), "{:?}", outcome.refused);
    }
    assert_eq!(fs::read_to_string(elsewhere.path().join("mcp.json")).unwrap(), "{}");
}

/// A link within the workspace is none of ours either.
#[test]
fn links_within_the_workspace_are_not_followed() {
    let folder = workspace();
    fs::create_dir(folder.path().join("own")).unwrap();
    fs::write(folder.path().join("own/mcp.json"), "{}").unwrap();
    symlink("own", folder.path().join(".cursor")).unwrap();
    symlink("own/mcp.json", folder.path().join(".mcp.json")).unwrap();
    for client in [Client::ClaudeCode, Client::Cursor] {
        let outcome = rendered(folder.path(), &[Target::Mcp(client)], true);
        assert!(matches!(outcome.refused, Some(PlanRefusal::Obstacle { .. })), "{:?}", outcome.refused);
    }
    assert_eq!(fs::read_to_string(folder.path().join("own/mcp.json")).unwrap(), "{}");
}

#[test]
fn client_files_are_in_the_workspace_of_a_compose_root() {
    let folder = workspace();
    let root = folder.path().join("ops/crew");
    copy(&Tree::new().root(), &root);
    let targets = [Target::Mcp(Client::Cursor), Target::Artifacts];
    let outcome = rendered(&root, &targets, true);
    assert!(folder.path().join(".cursor/mcp.json").exists() && root.join("state/envs").exists());
    assert!(!folder.path().join("ops/.cursor").exists() && !root.join(".cursor").exists());
    // It is the workspace that is spoken of, because files are written beside the compose root.
    assert!(!outcome.report.root.ends_with("crew"), "{}", outcome.report.root);
    // One that is called `.team` belongs to the directory that holds it.
    let inner = folder.path().join("inner/.team");
    copy(&Tree::new().root(), &inner);
    fs::create_dir(inner.join(".minds")).unwrap();
    rendered(&inner, &targets, true);
    assert!(folder.path().join("inner/.cursor/mcp.json").exists());
}

#[test]
fn servers_are_kept_if_the_team_cannot_be_read() {
    let folder = workspace();
    rendered(folder.path(), &ALL, true);
    fs::remove_dir_all(folder.path().join(".minds")).unwrap();
    fs::write(folder.path().join(".minds"), "").unwrap();
    let before = files(folder.path());
    let outcome = try_rendered(folder.path(), &ALL, true).unwrap();
    assert!(outcome.report.summary().errors > 0 && outcome.files.is_empty());
    assert_eq!(files(folder.path()), before);
}

#[test]
fn a_command_is_refused_if_only_clients_are_rendered() {
    let folder = workspace();
    let (root, command) = (Some(folder.path()), ["agent".to_owned()]);
    let request =
        RenderRequest { root, targets: &ALL, command: &command, ..RenderRequest::new(Path::new(".")) };
    let refused = render(&request);
    assert!(matches!(refused, Err(OperationError::UnusableCommand { .. })), "{refused:?}");
}

#[test]
fn foreign_values_are_not_shown() {
    let folder = workspace();
    let password = "correct horse";
    let old = format!("{{\"mcpServers\": {{\"mine\": {{\"env\": {{\"P\": \"{password}\"}}}}}}}}");
    fs::write(folder.path().join(".mcp.json"), &old).unwrap();
    let targets = [Target::Mcp(Client::ClaudeCode)];
    let outcome = rendered(folder.path(), &targets, true);
    assert!(outcome.files[0].diff.contains("\"P\": \"*************\""), "{}", outcome.files[0].diff);
    assert!(fs::read_to_string(folder.path().join(".mcp.json")).unwrap().contains(password));
    fs::write(folder.path().join(".mcp.json"), old.replace("}}}}", "}}}, ]")).unwrap();
    let outcome = try_rendered(folder.path(), &targets, true).unwrap();
    let shown = emit::human(&outcome.report, emit::Human::default());
    assert!(shown.contains("render/unmergeable") && shown.contains(".mcp.json:1:"), "{shown}");
    assert!(!shown.contains(password), "{shown}");
}

#[test]
fn cleaning_removes_rendered_files_and_empty_directories() {
    let tree = Tree::with_servers();
    fs::write(tree.outside().join("opencode.json"), "{\n  \"theme\": \"dark\"\n}\n").unwrap();
    let before = files(tree.outside());
    let targets = [ALL.as_slice(), &[Target::Artifacts]].concat();
    rendered(&tree.root(), &targets, true);
    let planned = clean(Path::new("."), Some(&tree.root()), false).unwrap();
    let done = clean(Path::new("."), Some(&tree.root()), true).unwrap();
    assert_eq!(planned, done);
    assert_eq!((done.removed.len(), done.changed.len()), (6 + 6, 1));
    assert_eq!(files(tree.outside()), before);
    for gone in [".cursor", ".codex", ".gemini", ".vscode", "team/state"] {
        assert!(!tree.outside().join(gone).exists(), "{gone}");
    }
}

#[test]
fn cleaning_keeps_changed_files() {
    let folder = workspace();
    fs::create_dir(folder.path().join(".vscode")).unwrap();
    fs::write(folder.path().join(".vscode/tasks.json"), "{}").unwrap();
    rendered(folder.path(), &ALL, true);
    let path = folder.path().join(".mcp.json");
    let text = fs::read_to_string(&path).unwrap().replace("notes-mcp", "mine");
    fs::write(&path, &text).unwrap();
    let done = clean(Path::new("."), Some(folder.path()), true).unwrap();
    assert_eq!((done.removed.len(), done.changed.len(), done.kept_servers.len()), (5, 0, 1));
    assert_eq!(fs::read_to_string(&path).unwrap(), text);
    assert!(folder.path().join(CLIENTS_FILE).exists() && folder.path().join(".vscode/tasks.json").exists());
    fs::remove_file(&path).unwrap();
    clean(Path::new("."), Some(folder.path()), true).unwrap();
    assert!(!folder.path().join(CLIENTS_FILE).exists());
}

#[test]
fn rendered_files_are_cleaned_without_a_team() {
    let folder = workspace();
    rendered(folder.path(), &ALL, true);
    fs::remove_dir_all(folder.path().join(".minds")).unwrap();
    let text = fs::read_to_string(folder.path().join(CLIENTS_FILE)).unwrap();
    fs::write(folder.path().join(CLIENTS_FILE), text.replace("\"version\": 1", "\"version\": 3")).unwrap();
    let before = files(folder.path());
    let refused = clean(Path::new("."), Some(folder.path()), true);
    assert!(matches!(refused, Err(OperationError::ForeignManifest { file: CLIENTS_FILE })), "{refused:?}");
    assert_eq!(files(folder.path()), before);
    fs::write(folder.path().join(CLIENTS_FILE), text).unwrap();
    // The manifest marks the directory as a workspace, also for its subdirectories.
    fs::create_dir(folder.path().join("src")).unwrap();
    clean(&folder.path().join("src"), None, true).unwrap();
    assert!(files(folder.path()).is_empty());
}

#[test]
fn a_directory_that_is_not_a_workspace_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let refused = try_rendered(folder.path(), &ALL, false);
    assert!(matches!(refused, Err(OperationError::NoServers { .. })), "{refused:?}");
    fs::write(folder.path().join("file"), "").unwrap();
    let refused = try_rendered(&folder.path().join("file"), &ALL, false);
    assert!(matches!(refused, Err(OperationError::NoServers { .. })), "{refused:?}");
    let workspace = workspace();
    let refused = try_rendered(workspace.path(), &[ALL[0], Target::Artifacts], false);
    assert!(matches!(refused, Err(OperationError::NoCompose { .. })), "{refused:?}");
}

#[test]
fn a_given_compose_root_is_watched_alone() {
    let tree = Tree::with_servers();
    fs::write(tree.outside().join(".minds/mcp.yaml"), "version: x\n").unwrap();
    let root = tree.root();
    let request = CheckRequest { root: Some(&root), ..CheckRequest::new(Path::new(".")) };
    let mut watch = minds_operations::Watch::new(request);
    assert_eq!(watch.wait().unwrap().report.diagnostics.len(), 0);
    tree.write("projects/shop.yaml", "version: 2\n");
    assert!(watch.wait().unwrap().report.diagnostics.iter().all(|found| {
        found.primary.as_ref().is_some_and(|label| label.source.name() == "projects/shop.yaml")
    }));
}
