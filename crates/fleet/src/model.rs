//! The decoded files of a layer, before layers are merged.

use minds_document::json_schema::{Keywords as _, string, string_values};
use minds_document::yaml::KeyOrder;
use minds_document::{Decode, EnvVar, Field, FiniteNumber, Keys, List, Spanned, inline_schema};
use minds_vfs::{PathErrorKind, WorkspacePath};

use crate::decode::{
    absolute_paths, absolute_paths_schema, agent_name, expressions, expressions_schema,
    model_settings_schema, models, models_schema, name_schema, project_name, transport_text,
    transport_text_schema, transport_url, transport_url_schema,
};
use crate::scalars::{mapping, not_blank, not_blank_schema};
use crate::tools::ToolLists;

/// The default maximum number of iterations on a draft.
pub(crate) const DEFAULT_MAX_ITERATIONS: i64 = 3;
/// The default minimum score of a good draft.
pub(crate) const DEFAULT_SCORE_LOWER_BOUND: f64 = 0.7;
/// The default port for metrics: none.
pub(crate) const DEFAULT_PROMETHEUS_PORT: i64 = 0;
/// Whether commands see the environment of the agent by default.
pub(crate) const DEFAULT_INHERIT_ENV: bool = false;

/// The maximum retention, in days.
pub(crate) const MAX_RETENTION: i64 = 365;
/// The maximum number of a port.
const MAX_PORT: i64 = 65_535;

/// The project of a fleet.
///
/// The content of `project.yaml`.
#[derive(Debug, Default, Keys)]
#[keys(title = "fleet project", describe)]
pub struct Project {
    /// The name, which is part of the id of each agent.
    #[key(decode = project_name, schema = name_schema)]
    pub name: Field<String>,
    /// A description of the project.
    pub description: Field<String>,
    /// The retention of data of agents, in days.
    #[key(range = 1..=MAX_RETENTION)]
    pub retention_days: Field<i64>,
}

/// The models that agents may use.
///
/// The content of `models.yaml`.
#[derive(Debug, Default, Keys)]
#[keys(title = "fleet models", describe)]
pub struct Models {
    /// Models by id.
    ///
    /// Only the place is here; unreadable if it is not a mapping.
    #[key(name = "models", decode = models, schema = models_schema, order = KeyOrder::named::<ModelFields>())]
    pub models_field: Field<()>,
    /// The models, in the order of the file.
    #[key(skip)]
    pub models: Vec<Model>,
    /// Whether all models of the file are among these.
    #[key(skip)]
    pub is_complete: bool,
}

/// An entry of `models`.
#[derive(Debug)]
pub struct Model {
    /// The id, at its key.
    pub id: Spanned<String>,
    /// The fields; unreadable if it is not a mapping.
    pub fields: Field<ModelFields>,
}

/// The fields of a model in one file.
#[derive(Debug, Default, Keys)]
#[keys(title = "model")]
pub struct ModelFields {
    /// The display name.
    pub name: Field<String>,
    /// A description of the model.
    pub description: Field<String>,
    /// The provider.
    ///
    /// Not blank.
    #[key(decode = not_blank, schema = not_blank_schema, examples = ["openai"])]
    pub provider: Field<String>,
    /// The total length of input and output, in tokens.
    #[key(range = 1..)]
    pub context_window_size: Field<i64>,
    /// The default inference parameters.
    pub default_inference: Field<Inference>,
    /// Settings for the provider.
    ///
    /// Any mapping.
    #[key(decode = mapping, schema = model_settings_schema)]
    pub model_settings: Field<()>,
}

/// Inference parameters.
#[derive(Debug, Default, Keys)]
#[keys(title = "inference", open)]
pub struct Inference {
    /// The maximum length of an answer, in tokens.
    #[key(range = 1..)]
    pub max_tokens: Field<i64>,
    /// Whether answers are streamed.
    pub stream: Field<bool>,
    /// The sampling temperature.
    #[key(range = 0.0..)]
    pub temperature: Field<FiniteNumber>,
    /// The probability mass for nucleus sampling.
    #[key(range = 0.0..=1.0)]
    pub top_p: Field<FiniteNumber>,
    /// The number of most likely tokens for sampling.
    #[key(range = 1..)]
    pub top_k: Field<i64>,
    /// The seed for sampling.
    #[key(range = i64::MIN..)]
    pub seed: Field<i64>,
    /// Stop sequences.
    pub stop: Field<List<String>>,
}

/// The transport of a fleet, and the tools that its agents may have.
///
/// The content of `tools.yaml`.
#[derive(Debug, Default, Keys)]
#[keys(title = "fleet tools", describe)]
pub struct Tools {
    /// The connection between agents and consoles.
    pub mcp: Field<Mcp>,
    /// The tools that agents may have, regardless of their own lists.
    pub tools: Field<ToolLists>,
    /// Regular expressions of text to redact.
    #[key(decode = expressions, schema = expressions_schema)]
    pub redact: Field<List<String>>,
    /// Requirements for agents that join.
    pub security: Field<Security>,
}

/// The connection between agents and consoles.
#[derive(Debug, Default, Keys)]
#[keys(title = "mcp")]
pub struct Mcp {
    /// The server that all agents share.
    pub transport: Field<Transport>,
}

/// The server that all agents share.
#[derive(Debug, Default, Keys, Decode)]
#[keys(title = "transport")]
pub struct Transport {
    /// The kind.
    pub kind: Field<TransportKind>,
    /// The URL of the server.
    #[key(decode = transport_url, schema = transport_url_schema)]
    pub url: Field<TransportValue>,
    /// The name of the account.
    #[key(decode = transport_text, schema = transport_text_schema)]
    pub username: Field<TransportValue>,
    /// The password of the account.
    #[key(decode = transport_text, schema = transport_text_schema)]
    pub password: Field<TransportValue>,
    /// Whether the connection is encrypted.
    pub tls: Field<bool>,
    /// The file with trusted certificates.
    ///
    /// Not blank.
    #[key(decode = not_blank, schema = not_blank_schema)]
    pub ca_file: Field<String>,
}

/// A value of the transport.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TransportValue {
    /// A literal value.
    Literal(String),
    /// An environment variable of the runtime: `{env: NAME}`.
    Variable(EnvVar),
}

/// A reference to an environment variable, in place of a value of the transport.
#[derive(Debug, Keys)]
#[keys(title = "variable")]
pub(crate) struct Variable {
    /// The environment variable of the runtime that contains the value.
    #[key(required)]
    pub(crate) env: Field<EnvVar>,
}

/// A kind of transport.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TransportKind {
    /// `redis`
    Redis,
}

/// Requirements for agents that join.
#[derive(Debug, Default, Keys, Decode)]
#[keys(title = "security")]
pub struct Security {
    /// Whether an agent needs a token that is used once to join.
    pub require_bootstrap: Field<bool>,
}

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

impl TransportKind {
    /// Every kind.
    pub const ALL: [Self; 1] = [Self::Redis];

    /// Returns the name that files use.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Redis => "redis",
        }
    }
}

inline_schema!(TransportKind, |_| string_values(TransportKind::ALL.map(|kind| (kind.as_str(), ""))));

/// Returns whether `text` is a valid name of a project or an agent: ASCII letters, digits, `_` and `-`.
pub fn is_name(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-')
}
