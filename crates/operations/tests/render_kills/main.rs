//! The process dies at every call of a render that writes: after the next command there is the old set of files, or the
//! new one.
//!
//! A program of its own: while a process is started, it has the locks of the one that starts it for a moment.
#![cfg(unix)]
#![allow(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::format_collect,
    clippy::format_push_string,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test reads what it needs, and may stop at once"
)]

#[path = "../render/tree.rs"]
#[allow(dead_code, reason = "the other tests need more of it")]
mod tree;

use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::process::Command;

use minds_operations::{RenderRequest, render};
use minds_system::faults::{Plan, run};

use crate::tree::{COMPOSE, PROJECT, Tree};

const ORDER: &str = "MINDS_TEST_KILL";

/// A change of every kind: a file is changed, one removed, one made, and another target joins.
fn tree() -> Tree {
    let tree = Tree::new();
    tree.render(true, false);
    let project = PROJECT
        .replace("fast", "slow")
        .replace("[roles/house.md, roles/lead.md]", "roles/lead.md")
        .replace("codex, role_prompt: roles/house.md", "codex, role_prompt: [roles/house.md]");
    tree.write("projects/shop.yaml", &project);
    tree.write("team-compose.yaml", &format!("{COMPOSE}supervisor: {{type: systemd}}\n"));
    tree
}

fn write(root: &Path) {
    let request = RenderRequest {
        root: Some(root),
        mcp_command: Some("/usr/local/bin/team-mcp"),
        write: true,
        ..RenderRequest::default()
    };
    render(Path::new("."), &request).unwrap();
}

/// Does what the environment orders: this is the process that dies.
#[test]
fn a_process_that_is_told_to_die() {
    let Ok(order) = std::env::var(ORDER) else {
        // Nobody told it: as many kinds of death are known as are asked for below.
        assert!(DEATHS.iter().all(|death| format!("1:{death}").parse::<Plan>().is_ok()));
        return;
    };
    let (plan, root) = order.split_once('|').unwrap();
    let _ = run(plan.parse().unwrap(), || write(root.as_ref()));
}

const DEATHS: [&str; 2] = ["kill-before", "kill-after"];

#[test]
fn after_the_next_command_there_is_the_old_set_or_the_new_one() {
    const KILLED: i32 = 9;
    let undisturbed = tree();
    let old = undisturbed.state();
    let ((), calls) = run(Plan::none(), || write(&undisturbed.root()));
    let new: Vec<String> = undisturbed.state().into_keys().collect();
    assert_ne!(old.keys().cloned().collect::<Vec<_>>(), new);
    let (mut olds, mut news) = (0, 0);
    for at in 1..=calls.len() {
        for death in DEATHS {
            let tree = tree();
            let old = tree.state();
            let context = format!("{death} call {at}, {}", calls[at - 1]);
            let status = Command::new(std::env::current_exe().unwrap())
                .args(["--exact", "a_process_that_is_told_to_die"])
                .env(ORDER, format!("{at}:{death}|{}", tree.root().display()))
                .output()
                .unwrap()
                .status;
            assert_eq!(status.signal(), Some(KILLED), "{context}");
            // The next command does not write by itself.
            let outcome = tree.render(false, false);
            let state = tree.state();
            if state == old {
                assert!(outcome.would_change, "{context}");
                olds += 1;
            } else {
                assert!(!outcome.would_change, "{context}: {:?}", outcome.files);
                news += 1;
            }
            // A temporary file that nobody works on any more goes with the next change beside it.
            assert!(tree.temporaries().len() <= 1, "{context}: {:?}", tree.temporaries());
            tree.render(true, false);
            let after: Vec<String> = tree.state().into_keys().collect();
            assert_eq!(after, new, "{context}");
        }
    }
    assert!(olds > 20 && news > 20, "{olds} {news}");
}
