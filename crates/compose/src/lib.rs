#![doc = include_str!("../README.md")]

mod agents;
mod decode;
mod family;
mod key_order;
mod model;
mod place;
mod project;
mod raw_scalar;
mod reader;
pub mod rules;
mod runtime;
pub mod schema;
mod timestamp;
mod values;

pub use agents::{AgentId, AgentRef, Rank};
pub use family::{ComposeFamily, ComposeFile, ProjectFile, Prompt, RuntimeFile};
pub use key_order::key_orders;
pub use model::{
    AdapterConfig, Attachments, AutoApproval, Broker, Budget, Compose, Hitl, Hook, Interface, ProjectEntry,
    RateLimits, Scanner, Supervisor,
};
pub use place::{COMPOSE_FILE, Place, PlaceError, ROOTS, name_of, scope};
pub use project::{
    Agent, AgentFields, AgentInterfaces, Agents, Channel, Members, Project, ProjectHead, RolePrompt,
    SpeechToText, Telegram,
};
pub use raw_scalar::RawScalar;
pub use reader::Reader;
pub use rules::check;
pub use runtime::{BUILT_IN_RUNTIMES, RatePattern, Runtime};
