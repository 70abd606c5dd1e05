//! Task packages: finding, reading and changing them.

mod change;
mod errors;
mod history;
mod migrate;
mod package;
mod pending;
mod previous_contents;
mod record;
pub(crate) mod scan;
mod settle;
mod status;
mod tasks;
mod undo;
mod verify;

pub use change::{Changed, Edit, Request};
pub use history::{BlamedLine, ChangeText, History};
pub use migrate::{Migrated, Source};
pub use package::{Package, SectionText};
pub use status::TextStamp;
pub use tasks::Tasks;
pub use undo::Undone;

/// Who changes something, and when.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Author {
    /// The id of a member, or `user:NAME`.
    pub actor: String,
    /// The time in milliseconds since 1970 in UTC.
    pub time: u64,
}
