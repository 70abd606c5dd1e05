//! All families of documents together: what every frontend asks.
//!
//! [`MARKERS`] says what makes a directory a workspace, [`scope`] which files of it are read, [`check`] finds what is
//! wrong in them, and [`rules`] lists what can be found.
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

mod check;
mod discovery;
mod fix;
mod format;
mod rules;
mod team;

pub use check::{Checked, check};
pub use discovery::{MARKERS, scope};
pub use fix::{Fixed, fix, fix_only};
pub use format::{Formatted, format};
pub use rules::{find_rule, rules};
pub use team::{MemberView, Place, ShownField, show_team};
