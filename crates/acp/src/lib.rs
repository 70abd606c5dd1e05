#![doc = include_str!("../README.md")]

mod calls;
mod client;
mod engines;
mod framing;
mod message;
mod permissions;
mod server;
mod wire;

pub use client::{
    Client, ClientEvent, ENGINE_LINE_BYTES, McpServer, Opening, PermissionQuestion, SessionOrigin,
};
pub use engines::{EngineRights, EngineSettings, ShortEngine, find_short_engine, short_engines};
pub use framing::{FoundLine, LineSplitter};
pub use permissions::{Permission, Permissions, ToolKind};
pub use server::{Server, ServerAction};
