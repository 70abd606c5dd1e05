#![doc = include_str!("../README.md")]

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
mod tail;
mod tools;
pub mod turn;
mod worker;

pub use config::{AgentConfig, AgentSettings, Configuration, ModelConfig, PromptConfig, Secret};
pub use files::{ConfiguredAgent, config_invalid};
pub use local_control::{LocalControl, LocalStatus};
pub use models::check_model;
pub use process::{ControlThread, FirstStart, run, run_with_control};
pub use tools::{NoTools, RunningTool, ToolEvent, Tools};
