//! The compose family: `team-compose.yaml`, the project files that it names, their role prompts, and descriptors of
//! runtimes.
//!
//! A compose root is the directory that holds `team-compose.yaml`; in a workspace it is `.team`. The files name each
//! other, so they are read in steps: a [`Reader`] says which [`Place`]s it needs next. [`ComposeFamily::load`] takes a
//! snapshot that holds them all, and [`check`] applies the rules. Reading never fails on content.
//!
//! ```
//! use minds_compose::{ComposeFamily, check};
//! use minds_document::Snapshot;
//! use minds_paths::WorkspacePath;
//!
//! let compose = "version: 2\nprojects: [{file: projects/shop.yaml}]\n";
//! let project = "
//! version: 2
//! project: {id: shop, name: Shop, cwd: ..}
//! managers: {lead: {can_dm: [coder]}}
//! workers: {codr: {reports_to: lead}}
//! ";
//! let snapshot = Snapshot::new()
//!     .with_file(WorkspacePath::parse("team-compose.yaml")?, compose)
//!     .with_file(WorkspacePath::parse("projects/shop.yaml")?, project);
//!
//! let mut problems = minds_diagnostics::Problems::new();
//! let family = ComposeFamily::load(&snapshot).take(&mut problems);
//! problems.append(check(&family));
//! let found = problems.into_sorted();
//! assert_eq!(found[0].message, "`coder` is no agent of the project `shop`");
//! assert_eq!(found[0].help.as_deref(), Some("did you mean `codr`?"));
//! # Ok::<(), minds_paths::PathError>(())
//! ```

mod agents;
mod decode;
mod family;
mod key_order;
mod model;
mod moment;
mod place;
mod project;
mod reader;
pub mod rules;
mod runtime;
pub mod schema;
mod spelled;
mod texts;

pub use agents::{AgentId, AgentRef, Rank};
pub use family::{ComposeFamily, ComposeFile, ProjectFile, Prompt, RuntimeFile};
pub use key_order::key_orders;
pub use model::{
    Attachments, AutoApproval, Broker, Budget, Compose, Hitl, Hook, Interface, ProjectEntry, RateLimits,
    Scanner, Supervisor,
};
pub use place::{COMPOSE_FILE, Place, PlaceError, ROOTS, name_of, scope};
pub use project::{
    Agent, AgentFields, AgentInterfaces, Agents, Channel, Members, Project, ProjectHead, RolePrompt,
    SpeechToText, Telegram,
};
pub use reader::Reader;
pub use rules::check;
pub use runtime::{BUILT_IN_RUNTIMES, RatePattern, Runtime};
pub use spelled::Spelled;
