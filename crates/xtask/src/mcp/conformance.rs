//! The conformance suite of the protocol, run against the server over HTTP.
//!
//! Many of its scenarios call fixture tools, which only a test server has. They are listed as expected
//! failures; the suite fails if a listed scenario passes or another one fails.

use std::path::Path;

use super::node::Node;
use super::{HttpServer, Workspace};
use crate::files::root;

/// The revisions of the protocol, each with a list in `crates/xtask/src/mcp/`.
const REVISIONS: [&str; 2] = ["2025-11-25", "2026-07-28"];

pub(super) fn run(node: &Node, minds: &Path, workspace: &Workspace) -> bool {
    let mut is_right = true;
    for revision in REVISIONS {
        let served = HttpServer::start(minds, workspace);
        let baseline = root().join(format!("crates/xtask/src/mcp/baseline-{revision}.yaml"));
        let results = node.folder().join(format!("results-{revision}"));
        let _ = std::fs::remove_dir_all(&results);
        let mut suite = node.command("conformance");
        suite.args(["server", "--url", &served.url, "--requirements", revision, "--expected-failures"]);
        let output =
            suite.arg(&baseline).arg("--output-dir").arg(&results).output().expect("the suite starts");
        let stdout = String::from_utf8_lossy(&output.stdout);
        let summary = stdout.split_once("=== SUMMARY ===").map_or(&*stdout, |(_, summary)| summary);
        let passed = summary.lines().filter(|line| line.starts_with('✓')).count();
        if output.status.success() && passed > 0 {
            println!(
                "mcp: conformance {revision}: {passed} scenarios pass, the remaining ones need fixtures of a test server"
            );
        } else {
            println!("mcp: conformance {revision}: differs from the baseline\n{summary}");
            is_right = false;
        }
    }
    is_right
}
