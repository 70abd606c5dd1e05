//! What the members of a team may access.

use minds_access_control::Access;
use minds_workspace::access::{AccessDecision, MemberAccess, TEAM_FILE, TeamAccess};

use crate::Files;

/// The team of a workspace.
///
/// Unreadable content never grants access: a list that could not be read denies, and so does a team file that could not
/// be read.
#[derive(Debug)]
pub struct Team(TeamAccess);

/// The files do not contain a team.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no `{TEAM_FILE}`, so the team has no members")]
#[non_exhaustive]
pub struct NoTeam;

/// The team does not have a member with this id.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the team has no member `{}`{}", .id.escape_debug(), suggestion(.near))]
#[non_exhaustive]
pub struct UnknownMember {
    /// The id.
    pub id: String,
    /// The most similar ids, at most three.
    pub near: Vec<String>,
}

impl Team {
    /// Loads the team from `.minds/team.yaml`. Its problems are not reported here: [`check`](crate::check()) returns them.
    ///
    /// # Errors
    ///
    /// Fails if the files do not contain `.minds/team.yaml`.
    pub fn load(files: &Files) -> Result<Self, NoTeam> {
        TeamAccess::load(files.snapshot()).map(Self).ok_or(NoTeam)
    }

    /// Returns the number of errors in the team file. What they affect is denied.
    pub fn errors(&self) -> usize {
        self.0.errors()
    }

    /// Returns a member, for many questions about it: its lists are compiled once.
    ///
    /// If the members could not be read, every id is accepted, and all access is denied.
    ///
    /// # Errors
    ///
    /// Fails if the team does not have this member.
    pub fn member(&self, id: &str) -> Result<MemberAccess<'_>, UnknownMember> {
        self.0.member(id).map_err(|near| UnknownMember { id: id.to_owned(), near })
    }

    /// Decides whether `member` may read or write `path`, and returns the reason and the entry that decided.
    ///
    /// `path` is relative to the workspace and is normalized lexically first. A path that is not valid or escapes the
    /// workspace is denied. Symbolic links are not resolved. The lists of the member are compiled on each call; see
    /// [`member`](Self::member).
    ///
    /// # Errors
    ///
    /// Fails if the team does not have this member.
    pub fn may(&self, member: &str, access: Access, path: &str) -> Result<AccessDecision, UnknownMember> {
        Ok(self.member(member)?.decide(access, path))
    }
}

impl From<TeamAccess> for Team {
    fn from(access: TeamAccess) -> Self {
        Self(access)
    }
}

fn suggestion(near: &[String]) -> String {
    near.first().map(|id| format!("; did you mean `{id}`?")).unwrap_or_default()
}
