//! The configuration of an agent, which is read again for every step.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use minds_acp::{Permissions, ToolKind};
use minds_agent_tools::ToolSettings;
use minds_exec::{SandboxRules, SupervisorProgram};
use minds_fleet_protocol::{AgentId, Failure, limits};
use serde_json::{Map, Value, json};

use crate::acp_engine::MemberServer;

/// The configuration of an agent.
#[derive(Clone, Debug, PartialEq)]
pub struct AgentConfig {
    /// The id.
    pub id: AgentId,
    /// The working directory, an absolute path.
    pub cwd: String,
    /// The folder with the files of the agent, an absolute path.
    pub state_folder: PathBuf,
    /// The model; none if the agent needs none.
    pub model: Option<ModelConfig>,
    /// The program that performs its turns; none if it uses its model itself.
    pub engine: Option<EngineConfig>,
    /// The system prompt.
    pub prompt: PromptConfig,
    /// Regular expressions of text to redact.
    pub redact: Vec<String>,
    /// The values of secret variables, which are redacted.
    pub secrets: Vec<Secret>,
    /// Numbers.
    pub settings: AgentSettings,
    /// What decides about the tools.
    pub tools: ToolSettings,
}

impl AgentConfig {
    /// Returns the id of the model.
    pub(crate) fn model_id(&self) -> Option<String> {
        let of_engine = self.engine.as_ref().and_then(|engine| engine.model.clone());
        self.model.as_ref().map(|model| model.id.clone()).or(of_engine)
    }
}

/// A value that no output shows.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(pub String);

impl std::fmt::Debug for Secret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("****")
    }
}

/// A model of `models.yaml`.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelConfig {
    /// The key in `models.yaml`.
    pub id: String,
    /// The provider.
    pub provider: String,
    /// The protocol of the provider, as `apiType` of `llm.yaml` has it, or `scripted`; none if the provider is not known.
    pub api_type: Option<String>,
    /// The beginning of the URL of requests.
    pub base_url: Option<String>,
    /// The variable with the key; none if the provider needs none.
    pub key_variable: Option<String>,
    /// The key, if the variable is set.
    pub key: Option<Secret>,
    /// The name at the provider.
    pub name: String,
    /// The length of input and output together, in tokens; 0 if it is not known.
    pub window: u64,
    /// Parameters of each request.
    pub parameters: Map<String, Value>,
    /// The file with the answers of the provider `scripted`, an absolute path.
    pub script: Option<PathBuf>,
}

/// A program that speaks the Agent Client Protocol and performs the turns of an agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EngineConfig {
    /// Its short form in `agent.yaml`, or `acp`.
    pub name: String,
    /// The program: a name, which is searched in `PATH`, or a path relative to the working directory.
    pub program: String,
    /// Its arguments.
    pub args: Vec<String>,
    /// The variables of the agent that it receives besides the usual ones, if they are set.
    pub inherited: Vec<String>,
    /// The variables with keys of models, none of which it inherits.
    pub key_variables: Vec<String>,
    /// Further environment variables.
    pub variables: Vec<(String, Secret)>,
    /// What it may do.
    pub permissions: Permissions,
    /// Whether its own settings say the same. Otherwise it decides itself when to ask.
    pub has_settings: bool,
    /// The working directory, an absolute path without symbolic links.
    pub cwd: PathBuf,
    /// What it can access.
    pub sandbox: SandboxRules,
    /// The paths of the sandbox that the files name, which are reported to the owner if they cannot be used.
    pub named_paths: Vec<PathBuf>,
    /// Whether it works in the working directory. The program of a member has no files in the workspace itself, and works in its
    /// folder for temporary files.
    pub has_files: bool,
    /// The server with the tools of the member that the agent is.
    pub member: Option<MemberServer>,
    /// The model that it is asked to use; none for its own choice.
    pub model: Option<String>,
    /// The mode of its sessions; none for its own choice.
    pub mode: Option<String>,
    /// What it receives with the request for a session.
    pub meta: Option<Map<String, Value>>,
    /// The programs that are started for it.
    pub programs: OwnPrograms,
    /// What the owner should know about its configuration.
    pub warnings: Vec<String>,
}

