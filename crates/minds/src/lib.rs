#![doc = include_str!("../README.md")]

mod check;
#[cfg(feature = "fs")]
mod directory;
mod files;
#[cfg(feature = "render")]
mod render;
#[cfg(feature = "tasks")]
mod task;
#[cfg(feature = "team")]
mod team;

pub use check::{CheckError, check, check_text};
#[cfg(feature = "fs")]
pub use directory::check_directory;
pub use files::{Files, MAX_FILE_BYTES};
#[cfg(feature = "team")]
pub use minds_access_control::{Access, Reason};
pub use minds_diagnostics::{Diagnostic, Report, Rule, Severity, Summary, emit};
#[cfg(feature = "fs")]
pub use minds_operations::{CheckOutcome, OperationError};
#[cfg(feature = "render")]
pub use minds_render::{Artifact, RenderError, Target, clients::Client, services::CommandError};
#[cfg(feature = "tasks")]
pub use minds_taskdoc::{DEFAULT_BUDGET, EffectiveText, Language, Section, TaskError};
pub use minds_vfs::{PathError, WorkspacePath};
#[cfg(feature = "team")]
pub use minds_workspace::access::{AccessDecision, MemberAccess};
pub use minds_workspace::rules;
#[cfg(feature = "render")]
pub use render::{RenderFailure, RenderOptions, Rendering, render};
#[cfg(feature = "tasks")]
pub use task::task_text;
#[cfg(feature = "team")]
pub use team::{NoTeam, Team, UnknownMember};

// The crates themselves, for everything that has no shorter name here.
#[cfg(feature = "team")]
pub use minds_access_control;
#[cfg(feature = "clients")]
pub use minds_clients;
#[cfg(feature = "compose")]
pub use minds_compose;
#[cfg(feature = "team")]
pub use minds_core;
pub use minds_diagnostics;
pub use minds_document;
#[cfg(feature = "fleet")]
pub use minds_fleet;
#[cfg(feature = "fs")]
pub use minds_fs;
#[cfg(feature = "fs")]
pub use minds_git;
#[cfg(feature = "fs")]
pub use minds_installer;
#[cfg(feature = "sources")]
pub use minds_inventory;
#[cfg(feature = "fs")]
pub use minds_operations;
#[cfg(feature = "fs")]
pub use minds_process;
#[cfg(feature = "render")]
pub use minds_render;
#[cfg(feature = "sources")]
pub use minds_sources;
#[cfg(feature = "fs")]
pub use minds_task_store;
#[cfg(feature = "tasks")]
pub use minds_taskdoc;
pub use minds_vfs;
pub use minds_workspace;
