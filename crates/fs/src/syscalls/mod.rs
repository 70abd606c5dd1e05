//! The system calls for files. All other modules of this crate access files below a root only through these
//! calls.
//!
//! Each call takes one entry of one open directory, except [`open_beneath`], whose path the kernel resolves.
//! Therefore a handle can never be left by a name.

mod call;
pub(crate) mod clock;
mod entries;
#[cfg(feature = "faults")]
pub mod faults;
mod renames;
mod unix;

use std::io;

pub(crate) use entries::entries;
pub(crate) use renames::{exchange, rename, rename_new, try_exchange};
pub(crate) use unix::*;

/// The type of a directory entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// A regular file.
    File,
    /// A directory.
    Directory,
    /// A symbolic link.
    Link,
    /// A pipe, a socket or a device.
    Special,
}

/// The metadata of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stat {
    pub(crate) kind: Kind,
    /// The number of hard links.
    pub(crate) links: u64,
    pub(crate) size: u64,
    /// The permission bits, masked with `0o7777`.
    pub(crate) bits: u32,
    /// The identity of the file: device and inode.
    pub(crate) id: FileId,
    /// The modification time, in milliseconds since 1970.
    pub(crate) modified: i64,
}

/// A fingerprint for detecting changes of a file without reading it: identity, size and modification times.
/// If two stamps are equal, the content is the same unless the system clock was set back; if they differ, the
/// content may still be the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stamp {
    id: FileId,
    size: u64,
    /// The modification time in seconds and nanoseconds.
    modified: (i64, i64),
    /// The change time of the inode.
    changed: (i64, i64),
}

/// Device and inode of a file.
pub(crate) type FileId = (u64, u64);

/// The result of entering a path segment.
pub(crate) enum EnterResult {
    /// An opened directory.
    Directory(Handle),
    /// A symbolic link and its target.
    Link(Vec<u8>),
}

/// The purpose of opening an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    /// Reading a file. Opening a pipe or a device does not block.
    Read,
    /// Appending to an existing file.
    Append,
    /// Locking and writing a file created by this program.
    Own,
    /// Reading the entries of a directory.
    Directory,
    /// Reading metadata, including that of a symbolic link.
    Stat,
    /// Reading metadata; a symbolic link is refused.
    StatNoLink,
}

/// The mode of a lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sharing {
    /// Several holders at the same time.
    Shared,
    /// A single holder.
    Exclusive,
}

/// Returns whether the name already exists.
pub(crate) fn is_existing_name(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::AlreadyExists
}

/// Returns whether the name does not exist.
pub(crate) fn is_absent(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::NotFound
}
