#![doc = include_str!("../README.md")]

mod client;
mod client_id;
mod decode;
mod family;
mod imports;
mod json;
mod kind;
mod pattern;
pub mod permissions;
pub mod rules;
mod selection;
mod shape;
mod start;
mod tokens;
mod tree;

pub use client::{
    AgentTools, BrokenYaml, Client, First, Format, KindData, McpForm, Names, Retirement, StartFiles,
    StartSetting, StartSource, TeamForm, clients,
};
pub use client_id::ClientId;
pub use decode::{Content, Flaw};
pub use family::{ClientFile, ClientsFamily, search_limit};
pub use imports::Import;
pub use kind::Kind;
pub use rules::{check, read_tool_list};
pub use selection::{MARKERS, MAX_FILE_BYTES, is_candidate, is_read_if_ignored, may_contain, select};
pub use shape::{Shape, Type};
pub use start::{NamedFile, StartFile, find_start_files, find_start_servers};
pub use tokens::{BYTES_PER_TOKEN, TOKEN_ESTIMATE, estimate_tokens};
pub use tree::{Entry, Item, Value};
