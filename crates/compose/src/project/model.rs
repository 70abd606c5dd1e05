//! The contents of a project file.

use minds_document::{Decode, Field, Keys, List, Spanned};

use super::decode::{autonomy_schema, effort, permission_mode_schema, runtime_schema};
use crate::raw_scalar::RawScalar;
use crate::values::{is_empty, is_null, keyword_schema, version, version_schema};

/// A project: its agents, and which of them can write to each other.
#[derive(Clone, Debug, Default, Keys, Decode)]
#[keys(title = "project file", describe)]
pub struct Project {
    /// The version of the format: 2.
    #[key(required, decode = version, schema = version_schema, examples = [2])]
    pub version: Field<u64>,
    /// The id, name and directory of the project.
    #[key(name = "project", required)]
    pub head: Field<ProjectHead>,
    /// The channels.
    #[key(absent = is_empty)]
    pub channels: Field<List<Channel>>,
    /// The agents to which other agents can report, by id.
    #[key(absent = is_empty)]
    pub managers: Field<Agents>,
    /// The other agents, by id.
    #[key(absent = is_empty)]
    pub workers: Field<Agents>,
}

impl Project {
    /// Returns the managers, in the order of the file; none if they could not be read.
    pub fn managers(&self) -> &[Agent] {
        self.managers.as_given().map_or(&[], |managers| &managers.value.0)
    }

    /// Returns the workers, in the order of the file; none if they could not be read.
    pub fn workers(&self) -> &[Agent] {
        self.workers.as_given().map_or(&[], |workers| &workers.value.0)
    }
}

/// The id, name and directory of a project.
#[derive(Clone, Debug, Default, Keys, Decode)]
#[keys(title = "project")]
pub struct ProjectHead {
    /// The id, which is part of the names of files and sessions.
    #[key(required)]
    pub id: Field<RawScalar>,
    /// The display name.
    #[key(required)]
    pub name: Field<RawScalar>,
    /// The directory in which its agents work.
    #[key(required)]
    pub cwd: Field<RawScalar>,
}

/// A channel for messages to several agents.
#[derive(Clone, Debug, Default, Keys, Decode)]
#[keys(title = "channel", list = "a list of channels")]
pub struct Channel {
    /// The name.
    #[key(required)]
    pub name: Field<RawScalar>,
    /// The members: `"*"` for all agents, or a list of ids.
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

/// The agents of one kind, in the order of the file.
#[derive(Clone, Debug, Default)]
pub struct Agents(pub Vec<Agent>);

/// An agent.
#[derive(Clone, Debug)]
pub struct Agent {
    /// The id, unique within the project.
    pub id: Spanned<String>,
    /// The settings of the agent.
    pub fields: Field<Box<AgentFields>>,
}

/// The settings of an agent.
#[derive(Clone, Debug, Default, Keys, Decode)]
#[keys(title = "agent", define = "agent")]
pub struct AgentFields {
    /// The runtime: built in, or described in `runtimes/`.
    #[key(schema = runtime_schema, default = Self::DEFAULT_RUNTIME)]
    pub runtime: Field<RawScalar>,
    /// The name of the model.
    #[key(absent = is_null)]
    pub model: Field<RawScalar>,
    /// The files with the role prompt of the agent.
    #[key(absent = is_null)]
    pub role_prompt: Field<RolePrompt>,
    /// Which actions the runtime asks permission for; the values depend on the runtime.
    #[key(absent = is_null, schema = permission_mode_schema)]
    pub permission_mode: Field<RawScalar>,
    /// How much the agent may decide by itself.
    #[key(schema = autonomy_schema, default = Self::DEFAULT_AUTONOMY)]
    pub autonomy: Field<RawScalar>,
    /// The agents to which it may send direct messages; an empty list means all.
    #[key(absent = is_empty)]
    pub can_dm: Field<List<RawScalar>>,
    /// The channels to which it may write; an empty list means all of which it is a member.
    #[key(absent = is_empty)]
    pub can_broadcast: Field<List<RawScalar>>,
    /// The manager to which it reports.
    #[key(absent = is_null)]
    pub reports_to: Field<RawScalar>,
    /// The hooks that run when a rate limit is reached.
    #[key(absent = is_null)]
    pub on_rate_limit: Field<List<RawScalar>>,
    /// The reasoning effort of the model.
    ///
    /// One of [`AgentFields::EFFORTS`].
    #[key(absent = is_null, decode = effort, schema = keyword_schema(&Self::EFFORTS))]
    pub effort: Field<RawScalar>,
    /// Interfaces through which people contact the agent.
    #[key(absent = is_null)]
    pub interfaces: Field<AgentInterfaces>,
    /// The display name.
    #[key(absent = is_null)]
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
    /// The autonomy of agents without `autonomy`.
    pub const DEFAULT_AUTONOMY: &str = "low_risk_only";

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
#[derive(Clone, Debug, Default, Keys, Decode)]
#[keys(title = "interfaces")]
pub struct AgentInterfaces {
    /// A Telegram bot.
    #[key(absent = is_null)]
    pub telegram: Field<Telegram>,
}

/// A Telegram bot.
#[derive(Clone, Debug, Default, Keys, Decode)]
#[keys(title = "telegram")]
pub struct Telegram {
    /// The environment variable that contains the bot token.
    #[key(required)]
    pub bot_token_env: Field<RawScalar>,
    /// The environment variable that contains the ids of the chats that the bot accepts.
    #[key(required)]
    pub chat_ids_env: Field<RawScalar>,
    /// The speech recognition for voice messages.
    #[key(absent = is_null)]
    pub speech_to_text: Field<SpeechToText>,
}

/// The speech recognition for voice messages.
#[derive(Clone, Debug, Default, Keys, Decode)]
#[keys(title = "speech to text")]
pub struct SpeechToText {
    /// The provider.
    #[key(required)]
    pub provider: Field<RawScalar>,
    /// The environment variable that contains the API key.
    #[key(required)]
    pub api_key_env: Field<RawScalar>,
    /// The model.
    #[key(required)]
    pub model: Field<RawScalar>,
    /// The spoken language.
    #[key(absent = is_null)]
    pub language: Field<RawScalar>,
}
