//! Reading and changing files below a root, one at a time.

mod append;
mod claim;
mod error;
mod list;
mod lock;
mod open_file;
mod patience;
mod place;
mod remove_tree;
mod replace;
mod resolve;
pub(crate) mod temporary;
mod view;

pub use error::{FileError, FileErrorKind};
pub use list::{Entry, Listing};
pub use lock::Lock;
pub use open_file::{Metadata, OpenFile, ReadFile};
pub use patience::{Holder, end_lock_waits};
pub use place::Place;
pub use temporary::is_temporary;
pub use view::View;

pub(crate) use claim::{Claim, bits_of, is_named, remove_stale};
pub(crate) use error::{Refusal, journal_of};
pub(crate) use list::walk;
pub(crate) use open_file::{beginning, content, expect_file, is_read_only, mode_of};
pub(crate) use patience::Patience;
pub(crate) use place::expect_portable;
pub(crate) use remove_tree::{remove_entry, remove_left};
pub(crate) use resolve::Mode;
