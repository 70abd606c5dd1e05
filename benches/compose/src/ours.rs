//! What the command does, without starting it.

use std::path::Path;

use minds_operations::{RenderRequest, Rendering, render_in_memory};

use crate::Files;

fn request(root: &Path, write: bool) -> RenderRequest<'_> {
    RenderRequest { root: Some(root), mcp_command: Some("team-mcp"), write, ..RenderRequest::new(Path::new(".")) }
}

/// Reads, checks and renders in memory.
pub(crate) fn render(root: &Path) -> Files {
    let Rendering { report, artifacts } =
        render_in_memory(&request(root, false)).expect("the root can be rendered");
    assert_eq!(report.summary().errors, 0);
    let artifacts = artifacts.into_iter();
    artifacts.map(|artifact| (artifact.path.to_string(), artifact.bytes)).collect()
}

/// Reads, checks, renders, compares with what is there, and writes what is not.
pub(crate) fn write(root: &Path) {
    let outcome =
        minds_operations::render(&request(root, true)).expect("the root can be rendered");
    assert_eq!(outcome.refused, None);
}
