//! What a descriptor of a runtime says.

use minds_document::{Field, List};

use crate::spelled::Spelled;

/// The runtimes that need no descriptor.
pub const BUILT_IN_RUNTIMES: [&str; 3] = ["claude-code", "codex", "gemini"];

/// A program that runs agents.
#[derive(Clone, Debug, Default)]
pub struct Runtime {
    /// The program.
    pub binary: Field<Spelled>,
    /// Whether it reads a configuration of MCP servers.
    pub supports_mcp: Field<bool>,
    /// The argument by which it takes up an earlier session.
    pub session_resume: Field<Spelled>,
    /// The model of an agent that names none.
    pub default_model: Field<Spelled>,
    /// Variables that it is given.
    pub env: Field<Vec<(String, Spelled)>>,
    /// How it says that a limit of the provider is reached.
    pub rate_limit_patterns: Field<List<RatePattern>>,
}

/// A line by which a runtime says that a limit is reached.
#[derive(Clone, Debug, Default)]
pub struct RatePattern {
    /// A regular expression for the line.
    pub matches: Field<Spelled>,
    /// The group that says when the limit ends.
    pub resets_at_capture: Field<Spelled>,
    /// The group that says in how many seconds it ends.
    pub resets_in_capture: Field<Spelled>,
}
