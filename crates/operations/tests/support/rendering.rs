//! What is found while servers are put into the files of all clients.

use std::path::Path;

use minds_diagnostics::Report;
use minds_operations::{RenderRequest, render};
use minds_render::Target;
use minds_render::clients::Client;

/// Renders a workspace for every client, and writes nothing.
pub(crate) fn report(workspace: &Path) -> Report {
    let targets = Client::ALL.map(Target::Mcp);
    let request = RenderRequest { root: Some(workspace), targets: &targets, ..RenderRequest::default() };
    render(Path::new("."), &request).expect("the workspace can be read").report
}
