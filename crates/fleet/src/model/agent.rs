//! The content of `agent.yaml`.

use minds_document::json_schema::{Keywords as _, string};
use minds_document::{Decode, Field, FiniteNumber, Keys, List, inline_schema};
use minds_vfs::{PathErrorKind, WorkspacePath};

use crate::decode::{absolute_paths, absolute_paths_schema, agent_name, name_schema};
use crate::scalars::{not_blank, not_blank_schema};
use crate::tools::ToolLists;

/// The default maximum number of iterations on a draft.
pub(crate) const DEFAULT_MAX_ITERATIONS: i64 = 3;
/// The default minimum score of a good draft.
pub(crate) const DEFAULT_SCORE_LOWER_BOUND: f64 = 0.7;
/// The default port for metrics: none.
pub(crate) const DEFAULT_PROMETHEUS_PORT: i64 = 0;
/// Whether commands see the environment of the agent by default.
pub(crate) const DEFAULT_INHERIT_ENV: bool = false;

/// The maximum number of a port.
const MAX_PORT: i64 = 65_535;

/// An agent of a fleet.
///
/// The content of `agent.yaml`.
#[derive(Debug, Default, Keys)]
#[keys(title = "fleet agent", describe)]
pub struct Agent {
    /// The name, which is that of the directory.
    #[key(required, decode = agent_name, schema = name_schema)]
    pub name: Field<String>,
    /// The id of a model of `models.yaml`.
    #[key(required, decode = not_blank, schema = not_blank_schema)]
    pub model: Field<String>,
    /// The prompt files.
    #[key(required)]
    pub prompt: Field<PromptFiles>,
    /// The scratchpad settings.
    pub scratchpad: Field<Scratchpad>,
    /// The lists of tools.
    pub tools: Field<ToolLists>,
    /// Additional files that the agent may access.
    pub fs: Field<Sandbox>,
    /// Telemetry settings.
    pub telemetry: Field<Telemetry>,
    /// Settings for commands.
    pub exec: Field<Exec>,
}

/// The files of a prompt.
#[derive(Debug, Default, Keys, Decode)]
#[keys(title = "prompt")]
pub struct PromptFiles {
    /// The base of the prompt.
    #[key(required)]
    pub base: Field<PromptPath>,
    /// Additions by users.
    pub overlay: Field<PromptPath>,
}

/// The path of a prompt file in the directory of its agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PromptPath(WorkspacePath);

/// Why a path of a prompt file is not valid.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PromptPathError {
    /// It leaves the directory, even if only temporarily.
    #[error("it is outside the directory of the agent")]
    Outside,
    /// It is not a relative path.
    #[error("{0}")]
    Path(PathErrorKind),
    /// It is the directory itself.
    #[error("it is not the path of a file")]
    NoFile,
}

/// Scratchpad settings of an agent.
#[derive(Debug, Default, Keys, Decode)]
#[keys(title = "scratchpad")]
pub struct Scratchpad {
    /// The maximum number of iterations on a draft.
    #[key(range = 1.., default = DEFAULT_MAX_ITERATIONS)]
    pub max_iterations: Field<i64>,
    /// The minimum score of a good draft.
    #[key(range = 0.0..=1.0, default = DEFAULT_SCORE_LOWER_BOUND)]
    pub score_lower_bound: Field<FiniteNumber>,
}

/// Files that an agent may access besides its working directory.
#[derive(Debug, Default, Keys, Decode)]
#[keys(title = "fs")]
pub struct Sandbox {
    /// Absolute paths in addition to the working directory.
    #[key(decode = absolute_paths, schema = absolute_paths_schema)]
    pub whitelist: Field<List<String>>,
}

/// Telemetry settings of an agent.
#[derive(Debug, Default, Keys, Decode)]
#[keys(title = "telemetry")]
pub struct Telemetry {
    /// The port for metrics; 0 for none.
    #[key(range = 0..=MAX_PORT, default = DEFAULT_PROMETHEUS_PORT)]
    pub prometheus_port: Field<i64>,
}

/// Settings for commands of an agent.
#[derive(Debug, Default, Keys, Decode)]
#[keys(title = "exec")]
pub struct Exec {
    /// Whether commands see the environment of the agent.
    #[key(default = DEFAULT_INHERIT_ENV)]
    pub inherit_env: Field<bool>,
}

impl PromptPath {
    /// Parses a path relative to the directory of an agent; `.` and repeated slashes are ignored.
    ///
    /// # Errors
    ///
    /// Returns why the path is not valid.
    pub fn parse(text: &str) -> Result<Self, PromptPathError> {
        let path = WorkspacePath::normalize(text).map_err(|error| match error.kind() {
            PathErrorKind::LeavesRoot => PromptPathError::Outside,
            kind => PromptPathError::Path(kind),
        })?;
        if path.is_root() || text.ends_with('/') {
            return Err(PromptPathError::NoFile);
        }
        Ok(Self(path))
    }

    /// Returns the path.
    pub fn path(&self) -> &WorkspacePath {
        &self.0
    }
}

inline_schema!(PromptPath, |_| {
    string()
        .pattern("^[^/\\\\]+(/[^/\\\\]+)*$", "must be a path below the directory of the agent")
        .examples(["system_base.md"])
});
