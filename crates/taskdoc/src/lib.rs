#![doc = include_str!("../README.md")]

mod blame;
mod code;
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
mod time;
pub mod tools;
pub mod verification;

pub use blame::{Origin, Step, blame};
pub use code::{TaskCode, TaskError};
pub use effective::{DEFAULT_BUDGET, EffectiveText, IncompleteSection, InjectedBodies, effective_text};
pub use extras::{Extras, MAX_EXTRAS};
pub use guide::{access_guide, guide};
pub use journal::{Draft, Entry, Heads, Journal, JournalEnd, JournalLine, Operation, Tail, TailLine};
pub use language::Language;
pub use maintainers::{Maintainers, OPERATOR};
pub use package::PackageName;
pub use rules::{Home, check};
pub use section::{BEAR_IN_MIND, BearInMind, Section, TopLevel};
pub use single_file::{MAX_SINGLE_FILE_BYTES, is_single_file};
pub use status::{BearInMindState, SectionState, Status};
pub use time::rfc3339;
