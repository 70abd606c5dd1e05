//! The task package: a directory whose name ends with `.tsk`, which holds what a task is about in sections.
//!
//! [`Section::parse`] says which section a selector and a category name, [`effective`] makes the text that agents are given
//! of the sections, [`Journal`] reads who changed what. All of this is values: `minds-operations` reads and writes packages.
//!
//! ```
//! use minds_taskdoc::{Bodies, Language, Section, TaskCode, effective};
//!
//! assert_eq!(Section::parse("grants", Some("bearinmind"))?.to_string(), "bearinmind/grants");
//! assert_eq!(Section::parse("grants", None).unwrap_err().code, TaskCode::InvalidTopLevelSelector);
//!
//! let bodies = Bodies::new().with(Section::GOALS, "Ship it.\n");
//! let text = effective(&bodies, Language::English, 100 * 1024).text;
//! assert!(text.starts_with("# Taskdoc (Dialog Tree)\n\n## Goals\nShip it.\n\n"));
//! # Ok::<(), minds_taskdoc::TaskError>(())
//! ```

mod blame;
mod code;
mod difference;
mod effective;
mod extras;
mod journal;
mod language;
pub mod migration;
pub mod package;
mod section;
pub mod verification;

pub use blame::{Origin, Step, blame};
pub use code::{TaskCode, TaskError};
pub use difference::unified;
pub use effective::{Bodies, Cut, DEFAULT_BUDGET, Effective, effective};
pub use extras::{Extras, MOST_EXTRAS};
pub use journal::{Draft, Entry, Heads, Journal, JournalLine, Operation};
pub use language::Language;
pub use package::PackageName;
pub use section::{BearInMind, Section, TopLevel};
