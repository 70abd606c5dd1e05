//! The decoded files of a layer, before layers are merged.

use minds_document::{EnvVar, Field, FiniteNumber, List, Spanned};
use minds_paths::{PathErrorKind, WorkspacePath};

use crate::tools::ToolLists;

/// The content of `project.yaml`.
#[derive(Debug, Default)]
pub struct Project {
    /// The name, a part of the id of each agent.
    pub name: Field<String>,
    /// What the project is, for people.
    pub description: Field<String>,
    /// The retention of data of agents, in days, from 1 to 365.
    pub retention_days: Field<i64>,
}

/// The content of `models.yaml`.
#[derive(Debug, Default)]
pub struct Models {
    /// The models, in the order of the file.
    pub models: Vec<Model>,
    /// The place of `models`, if it exists; unreadable if it is not a mapping.
    pub models_field: Field<()>,
    /// Whether all models of the file are among these.
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
#[derive(Debug, Default)]
pub struct ModelFields {
    /// The display name.
    pub name: Field<String>,
    /// What the model is for.
    pub description: Field<String>,
    /// The provider. Not blank.
    pub provider: Field<String>,
    /// The total length of input and output in tokens, from 1.
    pub context_window_size: Field<i64>,
    /// The default inference parameters.
    pub default_inference: Field<Inference>,
    /// Settings that belong to the provider; any mapping.
    pub model_settings: Field<()>,
}

/// Inference parameters.
#[derive(Debug, Default)]
pub struct Inference {
    /// The length of an answer in tokens, from 1.
    pub max_tokens: Field<i64>,
    /// Whether answers are streamed.
    pub stream: Field<bool>,
    /// From 0.
    pub temperature: Field<FiniteNumber>,
    /// From 0 to 1.
    pub top_p: Field<FiniteNumber>,
    /// From 1.
    pub top_k: Field<i64>,
    /// Any integer.
    pub seed: Field<i64>,
    /// Stop sequences.
    pub stop: Field<List<String>>,
}

/// The content of `tools.yaml`.
#[derive(Debug, Default)]
pub struct Tools {
    /// The connection between agents and consoles.
    pub transport: Field<Transport>,
    /// The lists of tools of the project.
    pub tools: Field<ToolLists>,
    /// Regular expressions of text to redact.
    pub redact: Field<List<String>>,
    /// Requirements for agents that join.
    pub security: Field<Security>,
}

/// The connection between agents and consoles.
#[derive(Debug, Default)]
pub struct Transport {
    /// The kind; there is one.
    pub kind: Field<TransportKind>,
    /// The URL of the server.
    pub url: Field<TransportValue>,
    /// The name of the account.
    pub username: Field<TransportValue>,
    /// The password of the account.
    pub password: Field<TransportValue>,
    /// Whether the connection is encrypted.
    pub tls: Field<bool>,
    /// The file with trusted certificates.
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

/// A kind of transport.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TransportKind {
    /// `redis`
    Redis,
}

/// Requirements for agents that join.
#[derive(Debug, Default)]
pub struct Security {
    /// Whether an agent needs a token to join.
    pub require_bootstrap: Field<bool>,
}

/// The content of `agent.yaml`.
#[derive(Debug, Default)]
pub struct Agent {
    /// The name: that of the directory.
    pub name: Field<String>,
    /// The id of the model.
    pub model: Field<String>,
    /// The prompt files.
    pub prompt: Field<PromptFiles>,
    /// The scratchpad settings.
    pub scratchpad: Field<Scratchpad>,
    /// The lists of tools of the agent.
    pub tools: Field<ToolLists>,
    /// Additional files that it may access.
    pub fs: Field<Sandbox>,
    /// Telemetry settings.
    pub telemetry: Field<Telemetry>,
    /// Settings for commands.
    pub exec: Field<Exec>,
}

/// The files of a prompt.
#[derive(Debug, Default)]
pub struct PromptFiles {
    /// The base.
    pub base: Field<PromptPath>,
    /// The overlay.
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
    #[error("it leaves the directory of the agent")]
    Outside,
    /// It is not a relative path.
    #[error("{0}")]
    Path(PathErrorKind),
    /// It is the directory itself.
    #[error("it is not the path of a file")]
    NoFile,
}

/// Scratchpad settings of an agent.
#[derive(Debug, Default)]
pub struct Scratchpad {
    /// The maximum number of iterations on a draft, from 1.
    pub max_iterations: Field<i64>,
    /// The minimum score of a good draft, from 0 to 1.
    pub score_lower_bound: Field<FiniteNumber>,
}

/// Files that an agent may access besides its working directory.
#[derive(Debug, Default)]
pub struct Sandbox {
    /// Absolute paths.
    pub whitelist: Field<List<String>>,
}

/// Telemetry settings of an agent.
#[derive(Debug, Default)]
pub struct Telemetry {
    /// The port for metrics, up to 65535; 0 for none.
    pub prometheus_port: Field<i64>,
}

/// Settings for commands of an agent.
#[derive(Debug, Default)]
pub struct Exec {
    /// Whether commands see the environment of the agent.
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

impl TransportKind {
    /// Returns the name that files use.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Redis => "redis",
        }
    }
}

/// Returns whether `text` is a valid name of a project or an agent: ASCII letters, digits, `_` and `-`.
pub fn is_name(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-')
}
