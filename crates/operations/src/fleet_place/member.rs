//! The member of the team whose rights an agent has.

use std::path::Path;

use minds_fs::Root;
use minds_vfs::{Location, MountId, Scope, WorkspacePath};
use minds_workspace::access::{Access, MemberAccess, TeamAccess};

use crate::{OperationError, ensure_trusted, member_access};

/// A member of the team of a workspace, as the files of the team were when it was read.
#[derive(Debug)]
pub struct FleetMember {
    /// The real path of the workspace.
    workspace: String,
    member: MemberAccess<'static>,
}

impl FleetMember {
    /// Reads a member from the files of the team of a workspace.
    ///
    /// What cannot be read denies everything, as in the access queries.
    ///
    /// # Errors
    ///
    /// Fails if another user controls the files, or if there is no team or no such member.
    pub fn read(workspace: &Path, id: &str) -> Result<Self, OperationError> {
        ensure_trusted(workspace)?;
        let real = minds_fs::real_directory(workspace)?;
        let root = Root::open(&real, MountId::WORKSPACE)?;
        let team = TeamAccess::load(&root.snapshot(&scope()));
        // The message is for a model too, so it does not name a path of the machine.
        let no_team = || OperationError::NoTeam { place: "in the workspace".to_owned() };
        let team = team.ok_or_else(no_team)?;
        let member = member_access(&team, id)?.into_owned();
        let workspace = real.into_os_string().into_string().map_err(|_| no_team())?;
        Ok(Self { workspace, member })
    }

    /// Decides about an absolute path without symbolic links: by the access lists, and whether the team gives the member tools
    /// for it.
    ///
    /// # Errors
    ///
    /// Returns why the member may not access it.
    pub fn check(&self, access: Access, path: &str) -> Result<(), String> {
        let Some(below) = minds_guard::strip_root(path, &self.workspace) else {
            return Err("it is outside of the workspace of the team".to_owned());
        };
        if self.member.lacks_tools(access) {
            return Err(format!("the team gives the member no tool to {access} files"));
        }
        let path = WorkspacePath::normalize(below).map_err(|error| error.kind().to_string())?;
        let decision = self.member.policy().check(access, &path);
        // The entries of the lists are not for the model.
        if decision.is_allowed() { Ok(()) } else { Err(decision.reason().to_string()) }
    }

    /// Returns whether the member has a tool of an MCP server.
    pub fn has_server_tool(&self, server: &str, tool: &str) -> bool {
        self.member.has_server_tool(server, tool)
    }
}

/// Returns the files that decide.
fn scope() -> Scope {
    let paths = WorkspacePath::parse(minds_core::TEAM_FILE).ok();
    Scope::of_files(paths.map(|path| Location::new(MountId::WORKSPACE, path)))
}
