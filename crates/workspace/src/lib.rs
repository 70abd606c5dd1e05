#![doc = include_str!("../README.md")]

pub mod access;
mod check;
mod compose_view;
pub mod decide;
mod discovery;
mod fix;
mod fleet;
mod fleet_provider;
mod format;
mod member_files;
mod redact;
mod rewrite;
mod rules;
mod schemas;
mod suppression;
mod team;

pub use check::{Checked, check, check_compose, check_fleet, check_on, check_read, redact_problems};
pub use compose_view::{AgentView, show_agents};
pub use discovery::{MARKERS, WEAK_MARKERS, compose_scope, named_scope, scope, team_scope};
pub use fix::{Fixed, fix, fix_only};
pub use fleet::{FleetAgentView, FleetField, FleetTool, show_fleet};
pub use format::{Formatted, format};
pub use member_files::{MemberFile, MemberFiles};
pub use minds_core::{Host, TeamFamily};
pub use minds_document::schema::{Draft, FileKind};
pub use minds_sources::COMPATIBILITY as SOURCE_COMPATIBILITY;
pub use redact::{message_without_secrets, redact_findings, without_secrets};
pub use rules::{find_rule, rules};
pub use schemas::{schema, schema_file, schemas};
pub use team::{MemberView, Place, ShownField, show_team};
