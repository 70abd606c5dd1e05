#![doc = include_str!("../README.md")]

mod access;
pub mod catalog;
mod decode;
mod effective;
mod family;
mod grants;
mod host;
pub mod llm;
pub mod mcp;
mod mind_files;
mod model;
mod name_index;
mod named_entries;
mod params;
mod powerful_files;
pub mod rules;
pub mod schema;
pub mod settings;
mod string_values;

pub use access::{ListPlace, MemberPolicies, MemberPolicy};
pub use effective::{Effective, EffectiveField, SHADOW_MEMBERS, ShadowMember};
pub use family::{
    LLM_FILE, LlmFile, MCP_FILE, McpFile, SETTINGS_FILE, SettingsFile, TEAM_FILE, TeamFamily, TeamFile,
    is_in_family_directory, key_order, scope,
};
pub use grants::Grants;
pub use host::Host;
pub use llm::providers::{Provider, Providers};
pub use mcp::servers::Servers;
pub use mind_files::{MAX_MIND_BYTES, MINDS_FOLDER, MindFile, MindFolders, choose_mind_files};
pub use minds_document::EnvVar;
pub use model::{
    AccessList, AccessLists, CheckedText, Effort, ExtensionLists, Member, MemberFields, ModelParams,
    RareFields, Routing, Team,
};
pub use powerful_files::{POWERFUL_FILES, PowerfulFile};
pub use rules::{check, check_host, check_secrets, member_id_obstacle};
