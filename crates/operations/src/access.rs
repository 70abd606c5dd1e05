//! Querying access permissions.

use std::borrow::Cow;
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

/// The absolute paths of a workspace, for paths that users pass.
#[derive(Clone, Debug, Default)]
pub struct WorkspaceRoots(pub(crate) Vec<String>);

impl WorkspaceRoots {
    /// Finds the workspace at or above `base`.
    ///
    /// # Errors
    ///
    /// Fails if `base` does not exist or the workspace cannot be opened.
    pub fn find(base: &Path) -> Result<Self, OperationError> {
        match locate(base, &[])?.directory {
            Some(directory) => Self::of(&directory),
            None => Ok(Self::default()),
        }
    }

    /// Returns the paths of the workspace in `directory`: as given, and without links.
    pub(crate) fn of(directory: &Path) -> Result<Self, OperationError> {
        let real = minds_fs::real_directory(directory)?;
        let given = directory.to_str().filter(|_| directory.is_absolute()).map(minds_guard::normalize);
        let mut roots: Vec<String> =
            given.into_iter().chain(real.into_os_string().into_string().ok()).collect();
        roots.dedup();
        Ok(Self(roots))
    }

    /// Returns an absolute path inside the workspace relative to it; any other path as it is.
    pub fn relative<'p>(&self, path: &'p str) -> Cow<'p, str> {
        if !path.starts_with('/') {
            return Cow::Borrowed(path);
        }
        let normalized = minds_guard::normalize(path);
        match self.0.iter().find_map(|root| minds_guard::strip_root(&normalized, root)) {
            Some(below) => Cow::Owned(below.to_owned()),
            None => Cow::Borrowed(path),
        }
    }
}
