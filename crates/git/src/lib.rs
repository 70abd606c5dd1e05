#![doc = include_str!("../README.md")]
//!
//! # Overview
//!
//! [`Git::fetch`] fetches one commit into a new bare repository, [`Git::tree`] lists the files of a commit,
//! and [`Tree::snapshot`] reads the files of a scope, as [`minds_fs::Root::snapshot`] does for a folder. Links
//! and submodules are identified by git itself, no file of a source is ever written under a name chosen by
//! the source, and its hooks, filters and attributes have no effect.
//!
//! The program runs with a controlled environment, without the configuration of the user and the system
//! unless requested, for a single protocol, without a terminal, with a timeout, and with limited output.
#![expect(clippy::disallowed_methods, reason = "starting git needs them")]

mod blobs;
mod command;
mod entry_names;
mod error;
mod fetch;
mod listing;
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

pub use error::{GitError, GitErrorKind};
pub use fetch::{FetchLimits, FetchRequest, FetchResult};
pub use object_id::{ObjectId, ObjectIdError};
pub use parallel::FetchEvent;
pub use program::Git;
pub use progress::Progress;
pub use remote::{RemoteError, RemoteUrl};
pub use revision::{Revision, RevisionError};
pub use tree::{MAX_ENTRIES, Tree};
