//! Who calls.

use minds_taskdoc::OPERATOR;

/// Who calls a tool. It is fixed before the first call; no argument of a tool changes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Caller {
    /// Somebody at the command line: every tool, no lists; reserved areas stay closed.
    Operator {
        /// The name of the user.
        name: String,
    },
    /// A member of the team: the tools and the paths that the team gives it.
    Member {
        /// The id.
        id: String,
    },
}

impl Caller {
    /// Returns the operator with a name.
    pub fn operator(name: impl Into<String>) -> Self {
        Self::Operator { name: name.into() }
    }

    /// Returns a member; whether there is such a member is seen when it calls.
    pub fn member(id: impl Into<String>) -> Self {
        Self::Member { id: id.into() }
    }

    /// Returns how the caller is named where it is remembered: `user:NAME`, or the id of the member.
    pub fn label(&self) -> String {
        match self {
            Self::Operator { name } => format!("{OPERATOR}{name}"),
            Self::Member { id } => id.clone(),
        }
    }
}
