//! Task packages: which there are, what they hold, and changing them.

mod change;
mod fault;
mod history;
pub(crate) mod look;
mod package;
mod pending;
mod record;
mod settle;
mod status;
mod tasks;

pub use change::{Changed, Edit, Request};
pub use package::{Package, SectionText};
pub use status::TextStamp;
pub use tasks::Tasks;

/// Who changes something, and when.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Author {
    /// The id of a member, or `user:NAME`.
    pub actor: String,
    /// The time in milliseconds since 1970 in UTC.
    pub time: u64,
}
