#![doc = include_str!("../README.md")]

pub mod access;
mod check;
#[cfg(feature = "compose")]
mod compose_view;
#[cfg(feature = "clients")]
pub mod context;
pub mod decide;
mod diff;
mod discovery;
mod fix;
#[cfg(feature = "fleet")]
mod fleet;
#[cfg(feature = "fleet")]
mod fleet_member;
#[cfg(feature = "fleet")]
mod fleet_provider;
mod format;
mod member_files;
mod redact;
mod rewrite;
mod rules;
mod schemas;
mod suppression;
mod team;

#[cfg(feature = "fleet")]
pub use check::check_fleet;
pub use check::{Checked, check, check_on, redact_problems};
#[cfg(feature = "compose")]
pub use check::{check_compose, check_read};
#[cfg(feature = "compose")]
pub use compose_view::{AgentView, show_agents};
pub use diff::{removal_diff, unified_diff};
#[cfg(feature = "compose")]
pub use discovery::compose_scope;
#[cfg(feature = "fleet")]
pub use discovery::named_scope;
pub use discovery::{MARKERS, WEAK_MARKERS, scope, team_scope};
pub use fix::{FixResult, fix, fix_only};
#[cfg(feature = "fleet")]
pub use fleet::{FleetAgentView, FleetField, FleetTool, show_fleet};
pub use format::{FormatResult, format};
pub use member_files::{MemberFile, MemberFiles};
pub use minds_core::{Host, TeamFamily};
pub use minds_document::json_schema::{Draft, FileKind};
#[cfg(feature = "sources")]
pub use minds_sources::COMPATIBILITY as SOURCE_COMPATIBILITY;
pub use redact::{message_without_secrets, redact_findings, without_secrets};
pub use rules::{find_rule, rules};
pub use schemas::{schema, schema_file, schemas};
pub use team::{MemberView, Place, ShownField, show_team};
