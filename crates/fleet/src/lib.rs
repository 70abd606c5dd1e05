#![doc = include_str!("../README.md")]

mod decode;
mod effective;
mod error_code;
mod family;
mod key_order;
pub mod merge;
pub mod model;
mod models;
pub mod prompt;
mod prompt_file;
mod redact;
pub mod rules;
mod scalars;
pub mod schema;
mod stack;
pub mod tools;

pub use effective::{EffectiveAgent, EffectiveValue, PromptContents};
pub use error_code::{ErrorCode, Retry, UnknownErrorCode};
pub use family::{AgentEntry, DefaultAgent, FleetFamily, FleetFile, Layer, Prompt, RepeatedId, ToolEntries};
pub use key_order::key_order;
pub use models::{KnownModels, ModelPlace};
pub use rules::check;
pub use stack::{
    AGENT_FILE, AGENTS_FOLDER, DEFAULT_AGENT_FILE, FOLDER, LEGACY_AGENTS_FILE, MODELS_FILE, PROJECT_FILE,
    TOOLS_FILE, ancestor, home, layers, scope,
};
