//! Repositories of others, read by the git program and never checked out.
//!
//! [`Git::fetch`] brings one commit of a repository into a bare one of ours, [`Git::tree`] lists what a commit holds, and
//! [`Tree::snapshot`] reads of it what a scope names, as [`crate::Root::snapshot`] does of a folder. So links and submodules are
//! known by what git says they are, nothing of a source is ever written below a name of its choice, and none of its hooks,
//! filters and attributes is in effect.
//!
//! The program runs with an environment that is put together here, without the configuration of the user and the system
//! unless that is asked for, for one protocol, without a terminal, for a limited time, and with limited output.

mod blobs;
mod command;
mod error;
mod fetch;
mod listing;
mod names;
mod object_id;
mod parallel;
mod program;
mod progress;
mod remote;
mod repository;
mod revision;
mod snapshot;
mod survey;
mod tree;

pub(crate) use names::is_dot_git;

pub use error::{GitError, GitErrorKind};
pub use fetch::{FetchLimits, FetchRequest, Fetched};
pub use object_id::{ObjectId, ObjectIdError};
pub use parallel::FetchEvent;
pub use program::Git;
pub use progress::Progress;
pub use remote::{RemoteError, RemoteUrl};
pub use revision::{Revision, RevisionError};
pub use tree::{MAX_ENTRIES, Tree};
