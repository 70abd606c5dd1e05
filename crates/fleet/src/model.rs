//! The files of a layer as they say it, before layers are put together.

use minds_document::{EnvVar, Field, FiniteNumber, List, Spanned};
use minds_paths::{PathErrorKind, WorkspacePath};

use crate::tools::ToolLists;

/// What `project.yaml` says.
#[derive(Debug, Default)]
pub struct Project {
    /// The name, a part of the id of each agent.
    pub name: Field<String>,
    /// What the project is, for people.
    pub description: Field<String>,
    /// For how many days what agents leave behind is kept, from 1 to 365.
    pub retention_days: Field<i64>,
}

/// What `models.yaml` says.
#[derive(Debug, Default)]
pub struct Models {
    /// The models, in the order of the file.
    pub models: Vec<Model>,
    /// The place of `models`, if it is there; unreadable if it is no mapping.
    pub models_field: Field<()>,
    /// Whether all models of the file are among these.
    pub is_complete: bool,
}

/// An entry of `models`.
#[derive(Debug)]
pub struct Model {
    /// The id, at its key.
    pub id: Spanned<String>,
    /// What it says; unreadable if it is no mapping.
    pub fields: Field<ModelFields>,
}

/// What a file says of a model.
#[derive(Debug, Default)]
pub struct ModelFields {
    /// The name that people see.
    pub name: Field<String>,
    /// What the model is for.
    pub description: Field<String>,
    /// Who serves it. Not blank.
    pub provider: Field<String>,
    /// The length of input and output together in tokens, from 1.
    pub context_window_size: Field<i64>,
    /// How it answers unless somebody says otherwise.
    pub default_inference: Field<Inference>,
    /// Settings that belong to the provider; any mapping.
    pub model_settings: Field<()>,
}

/// Parameters of answers.
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
    /// Texts at which an answer ends.
    pub stop: Field<List<String>>,
}

/// What `tools.yaml` says.
#[derive(Debug, Default)]
pub struct Tools {
    /// How agents and consoles reach each other.
    pub transport: Field<Transport>,
    /// Which tools agents may have.
    pub tools: Field<ToolLists>,
    /// Regular expressions of what is never shown.
    pub redact: Field<List<String>>,
    /// What newcomers have to prove.
    pub security: Field<Security>,
}

/// How agents and consoles reach each other.
#[derive(Debug, Default)]
pub struct Transport {
    /// The kind; there is one.
    pub kind: Field<TransportKind>,
    /// Where the server is.
    pub url: Field<TransportValue>,
    /// The name of the account.
    pub username: Field<TransportValue>,
    /// The password of the account.
    pub password: Field<TransportValue>,
    /// Whether the connection is encrypted.
    pub tls: Field<bool>,
    /// The certificates that are trusted.
    pub ca_file: Field<String>,
}

/// Where a value of the transport comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TransportValue {
    /// The file itself.
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

/// What newcomers have to prove.
#[derive(Debug, Default)]
pub struct Security {
    /// Whether an agent needs a token to join.
    pub require_bootstrap: Field<bool>,
}

/// What `agent.yaml` says.
#[derive(Debug, Default)]
pub struct Agent {
    /// The name: that of the directory.
    pub name: Field<String>,
    /// The id of the model.
    pub model: Field<String>,
    /// What it is told.
    pub prompt: Field<PromptFiles>,
    /// How it thinks.
    pub scratchpad: Field<Scratchpad>,
    /// Which tools it has.
    pub tools: Field<ToolLists>,
    /// Which files it may touch.
    pub fs: Field<Sandbox>,
    /// What it tells about itself.
    pub telemetry: Field<Telemetry>,
    /// How it runs commands.
    pub exec: Field<Exec>,
}

/// The files of a prompt.
#[derive(Debug, Default)]
pub struct PromptFiles {
    /// What does not change.
    pub base: Field<PromptPath>,
    /// What people add.
    pub overlay: Field<PromptPath>,
}

/// The path of a prompt file in the directory of its agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PromptPath(WorkspacePath);

/// Why a text is no path of a prompt file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PromptPathError {
    /// It leads out of the directory, if only on the way.
    #[error("it leads out of the directory of the agent")]
    Outside,
    /// It is no relative path.
    #[error("{0}")]
    Path(PathErrorKind),
    /// It names the directory itself.
    #[error("it names no file")]
    NoFile,
}

/// How an agent thinks.
#[derive(Debug, Default)]
pub struct Scratchpad {
    /// How often it goes over a draft, from 1.
    pub max_iterations: Field<i64>,
    /// From which score on a draft is good, from 0 to 1.
    pub score_lower_bound: Field<FiniteNumber>,
}

/// Which files an agent may touch beside its working directory.
#[derive(Debug, Default)]
pub struct Sandbox {
    /// Absolute paths.
    pub whitelist: Field<List<String>>,
}

/// What an agent tells about itself.
#[derive(Debug, Default)]
pub struct Telemetry {
    /// The port for measurements, to 65535; 0 for none.
    pub prometheus_port: Field<i64>,
}

/// How an agent runs commands.
#[derive(Debug, Default)]
pub struct Exec {
    /// Whether commands see the environment of the agent.
    pub inherit_env: Field<bool>,
}

impl PromptPath {
    /// Reads a path below the directory of an agent; `.` and repeated slashes in it mean nothing.
    ///
    /// # Errors
    ///
    /// Returns why `text` names no file there.
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

/// Returns whether a text can be the name of a project or an agent: letters, digits, `_` and `-` of ASCII.
pub fn is_name(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-')
}
