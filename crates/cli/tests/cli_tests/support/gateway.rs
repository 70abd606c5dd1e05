//! Gateways that report problems of a workspace.

use std::fs;
use std::path::Path;

use minds_diagnostics::Severity;
use minds_fs::Root;
use minds_state::problems::{GatewayProblem, GatewayReporter, problem_id};
use minds_vfs::MountId;

/// Opens the state folder of the only workspace of a home, which a command has created.
pub(crate) fn state_folder(home: &Path) -> Root {
    let folders = fs::read_dir(home.join("state")).expect("the home has state folders");
    let folders: Vec<_> = folders.map(|folder| folder.unwrap().path()).collect();
    assert_eq!(folders.len(), 1, "{folders:?}");
    Root::open(&folders[0], MountId::WORKSPACE).expect("the state folder can be opened")
}

/// Starts a gateway that reports problems as long as the result exists.
pub(crate) fn start_gateway(home: &Path) -> GatewayReporter {
    GatewayReporter::start(state_folder(home), "100-1700000000000").expect("no other gateway runs")
}

/// Returns a problem of the server `files`.
pub(crate) fn problem(
    segments: &[&str],
    code: &'static str,
    severity: Severity,
    message: &str,
) -> GatewayProblem {
    let segments: Vec<&str> = ["mcp", "server", "files"].iter().chain(segments).copied().collect();
    let message = message.to_owned();
    GatewayProblem { id: problem_id(&segments), code, severity, message, help: None }
}
