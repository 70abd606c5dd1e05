//! What a project file says.

use minds_document::{Field, List, Spanned};

use crate::spelled::Spelled;

/// A project: who works in it, and who talks to whom.
#[derive(Clone, Debug, Default)]
pub struct Project {
    /// The version of the format.
    pub version: Field<u64>,
    /// What the project is called, and where it lies.
    pub head: Field<ProjectHead>,
    /// The channels.
    pub channels: Field<List<Channel>>,
    /// The agents to whom others report.
    pub managers: Agents,
    /// The other agents.
    pub workers: Agents,
}

/// What a project is called, and where it lies.
#[derive(Clone, Debug, Default)]
pub struct ProjectHead {
    /// The id, by which files and sessions are named.
    pub id: Field<Spelled>,
    /// The name for people.
    pub name: Field<Spelled>,
    /// The directory in which its agents work.
    pub cwd: Field<Spelled>,
}

/// A channel.
#[derive(Clone, Debug, Default)]
pub struct Channel {
    /// The name.
    pub name: Field<Spelled>,
    /// Who is in it.
    pub members: Field<Members>,
}

/// Who is in a channel.
#[derive(Clone, Debug)]
pub enum Members {
    /// Every agent of the project.
    Everyone,
    /// Those with these ids.
    Listed(List<String>),
}

/// Agents of one kind, by their ids.
#[derive(Clone, Debug, Default)]
pub struct Agents {
    /// The agents, in the order of the file.
    pub agents: Vec<Agent>,
    /// Whether the key could be read; what it says is in `agents`.
    pub field: Field<()>,
}

/// An agent.
#[derive(Clone, Debug)]
pub struct Agent {
    /// The id, which is unique in the project.
    pub id: Spanned<String>,
    /// What the file says about the agent.
    pub fields: Field<Box<AgentFields>>,
}

/// What a file says about an agent.
#[derive(Clone, Debug, Default)]
pub struct AgentFields {
    /// The name of the runtime.
    pub runtime: Field<Spelled>,
    /// The name of the model.
    pub model: Field<Spelled>,
    /// The files that tell the agent who it is.
    pub role_prompt: Field<RolePrompt>,
    /// What the runtime asks before it acts.
    pub permission_mode: Field<Spelled>,
    /// How much the agent may decide.
    pub autonomy: Field<Spelled>,
    /// To which agents it may write.
    pub can_dm: Field<List<Spelled>>,
    /// To which channels it may write.
    pub can_broadcast: Field<List<Spelled>>,
    /// The manager to whom it reports.
    pub reports_to: Field<Spelled>,
    /// The hooks that run at a limit of the provider.
    pub on_rate_limit: Field<List<Spelled>>,
    /// How hard the model thinks; one of [`AgentFields::EFFORTS`].
    pub effort: Field<Spelled>,
    /// Ways by which people reach the agent.
    pub interfaces: Field<AgentInterfaces>,
    /// The name for people.
    pub display_name: Field<Spelled>,
}

impl AgentFields {
    /// How much an agent may decide; other words are taken as they are.
    pub const AUTONOMY: [&str; 3] = ["full", "low_risk_only", "proposal_only"];

    /// What runtimes can ask before they act; other words are taken as they are.
    pub const PERMISSION_MODES: [&str; 5] = ["default", "auto", "acceptEdits", "plan", "bypassPermissions"];

    /// How hard a model can think.
    pub const EFFORTS: [&str; 5] = ["low", "medium", "high", "xhigh", "max"];
    /// The runtime of an agent that names none.
    pub const DEFAULT_RUNTIME: &str = "claude-code";

    /// Returns the name of the runtime.
    pub fn runtime(&self) -> &str {
        self.runtime.given().map_or(Self::DEFAULT_RUNTIME, |runtime| &runtime.value)
    }
}

/// The files that tell an agent who it is: paths from the compose root.
#[derive(Clone, Debug)]
pub enum RolePrompt {
    /// One file, which the runtime reads where it stands.
    File(Spanned<String>),
    /// Files that are put together into a new one, in this order.
    Files(List<String>),
}

/// Ways by which people reach an agent.
#[derive(Clone, Debug, Default)]
pub struct AgentInterfaces {
    /// Telegram.
    pub telegram: Field<Telegram>,
}

/// A bot of Telegram.
#[derive(Clone, Debug, Default)]
pub struct Telegram {
    /// The variable that holds the token of the bot.
    pub bot_token_env: Field<Spelled>,
    /// The variable that holds the chats to which it listens.
    pub chat_ids_env: Field<Spelled>,
    /// What turns speech into text.
    pub speech_to_text: Field<SpeechToText>,
}

/// What turns speech into text.
#[derive(Clone, Debug, Default)]
pub struct SpeechToText {
    /// The provider.
    pub provider: Field<Spelled>,
    /// The variable that holds the key.
    pub api_key_env: Field<Spelled>,
    /// The model.
    pub model: Field<Spelled>,
    /// The language that is spoken.
    pub language: Field<Spelled>,
}
