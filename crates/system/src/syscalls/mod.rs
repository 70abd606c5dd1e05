//! Every call by which files are reached. Nothing else in this crate asks the system about a file below a root.
//!
//! Each call names one entry of one open directory, except [`open_beneath`], which the kernel resolves. So whoever holds
//! a handle never leaves it by a name.

mod call;
pub(crate) mod clock;
mod entries;
#[cfg(feature = "faults")]
pub mod faults;
mod unix;

use std::io;

pub(crate) use entries::entries;
pub(crate) use unix::*;

/// What stands under a name.
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

/// What the system says about a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stat {
    pub(crate) kind: Kind,
    /// The number of names that it has.
    pub(crate) links: u64,
    pub(crate) size: u64,
    /// The permissions, `0o7777` of them.
    pub(crate) bits: u32,
    /// By which it is the same file as another: device and number.
    pub(crate) id: FileId,
}

/// By what it is seen that a file is another than before, without reading it: which file it is, its size, and when it was
/// changed. Where two are equal the content is the same, unless somebody set the clock back; two that differ say nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stamp {
    id: FileId,
    size: u64,
    /// When the content changed, in seconds and nanoseconds.
    modified: (i64, i64),
    /// When anything about it changed.
    changed: (i64, i64),
}

/// Device and number of a file.
pub(crate) type FileId = (u64, u64);

/// What was found on the way.
pub(crate) enum Entered {
    /// A directory, opened.
    Directory(Handle),
    /// A link, and where it says that it leads.
    Link(Vec<u8>),
}

/// For what something is opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wanted {
    /// The content of a file. A pipe or a device does not make the caller wait.
    Read,
    /// Writing at the end of a file that is there.
    Append,
    /// Locking a file of our own, and writing it.
    Own,
    /// The entries of a directory.
    Directory,
    /// What the system says about it, a link included.
    Look,
    /// The same, where a link is refused.
    LookBehind,
}

/// How a lock excludes others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sharing {
    /// Others may share the lock too.
    Shared,
    /// Nobody else has it.
    Exclusive,
}

/// Returns whether an entry has the name already.
pub(crate) fn is_taken(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::AlreadyExists
}

/// Returns whether nothing has the name.
pub(crate) fn is_absent(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::NotFound
}
