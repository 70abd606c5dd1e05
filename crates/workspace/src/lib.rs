//! All families of documents together: what every frontend asks.
//!
//! [`MARKERS`] says what makes a directory a workspace, [`scope`] which files of it are read, [`check`] finds what is
//! wrong in them, [`rules`] lists what can be found, and [`schemas`] the kinds of files that have a JSON Schema.
//!
//! ```
//! use minds_document::Snapshot;
//! use minds_paths::WorkspacePath;
//!
//! let team = "member_defaults: {provider: codex, model: gpt-5.2}\nmembers: {coder: {tooolsets: [os]}}\n";
//! let snapshot = Snapshot::new().with_file(WorkspacePath::parse(".minds/team.yaml")?, team);
//! let checked = minds_workspace::check(&snapshot);
//!
//! assert_eq!(checked.files, [".minds/team.yaml"]);
//! assert_eq!(checked.diagnostics[0].message, "unknown key `tooolsets`");
//! assert_eq!(checked.diagnostics[0].help.as_deref(), Some("did you mean `toolsets`?"));
//! # Ok::<(), minds_paths::PathError>(())
//! ```

pub mod access;
mod allow;
mod check;
mod compose_view;
pub mod decide;
mod discovery;
mod fix;
mod fleet;
mod fleet_provider;
mod format;
mod member_texts;
mod rewrite;
mod rules;
mod schemas;
mod team;
mod veil;

pub use check::{Checked, check, check_compose, check_fleet, check_on, check_read, shown};
pub use compose_view::{AgentView, show_agents};
pub use discovery::{MARKERS, WEAK_MARKERS, compose_scope, named_scope, scope, team_scope};
pub use fix::{Fixed, fix, fix_only};
pub use fleet::{FleetAgentView, FleetField, FleetTool, show_fleet};
pub use format::{Formatted, format};
pub use member_texts::{MemberText, MemberTexts};
pub use minds_core::{Host, TeamFamily};
pub use minds_document::schema::{Draft, FileKind};
pub use minds_sources::COMPATIBILITY as SOURCE_COMPATIBILITY;
pub use rules::{find_rule, rules};
pub use schemas::{schema, schema_file, schemas};
pub use team::{MemberView, Place, ShownField, show_team};
pub use veil::{cover, message_without_secrets, without_secrets};
