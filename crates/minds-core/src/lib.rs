//! The team family: `team.yaml`, `llm.yaml`, `mcp.yaml`, `minds.toml` and the minds files in `.minds/`.
//!
//! [`TeamFamily::load`] reads the files of a snapshot, [`check`] applies the rules, [`Effective`] says what a member
//! has after inheritance. Reading never fails on content: what could be read is there, and every problem is reported.
//!
//! ```
//! use minds_core::{TeamFamily, check};
//! use minds_document::Snapshot;
//! use minds_paths::WorkspacePath;
//!
//! let team = "
//! member_defaults: {provider: codex, model: gpt-5.2}
//! default_responder: codr
//! members:
//!   coder: {toolsets: [ws_read, ws_mod]}
//! ";
//! let snapshot = Snapshot::new().with_file(WorkspacePath::parse(".minds/team.yaml")?, team);
//!
//! let mut problems = minds_diagnostics::Problems::new();
//! let family = TeamFamily::load(&snapshot).take(&mut problems);
//! problems.append(check(&family));
//! let found = problems.into_sorted();
//! assert_eq!(found[0].rule.code, "team/unknown-member");
//! assert_eq!(found[0].help.as_deref(), Some("did you mean `coder`?"));
//! # Ok::<(), minds_paths::PathError>(())
//! ```

mod access;
pub mod catalog;
mod decode;
mod effective;
mod family;
mod grants;
mod host;
mod key_order;
pub mod llm;
pub mod mcp;
mod mind_files;
mod model;
mod named_entries;
mod names;
mod params;
mod power;
pub mod rules;
pub mod schema;
pub mod settings;
mod texts;

pub use access::{ListPlace, MemberPolicies, MemberPolicy};
pub use effective::{Effective, EffectiveField, SHADOW_MEMBERS, ShadowMember};
pub use family::{
    LLM_FILE, LlmFile, MCP_FILE, McpFile, SETTINGS_FILE, SettingsFile, TEAM_FILE, TeamFamily, TeamFile,
    is_of_family, scope,
};
pub use grants::Grants;
pub use host::Host;
pub use key_order::key_order;
pub use llm::providers::{Provider, Providers};
pub use mcp::servers::Servers;
pub use mind_files::{MAX_MIND_BYTES, MINDS_FOLDER, MindFile, MindFolders, choose as choose_mind_files};
pub use minds_document::EnvVar;
pub use model::{
    AccessList, AccessLists, ExtensionLists, Member, MemberFields, ModelParams, RareFields, Routing, Team,
    Wording,
};
pub use power::{POWERFUL_FILES, PowerfulFile};
pub use rules::{check, check_host, check_texts};
