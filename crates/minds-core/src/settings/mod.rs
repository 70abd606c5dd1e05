//! `minds.toml`: the settings of `minds` itself for a workspace.
//!
//! ```
//! use minds_core::TeamFamily;
//! use minds_vfs::Snapshot;
//! use minds_vfs::WorkspacePath;
//!
//! let settings = "task_home = \"work/tasks\"\n\n[check]\nstrict = true\n";
//! let snapshot = Snapshot::new().with_file(WorkspacePath::parse(".minds/minds.toml")?, settings);
//! let parsed = TeamFamily::load(&snapshot);
//! assert!(parsed.problems.is_empty());
//!
//! let settings = parsed.value.readable_settings().expect("the file could be read");
//! assert_eq!(settings.task_home().map(|home| home.as_str().to_owned()).as_deref(), Some("work/tasks"));
//! assert!(settings.is_strict());
//! # Ok::<(), minds_vfs::PathError>(())
//! ```

mod decode;
mod gateway;
mod model;

pub use gateway::{Gateway, GatewaySettings};
pub(crate) use model::is_language_tag;
pub use model::{Check, DEFAULT_TASK_HOME, LanguageTag, Settings, TaskHome, TaskHomeError, TaskMaintainers};
