//! Asking who may do what.

use std::path::Path;

use minds_workspace::access::{MemberAccess, TeamAccess};

use crate::check::read;
use crate::{OperationError, locate};

/// Returns the team of the workspace at or above `base`, to be asked who may do what.
///
/// # Errors
///
/// Fails if `base` does not exist, the workspace cannot be opened, or it has no team.
pub fn team_access(base: &Path) -> Result<TeamAccess, OperationError> {
    let located = locate(base, &[])?;
    let team = read(&located)?.as_ref().and_then(TeamAccess::load);
    team.ok_or_else(|| OperationError::NoTeam {
        place: match located.directory {
            Some(_) => format!("in `{}`", located.root),
            None => format!("at or above `{}`", located.root),
        },
    })
}

/// Returns a member of the team.
///
/// # Errors
///
/// Fails if there is no such member.
pub fn member_access<'t>(team: &'t TeamAccess, id: &str) -> Result<MemberAccess<'t>, OperationError> {
    team.member(id).map_err(|near| OperationError::UnknownMember { id: id.to_owned(), near })
}
