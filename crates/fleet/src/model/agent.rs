//! The content of `agent.yaml`.

use minds_document::json_schema::{Keywords as _, string};
use minds_document::json_schema::{Schema, json};
use minds_document::{Decode, EnvVar, Field, FiniteNumber, Keys, List, inline_schema};
use minds_vfs::{PathErrorKind, WorkspacePath};

use crate::decode::{
    absolute_paths, absolute_paths_schema, agent_name, engine, engine_schema, name_schema, sandbox_paths,
    sandbox_paths_schema, variable_names, variable_names_schema,
};
use crate::model::{Engine, EngineFields, EngineKind, SHORT_ENGINES};
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

/// Whether an agent needs a sandbox for commands by default.
pub(crate) const DEFAULT_REQUIRE_SANDBOX: bool = false;
/// The default working directory: the workspace.
pub(crate) const DEFAULT_CWD: &str = ".";
/// The default maximum number of steps of a turn.
pub(crate) const DEFAULT_MAX_STEPS: i64 = 50;
/// The default maximum duration of a turn, in seconds.
pub(crate) const DEFAULT_TURN_SECONDS: i64 = 3_600;
/// The default maximum length of the output of a tool that a model receives, in bytes.
pub(crate) const DEFAULT_TOOL_OUTPUT_BYTES: i64 = 65_536;

/// The maximum number of steps of a turn.
const MAX_STEPS: i64 = 10_000;
/// The maximum duration of a turn, in seconds: a day.
const MAX_TURN_SECONDS: i64 = 86_400;
/// The minimum of the limit on the output of a tool, in bytes.
const MIN_OUTPUT_BYTES: i64 = 1_024;
/// The maximum of the limit on the output of a tool, in bytes.
const MAX_OUTPUT_BYTES: i64 = 16_777_216;
/// The maximum number of a port.
const MAX_PORT: i64 = 65_535;

/// An agent of a fleet.
///
/// The content of `agent.yaml`.
#[derive(Debug, Default, Keys)]
#[keys(title = "fleet agent", describe, extend = require_without_acp)]
pub struct Agent {
    /// The name, which is that of the directory.
    #[key(required, decode = agent_name, schema = name_schema)]
    pub name: Field<String>,
    /// What performs the work of the agent; by default requests to its model.
    #[key(decode = engine, schema = engine_schema, order = EngineFields::ORDER)]
    pub engine: Field<Engine>,
    /// The id of a model of `models.yaml`; only an engine of the kind `acp` works without it.
    #[key(decode = not_blank, schema = not_blank_schema)]
    pub model: Field<String>,
    /// The prompt files; only an engine of the kind `acp` works without them.
    pub prompt: Field<PromptFiles>,
    /// The member of `team.yaml` whose toolsets and access lists apply as well.
    #[key(decode = not_blank, schema = not_blank_schema)]
    pub member: Field<String>,
    /// The working directory, relative to the workspace, which is the default.
    #[key(decode = not_blank, schema = not_blank_schema)]
    pub cwd: Field<String>,
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
    /// Limits of turns.
    pub limits: Field<Limits>,
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
    /// The environment variables of the agent that commands see in addition to the usual ones.
    #[key(decode = variable_names, schema = variable_names_schema)]
    pub env: Field<List<EnvVar>>,
    /// Absolute paths and paths below `~/` that commands may read in addition.
    #[key(decode = sandbox_paths, schema = sandbox_paths_schema)]
    pub read: Field<List<String>>,
    /// Absolute paths and paths below `~/` that commands may write in addition.
    #[key(decode = sandbox_paths, schema = sandbox_paths_schema)]
    pub write: Field<List<String>>,
    /// Whether the agent does not start on a system without a complete sandbox.
    #[key(default = DEFAULT_REQUIRE_SANDBOX)]
    pub require_sandbox: Field<bool>,
}

/// Limits of the turns of an agent.
#[derive(Debug, Default, Keys, Decode)]
#[keys(title = "limits")]
pub struct Limits {
    /// The maximum number of steps of a turn.
    #[key(range = 1..=MAX_STEPS, default = DEFAULT_MAX_STEPS)]
    pub max_steps: Field<i64>,
    /// The maximum duration of a turn, in seconds.
    #[key(range = 1..=MAX_TURN_SECONDS, default = DEFAULT_TURN_SECONDS)]
    pub turn_seconds: Field<i64>,
    /// The maximum length of the output of a tool that the model receives, in bytes.
    #[key(range = MIN_OUTPUT_BYTES..=MAX_OUTPUT_BYTES, default = DEFAULT_TOOL_OUTPUT_BYTES)]
    pub tool_output_bytes: Field<i64>,
}

impl Agent {
    /// Returns whether the engine speaks the Agent Client Protocol; `None` if it cannot be read.
    pub fn is_acp(&self) -> Option<bool> {
        match &self.engine {
            Field::Absent => Some(false),
            Field::Given(engine) => engine.value.kind().map(EngineKind::is_acp),
            Field::Unreadable(_) => None,
        }
    }
}

/// Adds the keys that only an agent without an engine of the kind `acp` needs.
fn require_without_acp(schema: Schema) -> Schema {
    let kinds: Vec<&str> = EngineKind::all().filter(|kind| kind.is_acp()).map(EngineKind::as_str).collect();
    let kind = json!({ "required": ["kind"], "properties": { "kind": { "enum": kinds } } });
    let is_acp = json!({ "anyOf": [{ "enum": SHORT_ENGINES }, { "type": "object", "allOf": [kind] }] });
    let holds = json!({ "required": ["engine"], "properties": { "engine": is_acp } });
    schema.condition(json!({ "if": holds, "else": { "required": ["model", "prompt"] } }))
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
