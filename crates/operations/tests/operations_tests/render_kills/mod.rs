//! The process dies at calls of a render that writes: after the next command there is the old set of files, or the
//! new one.
//!
//! A separate test program, because a process that is being started briefly inherits the locks of its parent.
#![cfg(unix)]

use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::process::Command;

use minds_fs::faults::{Plan, calls_to_test, run};
use minds_operations::{RenderOutcome, RenderRequest, clean, render};
use minds_render::Target;
use minds_render::clients::Client;

use crate::render::tree::{COMPOSE, MCP, PROJECT, Tree, files};

const ORDER: &str = "MINDS_TEST_KILL";

/// A change of every kind: a file is changed, one removed, one made, and another target joins.
fn tree() -> Tree {
    let tree = Tree::new();
    tree.render(true, false);
    let project = PROJECT
        .replace("fast", "slow")
        .replace("[roles/guide.md, roles/lead.md]", "roles/lead.md")
        .replace("codex, role_prompt: roles/guide.md", "codex, role_prompt: [roles/guide.md]");
    tree.write("projects/shop.yaml", &project);
    tree.write("team-compose.yaml", &format!("{COMPOSE}supervisor: {{type: systemd}}\n"));
    tree
}

/// The same, in a workspace whose servers change too.
fn tree_with_clients() -> Tree {
    let tree = Tree::with_servers();
    render_all(&tree.root(), true);
    tree.write("projects/shop.yaml", &PROJECT.replace("fast", "slow"));
    std::fs::write(tree.outside().join(".minds/mcp.yaml"), MCP.replace("notes-mcp", "other-mcp")).unwrap();
    // One file needs a new directory, and one has foreign contents.
    std::fs::remove_dir_all(tree.outside().join(".codex")).unwrap();
    let mine = tree.outside().join("opencode.json");
    let text = std::fs::read_to_string(&mine).unwrap().replacen('{', "{\n  // mine", 1);
    std::fs::write(mine, text).unwrap();
    tree
}

const ALL: [Target; 3] = [Target::Artifacts, Target::Mcp(Client::Codex), Target::Mcp(Client::OpenCode)];

fn render_all(root: &Path, write: bool) -> RenderOutcome {
    let request = RenderRequest {
        root: Some(root),
        targets: &ALL,
        mcp_command: Some("/usr/local/bin/team-mcp"),
        write,
        ..RenderRequest::new(Path::new("."))
    };
    render(&request).unwrap()
}

fn write(root: &Path) {
    let request = RenderRequest {
        root: Some(root),
        mcp_command: Some("/usr/local/bin/team-mcp"),
        write: true,
        ..RenderRequest::new(Path::new("."))
    };
    render(&request).unwrap();
}

/// Does what the environment orders: this is the process that dies.
#[test]
fn a_process_that_dies_on_request() {
    let Ok(order) = std::env::var(ORDER) else {
        // This is not the child process: check that all kinds of kill used below are known.
        assert!(KILLS.iter().all(|death| format!("1:{death}").parse::<Plan>().is_ok()));
        return;
    };
    let (plan, root) = order.split_once('|').unwrap();
    let _ = match root.strip_prefix("all:") {
        Some(root) => run(plan.parse().unwrap(), || drop(render_all(root.as_ref(), true))),
        None => run(plan.parse().unwrap(), || write(root.as_ref())),
    };
}

/// Starts the process that dies at a call.
fn die(at: usize, death: &str, root: &str) -> Option<i32> {
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "render_kills::a_process_that_dies_on_request"])
        .env(ORDER, format!("{at}:{death}|{root}"))
        .output();
    output.unwrap().status.signal()
}

const KILLED: i32 = 9;

/// Returns what lies in the whole workspace, without temporary files.
fn everything(tree: &Tree) -> std::collections::BTreeMap<String, Vec<u8>> {
    let mut all = files(tree.outside());
    all.retain(|name, _| !minds_fs::is_temporary(name.rsplit('/').next().unwrap_or_default()));
    // Paths of the machine are in what is rendered.
    let here = tree.outside().display().to_string();
    for bytes in all.values_mut() {
        *bytes = String::from_utf8_lossy(bytes).replace(&here, "HERE").into_bytes();
    }
    // Hashes of what has such paths differ.
    for manifest in ["team/state/minds-manifest.json", ".minds-manifest.json"] {
        if let Some(bytes) = all.get_mut(manifest) {
            let text = String::from_utf8_lossy(bytes).into_owned();
            let lines = text.lines().filter(|line| !line.contains("sha256:"));
            *bytes = lines.collect::<Vec<_>>().join("\n").into_bytes();
        }
    }
    all
}

