//! The task package: a directory whose name ends with `.tsk`, which holds what a task is about in sections.
//!
//! [`Section::parse`] says which section a selector and a category name, [`effective`] makes the text that agents are given
//! of the sections, [`guide`] what they are told about packages, [`Journal`] reads who changed what, [`check`] says what is
//! wrong with the layout. All of this is values: `minds-operations` reads and writes packages.
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
mod guide;
mod journal;
mod language;
mod layout;
mod maintainers;
pub mod migration;
pub mod package;
mod role;
pub mod rules;
mod section;
mod single_file;
mod status;
pub mod text;
pub mod tools;
pub mod verification;

pub use blame::{Origin, Step, blame};
pub use code::{TaskCode, TaskError};
pub use difference::unified;
pub use effective::{Bodies, Cut, DEFAULT_BUDGET, Effective, effective};
pub use extras::{Extras, MAX_EXTRAS};
pub use guide::{guide, guide_to_access};
pub use journal::{Draft, Entry, Heads, Journal, JournalLine, Last, Operation, Tail, TailLine};
pub use language::Language;
pub use maintainers::{Maintainers, OPERATOR};
pub use package::PackageName;
pub use rules::{Home, check};
pub use section::{BEAR_IN_MIND, BearInMind, Section, TopLevel};
pub use single_file::{MAX_SINGLE_FILE_BYTES, is_single_file};
pub use status::{BearInMindState, SectionState, Status};
