#![doc = include_str!("../README.md")]

mod acp_engine;
mod agent_tools;
mod clock;
mod config;
mod context;
mod files;
mod local_control;
mod metrics;
mod models;
mod process;
mod requests;
mod running;
mod server_definitions;
mod servers;
mod tail;
mod tool_settings;
mod tools;
pub mod turn;
mod worker;

pub use acp_engine::{MemberServer, relay};
pub use agent_tools::AgentTools;
pub use config::{
    AgentConfig, AgentSettings, Configuration, EngineConfig, ModelConfig, OwnPrograms, PromptConfig,
    RelayProgram, Secret,
};
pub use files::{ConfiguredAgent, config_invalid};
pub use local_control::{LocalControl, LocalStatus};
pub use minds_agent_tools::{
    RunningTool, SpawnRequest, SpawnedAgent, SupervisorProgram, ToolEvent, server_of,
};
pub use models::check_model;
pub use process::{ControlThread, FirstStart, run, run_with_control};
pub use server_definitions::ServerDefinitions;
pub use servers::GatewayLauncher;
pub use tool_settings::PolicyReview;
pub use tools::{NoTools, Question, Tools};
