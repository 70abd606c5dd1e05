#![doc = include_str!("../README.md")]
//!
//! # Overview
//!
//! The operations on a single file are methods of [`Place`], a name in an open directory whose real path is known before
//! anything is done: [`Place::create`], [`Place::replace`], [`Place::append`], [`Place::extend`],
//! [`Place::make_directory`], [`Place::rename`], [`Place::remove_file`], [`Place::remove_directory`] and
//! [`Place::remove_tree`]. [`Place::lock`] is an advisory lock. [`View`] has the same operations by path.
//!
//! [`Root::snapshot`] reads many files at once, and [`Root::apply`] makes all changes of a change set or none, even if the
//! process dies.
//!
//! [`install`] installs items, and [`confine`] restricts the process with the help of the kernel.
#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "the other crates use these only through this crate"
)]

mod ancestors;
mod apply;
mod area;
mod confine;
mod dot_git;
mod files;
pub mod install;
mod log_file;
mod named_file;
mod notice;
mod ownership;
mod peers;
mod private_file;
mod process_lock;
mod real_path;
mod root;
mod snapshot;
mod sockets;
mod state;
mod subtree;
mod survey;
mod sweep;
mod syscalls;
pub mod transaction;
mod upward_search;
mod walk;

pub use ancestors::{Ancestor, ancestors_with, home_directory};
pub use apply::ApplyError;
pub use area::{Area, Target};
pub use confine::{Confinement, confine, landlock_version};
pub use dot_git::is_dot_git;
pub use files::{
    Entry, FileError, FileErrorKind, Listing, Lock, LockHolder, Metadata, OpenFile, Place, ReadFile, View,
    end_lock_waits, is_temporary,
};
pub use log_file::LogFile;
pub use named_file::{read_named_file, remove_named_file};
pub use notice::{DEFAULT_LOCK_TIMEOUT, Notice, configure, notify};
pub use ownership::{Caller, Distrust, Ownership, Role, Untrusted, find_untrusted};
pub use peers::{Watched, peer_user, wait_for};
pub use private_file::{PrivateFile, session_folder};
pub use process_lock::ProcessLock;
pub use real_path::{is_writable, may_be_directory, real_path};
pub use root::Root;
pub use snapshot::MAX_FILE_BYTES;
pub use sockets::{NamedListener, connect_to};
pub use state::{directory_name, state_folder};
#[cfg(feature = "faults")]
pub use syscalls::faults;
pub use syscalls::{Kind, Sharing, Stamp};
pub use upward_search::{UpwardSearch, find_upwards, is_directory, obstacle_to_directory, real_directory};
pub use walk::{TooManyEntries, Visited};
