//! The contents of a runtime descriptor.

use minds_document::{Decode, Field, Keys, List};

use super::decode::{capture_schema, env, env_schema};
use crate::raw_scalar::RawScalar;
use crate::rules::invalid_pattern::{decode_capture, decode_match};
use crate::values::{is_empty, is_null, not_blank, not_blank_schema};

/// The runtimes that need no descriptor.
pub const BUILT_IN_RUNTIMES: [&str; 3] = ["claude-code", "codex", "gemini"];

/// A program that runs agents.
#[derive(Clone, Debug, Default, Keys, Decode)]
#[keys(title = "runtime", describe)]
pub struct Runtime {
    /// The path or name of the program.
    #[key(required, decode = not_blank, schema = not_blank_schema)]
    pub binary: Field<RawScalar>,
    /// Whether it accepts an MCP configuration file.
    #[key(default = false)]
    pub supports_mcp: Field<bool>,
    /// The command-line argument that resumes a session.
    #[key(absent = is_null)]
    pub session_resume: Field<RawScalar>,
    /// The model of agents without `model`.
    #[key(absent = is_null)]
    pub default_model: Field<RawScalar>,
    /// Environment variables for the program.
    #[key(absent = is_empty, decode = env, schema = env_schema)]
    pub env: Field<Vec<(String, RawScalar)>>,
    /// How to recognize in its output that a rate limit is reached.
    #[key(absent = is_empty)]
    pub rate_limit_patterns: Field<List<RatePattern>>,
}

/// A line of output that reports a rate limit.
#[derive(Clone, Debug, Default, Keys, Decode)]
#[keys(title = "pattern", list = "a list of patterns")]
pub struct RatePattern {
    /// A regular expression that matches a line of output.
    #[key(name = "match", required, decode = decode_match, schema = not_blank_schema)]
    pub matches: Field<RawScalar>,
    /// A regular expression whose group captures when the limit ends.
    #[key(absent = is_null, decode = decode_capture, schema = capture_schema)]
    pub resets_at_capture: Field<RawScalar>,
    /// A regular expression whose group captures how many seconds the limit lasts.
    #[key(absent = is_null, decode = decode_capture, schema = capture_schema)]
    pub resets_in_capture: Field<RawScalar>,
}
