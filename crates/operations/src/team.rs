//! Showing the members of a team.

use std::path::Path;

use minds_diagnostics::find_nearest;
use minds_fs::Root;
use minds_vfs::MountId;
use minds_workspace::MemberView;
use minds_workspace::access::TEAM_FILE;

use crate::{OperationError, locate};

/// The members of a team after inheritance.
#[derive(Clone, Debug)]
pub struct TeamOutcome {
    /// The workspace, relative to the current directory.
    pub root: String,
    /// The selected members.
    pub members: Vec<MemberView>,
    /// Whether there is a team file; without it, only the shadow members are returned.
    pub has_file: bool,
    /// The number of schema errors. If there are any, members may be incomplete.
    pub errors: usize,
}

/// Returns the members of the workspace at or above `base`, or the one with the id `member`.
///
/// # Errors
///
/// Fails if `base` does not exist, the workspace cannot be opened, or there is no such member.
pub fn show_team(base: &Path, member: Option<&str>) -> Result<TeamOutcome, OperationError> {
    let located = locate(base, &[])?;
    let snapshot = match &located.directory {
        Some(directory) => {
            Root::open(directory, MountId::WORKSPACE)?.snapshot(&minds_workspace::team_scope())
        }
        None => minds_vfs::Snapshot::new(),
    };
    let has_file = snapshot.iter().any(|(location, _)| location.path.as_str() == TEAM_FILE);
    let parsed = minds_workspace::show_team(&snapshot);
    let found = parsed.problems.into_sorted();
    let errors = found.iter().filter(|found| found.severity == minds_diagnostics::Severity::Error).count();
    let mut members = parsed.value;
    if let Some(id) = member {
        let ids: Vec<String> = members.iter().map(|member| member.id.clone()).collect();
        members.retain(|member| member.id == id);
        if members.is_empty() {
            let near =
                find_nearest(id, ids.iter().map(String::as_str), 3).into_iter().map(str::to_owned).collect();
            return Err(OperationError::UnknownMember { id: id.to_owned(), near });
        }
    }
    Ok(TeamOutcome { root: located.root, members, has_file, errors })
}
