//! Reading and changing single files below a root.

mod append;
mod claim;
mod error;
mod list;
mod lock;
mod lock_wait;
mod open_file;
mod place;
mod remove_tree;
mod replace;
mod resolve;
pub(crate) mod temporary;
mod view;

pub use error::{FileError, FileErrorKind};
pub use list::{Entry, Listing};
pub use lock::Lock;
pub use lock_wait::{LockHolder, end_lock_waits};
pub use open_file::{Metadata, OpenFile, ReadFile};
pub use place::Place;
pub use temporary::is_temporary;
pub use view::View;

pub(crate) use claim::{Claim, bits_of, is_named, remove_stale};
pub(crate) use error::{Refusal, journal_of};
pub(crate) use list::walk;
pub(crate) use lock_wait::LockWait;
pub(crate) use open_file::{expect_file, is_read_only, mode_of, read_all, read_prefix};
pub(crate) use place::expect_portable;
pub(crate) use remove_tree::{remove_directory_tree, remove_leftover};
pub(crate) use resolve::Mode;
