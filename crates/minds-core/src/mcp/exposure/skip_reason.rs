//! Why tools are not exposed.

use minds_diagnostics::Rule;

use crate::rules::run_time;

/// Why a tool is not exposed. Displayed as a statement about the tool.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SkipReason {
    /// The blacklist contains it, and the whitelist does not.
    #[error("`blacklist` excludes it")]
    Blacklisted,
    /// There is only a whitelist, which does not contain it.
    #[error("`whitelist` does not include it")]
    NotWhitelisted,
    /// Its original name is not valid.
    #[error("its name is not valid: {detail}")]
    InvalidName {
        /// What is wrong with the name.
        detail: String,
    },
    /// Its name after renaming is not valid.
    #[error("its name after `transform` is not valid: {detail}")]
    InvalidFinalName {
        /// The name after renaming; `None` if the steps are too many, or make the name too long to be followed.
        name: Option<String>,
        /// What is wrong with the name.
        detail: String,
    },
    /// An earlier tool of the same server has the name.
    #[error("`{name}` is the name of another tool of the same server")]
    DuplicateInServer {
        /// The name.
        name: String,
    },
    /// A built-in tool or a tool of another server has the name.
    #[error("`{name}` is the name of a tool of `{owner}`")]
    Collision {
        /// The name.
        name: String,
        /// The toolset with the other tool; for servers, this is the id.
        owner: String,
    },
    /// The schema of its arguments cannot be used.
    #[error("the schema of its arguments cannot be used: {detail}")]
    InvalidSchema {
        /// The name that the tool would have.
        name: String,
        /// What is wrong with the schema.
        detail: String,
    },
}

impl SkipReason {
    /// Returns the name of the reason in documents.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Blacklisted => "blacklisted",
            Self::NotWhitelisted => "not-whitelisted",
            Self::InvalidName { .. } | Self::InvalidFinalName { .. } => "invalid-name",
            Self::DuplicateInServer { .. } | Self::Collision { .. } => "collision",
            Self::InvalidSchema { .. } => "invalid-schema",
        }
    }

    /// Returns the rule that reports the tool.
    pub fn rule(&self) -> &'static Rule {
        match self {
            Self::Blacklisted => &run_time::TOOL_BLACKLISTED,
            Self::NotWhitelisted => &run_time::TOOL_NOT_WHITELISTED,
            Self::InvalidName { .. } | Self::InvalidFinalName { .. } => &run_time::INVALID_TOOL_NAME,
            Self::DuplicateInServer { .. } | Self::Collision { .. } => &run_time::TOOL_NAME_COLLISION,
            Self::InvalidSchema { .. } => &run_time::INVALID_TOOL_SCHEMA,
        }
    }

    /// Returns the name that the tool would have, if the judgement came as far as that.
    pub fn final_name(&self) -> Option<&str> {
        match self {
            Self::Blacklisted | Self::NotWhitelisted | Self::InvalidName { .. } => None,
            Self::InvalidFinalName { name, .. } => name.as_deref(),
            Self::DuplicateInServer { name }
            | Self::Collision { name, .. }
            | Self::InvalidSchema { name, .. } => Some(name),
        }
    }
}
