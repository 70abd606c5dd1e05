//! The conformance suite of the protocol, against the server over HTTP.
//!
//! Many of its scenarios call fixture tools, which only a server for tests has. They are listed, and the suite fails if one
//! that is listed passes, or one that is not listed fails.

use std::path::Path;

use super::node::Node;
use super::{Served, Workspace};
use crate::files::root;

/// The revisions of the protocol, each with a list in `crates/xtask/src/mcp/`.
const REVISIONS: [&str; 2] = ["2025-11-25", "2026-07-28"];

pub(super) fn run(node: &Node, minds: &Path, workspace: &Workspace) -> bool {
    let mut is_right = true;
    for revision in REVISIONS {
        let served = Served::start(minds, workspace);
        let baseline = root().join(format!("crates/xtask/src/mcp/baseline-{revision}.yaml"));
        let results = node.folder().join(format!("results-{revision}"));
        let _ = std::fs::remove_dir_all(&results);
        let mut suite = node.command("conformance");
        suite.args(["server", "--url", &served.url, "--requirements", revision, "--expected-failures"]);
        let output =
            suite.arg(&baseline).arg("--output-dir").arg(&results).output().expect("the suite starts");
        let said = String::from_utf8_lossy(&output.stdout);
        let summary = said.split_once("=== SUMMARY ===").map_or(&*said, |(_, summary)| summary);
        let passed = summary.lines().filter(|line| line.starts_with('✓')).count();
        if output.status.success() && passed > 0 {
            println!(
                "mcp: conformance {revision}: {passed} scenarios pass, the others need fixtures of a server for tests"
            );
        } else {
            println!("mcp: conformance {revision}: not as the baseline says\n{summary}");
            is_right = false;
        }
    }
    is_right
}