#[test]
fn client_files_and_agent_files_are_written_together() {
    let undisturbed = tree_with_clients();
    let (old, (_, calls)) =
        (everything(&undisturbed), run(Plan::none(), || render_all(&undisturbed.root(), true)));
    let new = everything(&undisturbed);
    assert!(
        new.len() > old.len() && new["team/state/envs/shop-lead.env"] != old["team/state/envs/shop-lead.env"]
    );
    let (mut old_count, mut new_count) = (0, 0);
    for at in calls_to_test(calls.len(), 5) {
        // Each call sees one kind of death: with both the test would take twice as long.
        let death = KILLS[at % 2];
        let tree = tree_with_clients();
        let context = format!("{death} call {at}, {}", calls[at - 1]);
        let root = format!("all:{}", tree.root().display());
        assert_eq!(die(at, death, &root), Some(KILLED), "{context}");
        // The next command renders for agents alone, or for all, and does not write by itself.
        if at % 4 < 2 {
            tree.render(false, false);
        } else {
            render_all(&tree.root(), false);
        }
        let found = everything(&tree);
        let is_new = found == new;
        assert!(is_new || found == old, "{context}: {:?}", found.keys());
        (old_count, new_count) = if is_new { (old_count, new_count + 1) } else { (old_count + 1, new_count) };
        assert_eq!(render_all(&tree.root(), true).would_change, !is_new, "{context}");
        assert_eq!(everything(&tree), new, "{context}");
    }
    assert!(old_count > 3 && new_count > 3, "{old_count} {new_count}");
}

const KILLS: [&str; 2] = ["kill-before", "kill-after"];

#[test]
fn the_next_command_completes_or_rolls_back_all_files() {
    let undisturbed = tree();
    let old = undisturbed.state();
    let ((), calls) = run(Plan::none(), || write(&undisturbed.root()));
    let new: Vec<String> = undisturbed.state().into_keys().collect();
    assert_ne!(old.keys().cloned().collect::<Vec<_>>(), new);
    let (mut old_count, mut new_count) = (0, 0);
    for at in calls_to_test(calls.len(), 7) {
        for death in KILLS {
            let tree = tree();
            let old = tree.state();
            let context = format!("{death} call {at}, {}", calls[at - 1]);
            assert_eq!(die(at, death, &tree.root().display().to_string()), Some(KILLED), "{context}");
            // The next command does not write by itself; the files may even have errors by then.
            if at % 3 == 0 {
                let project = tree.root().join("projects/shop.yaml");
                let text = std::fs::read_to_string(&project).unwrap();
                tree.write("projects/shop.yaml", "version: 2\nprojct: {}\n");
                let request =
                    RenderRequest { root: Some(&tree.root()), ..RenderRequest::new(Path::new(".")) };
                let outcome = render(&request).unwrap();
                assert!(outcome.report.summary().errors > 0, "{context}");
                tree.write("projects/shop.yaml", &text);
                let state = tree.state();
                assert!(state == old || state.keys().eq(&new), "{context}: {:?}", state.keys());
            }
            // Or it renders for clients too, or cleans.
            if at % 3 == 1 {
                std::fs::create_dir(tree.outside().join(".minds")).unwrap();
                drop(render_all(&tree.root(), false));
                std::fs::remove_dir(tree.outside().join(".minds")).unwrap();
            } else if at % 3 == 2 {
                drop(clean(Path::new("."), Some(&tree.root()), false).unwrap());
            }
            let first = (at % 3 != 0).then(|| tree.state());
            let outcome = tree.render(false, false);
            let state = tree.state();
            assert!(first.is_none_or(|first| first == state), "{context}: nothing is left to be finished");
            if state == old {
                assert!(outcome.would_change, "{context}");
                old_count += 1;
            } else {
                assert!(!outcome.would_change, "{context}: {:?}", outcome.files);
                new_count += 1;
            }
            // An abandoned temporary file is removed by the next change in its directory.
            assert!(tree.temporaries().len() <= 1, "{context}: {:?}", tree.temporaries());
            tree.render(true, false);
            let after: Vec<String> = tree.state().into_keys().collect();
            assert_eq!(after, new, "{context}");
        }
    }
    assert!(old_count > 3 && new_count > 3, "{old_count} {new_count}");
}
