//! Task packages: which there are, what they hold, and changing them.

mod change;
mod fault;
mod history;
pub(crate) mod look;
mod migrate;
mod package;
mod past;
mod pending;
mod record;
mod settle;
mod status;
mod tasks;
mod undo;
mod verify;

pub use change::{Changed, Edit, Request};
pub use migrate::{Migrated, Source};
pub use package::{Package, SectionText};
pub use past::{BlamedLine, ChangeText, History};
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
