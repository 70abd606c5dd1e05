#![doc = include_str!("../README.md")]

mod acp_engine;
mod clock;
mod config;
mod context;
mod files;
mod metrics;
mod models;
mod process;
mod requests;
mod running;
mod tail;
mod tools;
pub mod turn;
mod worker;

pub use config::{
    AgentConfig, AgentSettings, Configuration, EngineConfig, ModelConfig, PromptConfig, Secret,
};
pub use files::{ConfiguredAgent, config_invalid};
pub use process::{FirstStart, run};
pub use tools::{NoTools, RunningTool, ToolEvent, Tools};
