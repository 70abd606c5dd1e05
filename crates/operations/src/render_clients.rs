//! Rendering for MCP clients.

use std::sync::Arc;

use minds_core::MCP_FILE;
use minds_diagnostics::Diagnostic;
use minds_fs::Root;
use minds_render::RenderError;
use minds_render::clients::{ClientRecord, ServerEntry, scope};
use minds_vfs::{Location, MountId, Snapshot, WorkspacePath};
use minds_workspace::TeamFamily;

/// The servers in `.minds/mcp.yaml` of a workspace, checked.
pub(crate) struct TeamServers {
    /// The file, if it exists.
    pub(crate) file: Option<String>,
    /// The findings in the file.
    pub(crate) found: Vec<Diagnostic>,
    family: Arc<TeamFamily>,
}

impl TeamServers {
    /// Reads the servers. Findings in other files of the team are ignored.
    pub(crate) fn read(workspace: &Root) -> Self {
        let snapshot = workspace.snapshot(&minds_workspace::team_scope());
        let is_there = WorkspacePath::parse(MCP_FILE)
            .is_ok_and(|path| snapshot.get(&Location::new(MountId::WORKSPACE, path)).is_some());
        let checked = minds_workspace::check(&snapshot);
        // A directory that could not be read may contain the file.
        let is_about = |name: &str| name == MCP_FILE || MCP_FILE.starts_with(&format!("{name}/"));
        let mut found = checked.diagnostics;
        found.retain(|found| found.primary.as_ref().is_some_and(|label| is_about(label.source.name())));
        Self { file: is_there.then(|| MCP_FILE.to_owned()), found, family: checked.family }
    }

    /// Returns the servers in the order of the file.
    ///
    /// # Errors
    ///
    /// Fails if not all servers could be read; the findings contain the reason.
    pub(crate) fn servers(&self) -> Result<Vec<ServerEntry>, RenderError> {
        let unreadable = |what: String| RenderError::Unreadable { what };
        match self.family.readable_mcp() {
            Some((mcp, document)) => {
                ServerEntry::all(mcp, document).map_err(|_| unreadable(MCP_FILE.to_owned()))
            }
            None if self.file.is_none() => Ok(Vec::new()),
            None => Err(unreadable(MCP_FILE.to_owned())),
        }
    }
}

/// Reads the client files of a workspace, and the record of what is rendered in them.
pub(crate) fn read_record(workspace: &Root) -> (Snapshot, ClientRecord) {
    let there = workspace.snapshot(&scope());
    let record = ClientRecord::of(&there);
    (there, record)
}
