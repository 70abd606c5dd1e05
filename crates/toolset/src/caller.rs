//! The caller of tools.

use minds_taskdoc::OPERATOR;

/// The caller of a tool. It is fixed before the first call, and no argument changes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Caller {
    /// A person at the command line: all tools, no access lists. Reserved areas are refused.
    Operator {
        /// The name of the user.
        name: String,
    },
    /// A member of the team, with the tools and access lists from `team.yaml`.
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

    /// Returns a member. Whether it exists is checked at each call.
    pub fn member(id: impl Into<String>) -> Self {
        Self::Member { id: id.into() }
    }

    /// Returns the name of the caller in records: `user:NAME`, or the id of the member.
    pub fn label(&self) -> String {
        match self {
            Self::Operator { name } => format!("{OPERATOR}{name}"),
            Self::Member { id } => id.clone(),
        }
    }
}