/// How this program is started to do something beside an agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnPrograms {
    /// It supervises what an agent starts.
    pub supervisor: SupervisorProgram,
    /// It connects an MCP client with the tools of a member: see [`relay`](crate::relay).
    pub relay: RelayProgram,
}

/// A program that calls [`relay`](crate::relay) with its last argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RelayProgram {
    /// The file of the program, an absolute path.
    pub program: PathBuf,
    /// The arguments before the last one.
    pub args: Vec<OsString>,
}

impl EngineConfig {
    /// Describes the program for clients: its permissions by kinds of tool calls, and whether its own settings say the same.
    pub(crate) fn report(&self) -> Value {
        let permissions: Map<String, Value> = ToolKind::ALL
            .into_iter()
            .map(|kind| (kind.as_str().to_owned(), self.permissions.get(kind).as_str().into()))
            .collect();
        json!({
            "name": self.name,
            "program": self.program,
            "permissions": permissions,
            "settings": self.has_settings,
        })
    }
}

/// The parts of a system prompt.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PromptConfig {
    /// What the model reads.
    pub effective: String,
    /// The content of the base file.
    pub base: String,
    /// The content of the overlay file.
    pub overlay: String,
}

/// The default maximum number of steps of a turn.
pub(crate) const DEFAULT_MAX_STEPS: u32 = 50;
/// The default maximum duration of a turn.
pub(crate) const DEFAULT_TURN_TIME: Duration = Duration::from_hours(1);
/// The default maximum length of the output of a tool that a model receives, in bytes.
pub(crate) const DEFAULT_TOOL_OUTPUT_BYTES: u64 = 65_536;

/// Settings with a default each.
#[derive(Clone, Debug, PartialEq)]
pub struct AgentSettings {
    /// The time for which the text of fast models is joined.
    pub coalesce: Duration,
    /// The size at which the history continues in another file, in bytes.
    pub history_max_bytes: u64,
    /// The age at which files of the history are removed, in days.
    pub retention_days: Option<u32>,
    /// The length of a summary, in tokens.
    pub summary_tokens: u64,
    /// The maximum number of steps of a turn.
    pub max_steps: u32,
    /// The maximum duration of a turn, after which it is interrupted.
    pub max_turn_time: Duration,
    /// The port for metrics on the loopback address.
    pub metrics_port: Option<u16>,
}

impl Default for AgentSettings {
    fn default() -> Self {
        Self {
            coalesce: limits::COALESCE_WINDOW,
            history_max_bytes: limits::HISTORY_MAX_BYTES,
            retention_days: None,
            summary_tokens: limits::SUMMARY_TARGET_TOKENS,
            max_steps: DEFAULT_MAX_STEPS,
            max_turn_time: DEFAULT_TURN_TIME,
            metrics_port: None,
        }
    }
}

/// Reads the configuration of an agent.
pub trait Configuration: Send + Sync {
    /// Reads the files.
    ///
    /// # Errors
    ///
    /// Returns `config.invalid` if they have errors.
    fn load(&self) -> Result<AgentConfig, Failure>;

    /// Reads the files for the start of the agent. The first start accepts what the files permit.
    ///
    /// # Errors
    ///
    /// Returns `config.invalid` if the files have errors, or the accepted policy cannot be written.
    fn start(&self) -> Result<AgentConfig, Failure> {
        self.load()
    }

    /// Adds a line to the overlay of the prompt.
    ///
    /// # Errors
    ///
    /// Returns `prompt.protected_violation` if the line would change a protected block, and `config.invalid` if the agent has no
    /// overlay or its file cannot be written.
    fn append_to_overlay(&self, line: &str) -> Result<(), Failure>;

    /// Replaces the overlay of the prompt. With a hash, only an overlay with this hash.
    ///
    /// # Errors
    ///
    /// Returns `args.invalid` if the overlay has another hash, and the errors of [`append_to_overlay`](Self::append_to_overlay).
    fn replace_overlay(&self, text: &str, expected: Option<&str>) -> Result<(), Failure>;
}

/// Returns the hash that identifies a version of an overlay.
pub(crate) fn hash(overlay: &str) -> String {
    minds_vfs::ContentHash::of(overlay.as_bytes()).to_string()
}
