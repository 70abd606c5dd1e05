//! Project files.

mod decode;
mod model;

pub use model::{
    Agent, AgentFields, AgentInterfaces, Agents, Channel, Members, Project, ProjectHead, RolePrompt,
    SpeechToText, Telegram,
};
