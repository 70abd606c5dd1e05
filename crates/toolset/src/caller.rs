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

    /// Returns how the caller is named where it is remembered: `user:NAME`, or the id of the member; `member:` comes before
    /// one that could be taken for an operator.
    pub fn label(&self) -> String {
        match self {
            Self::Operator { name } => format!("{OPERATOR}{name}"),
            Self::Member { id } if id.starts_with(OPERATOR) => format!("member:{id}"),
            Self::Member { id } => id.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_member_is_taken_for_an_operator() {
        for (caller, label) in [
            (Caller::operator("ada"), "user:ada"),
            (Caller::member("ada"), "ada"),
            (Caller::member("user:ada"), "member:user:ada"),
        ] {
            assert_eq!(caller.label(), label);
        }
    }
}
