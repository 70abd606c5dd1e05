#![doc = include_str!("../README.md")]
//!
//! Rendering the launch files of a compose root:
//!
//! ```
//! use minds_compose::ComposeFamily;
//! use minds_vfs::Snapshot;
//! use minds_vfs::WorkspacePath;
//! use minds_render::{Plan, Record, Setting, State, Target, artifacts};
//!
//! let project = "version: 2\nproject: {id: shop, name: Shop, cwd: ..}\nmanagers: {lead: {}}\n";
//! let files = Snapshot::new()
//!     .with_file(WorkspacePath::parse("team-compose.yaml")?, "version: 2\nprojects: [{file: shop.yaml}]\n")
//!     .with_file(WorkspacePath::parse("shop.yaml")?, project);
//! let family = ComposeFamily::load(&files).value;
//!
//! let setting = Setting { root: "/srv/.team", mcp_command: "team-mcp" };
//! let made = artifacts(&family, &setting)?;
//! assert_eq!(made[0].path.as_str(), "state/envs/shop-lead.env");
//! assert!(made[0].bytes.starts_with(b"AGENT_ID=shop:lead\nPROJECT_ID=shop\nRUNTIME=claude-code\n"));
//!
//! let plan = Plan::new(made, &[Target::Artifacts], &Record::Absent, &Snapshot::new());
//! assert!(plan.items().iter().all(|item| item.state == State::Created));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod artifact;
mod artifacts;
pub mod clients;
mod containers;
pub mod jsonc;
mod manifest;
pub mod parts;
mod plan;
pub mod services;
mod target;
mod team_target;

pub use artifact::{Artifact, RenderError, restrict};
pub use artifacts::{Setting, artifacts, team_servers};
pub use manifest::{MANIFEST_FILE, Manifest, Record, RenderedEntry};
pub use minds_clients::ClientId;
pub use plan::{DriftedFile, Item, KeptFile, Plan, PlanRefusal, State, plan_cleanup};
pub use target::Target;
pub use team_target::{Aspect, TeamTarget};
