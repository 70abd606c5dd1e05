//! Querying access permissions.

use std::path::Path;

use minds_workspace::access::{MemberAccess, TEAM_FILE, TeamAccess, is_about_entries};

use crate::check::{check, read};
use crate::{CheckOutcome, CheckRequest, OperationError, locate};

/// Checks the workspace at or above `base`, and returns the findings about entries of access lists.
///
/// # Errors
///
/// Fails if `base` does not exist, the workspace cannot be opened, or it has no team.
pub fn access_lint(base: &Path) -> Result<CheckOutcome, OperationError> {
    // A missing team is reported as in the other access functions.
    team_access(base)?;
    let mut outcome = check(&CheckRequest::new(base))?;
    outcome.report.files.retain(|file| file == TEAM_FILE);
    outcome.report.diagnostics.retain(|found| is_about_entries(found.rule));
    Ok(outcome)
}

/// Returns the team of the workspace at or above `base`, for access queries.
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
