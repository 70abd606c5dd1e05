//! The contents of a project file.

use minds_document::{Field, List, Spanned};

use crate::raw_scalar::RawScalar;

/// A project: its agents, and which of them can write to each other.
#[derive(Clone, Debug, Default)]
pub struct Project {
    /// The version of the format.
    pub version: Field<u64>,
    /// The id, name and directory of the project.
    pub head: Field<ProjectHead>,
    /// The channels.
    pub channels: Field<List<Channel>>,
    /// The agents to which other agents can report.
    pub managers: Agents,
    /// The other agents.
    pub workers: Agents,
}

/// The id, name and directory of a project.
#[derive(Clone, Debug, Default)]
pub struct ProjectHead {
    /// The id, which is part of the names of files and sessions.
    pub id: Field<RawScalar>,
    /// The display name.
    pub name: Field<RawScalar>,
    /// The directory in which its agents work.
    pub cwd: Field<RawScalar>,
}

/// A channel for messages to several agents.
#[derive(Clone, Debug, Default)]
pub struct Channel {
    /// The name.
    pub name: Field<RawScalar>,
    /// The members.
    pub members: Field<Members>,
}

/// The members of a channel.
#[derive(Clone, Debug)]
pub enum Members {
    /// Every agent of the project.
    Everyone,
    /// The agents with these ids.
    Listed(List<String>),
}

/// The agents of one kind.
#[derive(Clone, Debug, Default)]
pub struct Agents {
    /// The agents, in the order of the file.
    pub agents: Vec<Agent>,
    /// Whether the key is given and could be read; its contents are in `agents`.
    pub field: Field<()>,
}

/// An agent.
#[derive(Clone, Debug)]
pub struct Agent {
    /// The id, unique within the project.
    pub id: Spanned<String>,
    /// The settings of the agent.
    pub fields: Field<Box<AgentFields>>,
}

/// The settings of an agent.
#[derive(Clone, Debug, Default)]
pub struct AgentFields {
    /// The name of the runtime.
    pub runtime: Field<RawScalar>,
    /// The name of the model.
    pub model: Field<RawScalar>,
    /// The files with the role prompt of the agent.
    pub role_prompt: Field<RolePrompt>,
    /// Which actions the runtime asks permission for.
    pub permission_mode: Field<RawScalar>,
    /// How much the agent may decide by itself.
    pub autonomy: Field<RawScalar>,
    /// The agents to which it may send direct messages.
    pub can_dm: Field<List<RawScalar>>,
    /// The channels to which it may write.
    pub can_broadcast: Field<List<RawScalar>>,
    /// The manager to which it reports.
    pub reports_to: Field<RawScalar>,
    /// The hooks that run when a rate limit is reached.
    pub on_rate_limit: Field<List<RawScalar>>,
    /// The reasoning effort of the model; one of [`AgentFields::EFFORTS`].
    pub effort: Field<RawScalar>,
    /// Interfaces through which people contact the agent.
    pub interfaces: Field<AgentInterfaces>,
    /// The display name.
    pub display_name: Field<RawScalar>,
}

impl AgentFields {
    /// Known values of `autonomy`; other values are passed on unchanged.
    pub const AUTONOMY: [&str; 3] = ["full", "low_risk_only", "proposal_only"];

    /// Known values of `permission_mode`; other values are passed on unchanged.
    pub const PERMISSION_MODES: [&str; 5] = ["default", "auto", "acceptEdits", "plan", "bypassPermissions"];

    /// The values of `effort`.
    pub const EFFORTS: [&str; 5] = ["low", "medium", "high", "xhigh", "max"];
    /// The runtime of agents without `runtime`.
    pub const DEFAULT_RUNTIME: &str = "claude-code";

    /// Returns the name of the runtime, or the default.
    pub fn runtime(&self) -> &str {
        self.runtime.as_given().map_or(Self::DEFAULT_RUNTIME, |runtime| &runtime.value)
    }
}

/// The files with the role prompt of an agent: paths relative to the compose root.
#[derive(Clone, Debug)]
pub enum RolePrompt {
    /// One file, which the runtime reads in place.
    File(Spanned<String>),
    /// Files that are concatenated into a rendered file, in this order.
    Files(List<String>),
}

/// Interfaces through which people contact an agent.
#[derive(Clone, Debug, Default)]
pub struct AgentInterfaces {
    /// Telegram.
    pub telegram: Field<Telegram>,
}

/// A Telegram bot.
#[derive(Clone, Debug, Default)]
pub struct Telegram {
    /// The environment variable that contains the bot token.
    pub bot_token_env: Field<RawScalar>,
    /// The environment variable that contains the ids of the chats that the bot accepts.
    pub chat_ids_env: Field<RawScalar>,
    /// The speech recognition for voice messages.
    pub speech_to_text: Field<SpeechToText>,
}

/// The speech recognition for voice messages.
#[derive(Clone, Debug, Default)]
pub struct SpeechToText {
    /// The provider.
    pub provider: Field<RawScalar>,
    /// The environment variable that contains the API key.
    pub api_key_env: Field<RawScalar>,
    /// The model.
    pub model: Field<RawScalar>,
    /// The spoken language.
    pub language: Field<RawScalar>,
}
