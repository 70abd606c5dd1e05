//! The contents of a runtime descriptor.

use minds_document::{Field, List};

use crate::raw_scalar::RawScalar;

/// The runtimes that need no descriptor.
pub const BUILT_IN_RUNTIMES: [&str; 3] = ["claude-code", "codex", "gemini"];

/// A program that runs agents.
#[derive(Clone, Debug, Default)]
pub struct Runtime {
    /// The path or name of the program.
    pub binary: Field<RawScalar>,
    /// Whether it accepts an MCP configuration file.
    pub supports_mcp: Field<bool>,
    /// The command-line argument that resumes a session.
    pub session_resume: Field<RawScalar>,
    /// The model of agents without `model`.
    pub default_model: Field<RawScalar>,
    /// Environment variables for the program.
    pub env: Field<Vec<(String, RawScalar)>>,
    /// How to recognize in its output that a rate limit is reached.
    pub rate_limit_patterns: Field<List<RatePattern>>,
}

/// A line of output that reports a rate limit.
#[derive(Clone, Debug, Default)]
pub struct RatePattern {
    /// A regular expression for the line.
    pub matches: Field<RawScalar>,
    /// An expression whose group captures when the limit ends.
    pub resets_at_capture: Field<RawScalar>,
    /// An expression whose group captures in how many seconds the limit ends.
    pub resets_in_capture: Field<RawScalar>,
}
