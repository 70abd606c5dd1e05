//! What can go wrong with a file.

use std::io;

use minds_paths::portable::NameProblem;
use minds_paths::{Location, MountId, WorkspacePath};

use super::patience::Holder;
use super::temporary::JOURNAL;
use crate::syscalls::{Kind, is_no_file};

/// Why something was not done with a file. No path of the machine is in it, only the place below its root.
#[derive(Debug, thiserror::Error)]
#[error("cannot {action} `{location}`: {kind}")]
pub struct FileError {
    action: &'static str,
    location: Location,
    kind: FileErrorKind,
    source: Option<io::Error>,
}

/// The ways in which something can fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FileErrorKind {
    /// Nothing is there, or nothing that could hold it.
    #[error("it does not exist")]
    NotFound,
    /// Something is there already.
    #[error("it already exists")]
    AlreadyExists,
    /// A link leads out of the root.
    #[error("it is a symbolic link that leads out of the workspace")]
    Outside,
    /// There is a link where none is followed.
    #[error("there is a symbolic link, and none is followed here")]
    Link,
    /// Links lead to each other, or there are too many.
    #[error("too many symbolic links follow each other")]
    TooManyLinks,
    /// It is something else than a file.
    #[error("it is {}", no_file(*.0))]
    NotFile(Kind),
    /// It is no directory, or what should hold it is none.
    #[error("it is no directory")]
    NotDirectory,
    /// The file has other names as well, which may lie outside.
    #[error("it is a file with several names (hard links), and the others may lie outside of the workspace")]
    SeveralLinks,
    /// The file is larger than the caller takes, or a directory holds more.
    #[error("it is too large")]
    TooLarge,
    /// The file is not what the caller expects, or was exchanged meanwhile.
    #[error("it has changed")]
    Changed,
    /// The directory is not empty.
    #[error("it is not empty")]
    NotEmpty,
    /// A directory cannot be moved into itself.
    #[error("it cannot be moved into itself")]
    IntoItself,
    /// It lies on another file system than the place that it would move to.
    #[error("it lies on another file system")]
    OtherFileSystem,
    /// The root itself cannot be changed.
    #[error("it is the workspace itself")]
    Root,
    /// The name is one that temporary files have.
    #[error("such names are kept for temporary files")]
    Reserved,
    /// The name, or one that a link leads to, cannot be written as a path of the workspace.
    #[error("its real name cannot be written as a path")]
    Unnamed,
    /// A journal at the top of the root was not written there by this program; nothing is changed while it is there.
    #[error("it is a journal that was not written here; remove it")]
    Foreign,
    /// Something else than a file has the name of the journal at the top of the root; nothing is changed while it is there.
    #[error("it is {}, and interrupted changes are recorded in a file of this name; remove it", no_file(*.0))]
    ForeignJournal(Kind),
    /// Something new would have a name that some system refuses or takes for another. What has such a name can be read.
    #[error("such a name cannot be used on every system: {0}")]
    Unportable(NameProblem),
    /// A name is longer than the system takes.
    #[error("its name is too long")]
    NameTooLong,
    /// The system does not permit it.
    #[error("permission denied")]
    PermissionDenied,
    /// The file, or the file system, may only be read.
    #[error("it is read-only")]
    ReadOnly,
    /// The disk or the quota is full.
    #[error("there is no space left")]
    NoSpace,
    /// Another process has locked it, and kept it locked for as long as it was waited for.
    #[error("{0} has locked it")]
    Locked(Holder),
    /// It is in use, or was moved about again and again.
    #[error("it is in use")]
    Busy,
    /// It was changed, but the disk did not confirm that the change will last.
    #[error("it was changed, but the disk did not confirm it")]
    Unconfirmed,
    /// A part of a text was appended, and could not be taken back.
    #[error("a part of it was written and could not be taken back")]
    HalfDone,
    /// A directory was removed, and what it held could not all be cleared away: the rest is in a directory whose name
    /// begins with a dot and ends with `.minds-gone`, which the next change beside it removes if it can.
    #[error("it is gone, but what it held could not all be cleared away")]
    Remains,
    /// Anything else that the system says.
    #[error("{0}")]
    Other(io::ErrorKind),
}

fn no_file(kind: Kind) -> &'static str {
    match kind {
        Kind::File => "a file",
        Kind::Directory => "a directory",
        Kind::Link => "a symbolic link",
        Kind::Special => "no regular file",
    }
}

impl FileError {
    /// Returns what went wrong.
    pub fn kind(&self) -> FileErrorKind {
        self.kind
    }

    /// Returns the place that it is about.
    pub fn location(&self) -> &Location {
        &self.location
    }

    pub(crate) fn into_refusal(self) -> Refusal {
        Refusal { kind: self.kind, source: self.source }
    }
}

/// Why something failed, before it is said where.
#[derive(Debug)]
pub(crate) struct Refusal {
    pub(crate) kind: FileErrorKind,
    pub(crate) source: Option<io::Error>,
}

impl Refusal {
    pub(crate) fn at(self, action: &'static str, location: Location) -> FileError {
        // It is the journal that is in the way, whatever was to be changed.
        let (action, location) = match self.kind {
            FileErrorKind::Foreign | FileErrorKind::ForeignJournal(_) => ("use", journal_of(location.mount)),
            _ => (action, location),
        };
        FileError { action, location, kind: self.kind, source: self.source }
    }
}

/// Returns the place of the journal of a root.
pub(crate) fn journal_of(mount: MountId) -> Location {
    Location::new(mount, WorkspacePath::parse(JOURNAL).unwrap_or_default())
}

impl From<FileErrorKind> for Refusal {
    fn from(kind: FileErrorKind) -> Self {
        Self { kind, source: None }
    }
}

impl From<io::Error> for Refusal {
    fn from(source: io::Error) -> Self {
        let kind = match source.kind() {
            io::ErrorKind::NotFound => FileErrorKind::NotFound,
            io::ErrorKind::AlreadyExists => FileErrorKind::AlreadyExists,
            io::ErrorKind::NotADirectory => FileErrorKind::NotDirectory,
            io::ErrorKind::IsADirectory => FileErrorKind::NotFile(Kind::Directory),
            io::ErrorKind::DirectoryNotEmpty => FileErrorKind::NotEmpty,
            io::ErrorKind::CrossesDevices => FileErrorKind::OtherFileSystem,
            io::ErrorKind::InvalidFilename => FileErrorKind::NameTooLong,
            io::ErrorKind::PermissionDenied => FileErrorKind::PermissionDenied,
            io::ErrorKind::ReadOnlyFilesystem => FileErrorKind::ReadOnly,
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => FileErrorKind::NoSpace,
            io::ErrorKind::ResourceBusy | io::ErrorKind::WouldBlock => FileErrorKind::Busy,
            _ if is_no_file(&source) => FileErrorKind::NotFile(Kind::Special),
            _ if crate::syscalls::is_link(&source) => FileErrorKind::Link,
            other => FileErrorKind::Other(other),
        };
        Self { kind, source: Some(source) }
    }
}

/// As an error of the system, for those that know no other.
impl From<Refusal> for io::Error {
    fn from(refusal: Refusal) -> Self {
        refusal.source.filter(|_| matches!(refusal.kind, FileErrorKind::Other(_))).unwrap_or_else(|| {
            let kind = match refusal.kind {
                FileErrorKind::NotFound => io::ErrorKind::NotFound,
                FileErrorKind::AlreadyExists => io::ErrorKind::AlreadyExists,
                FileErrorKind::NotDirectory => io::ErrorKind::NotADirectory,
                FileErrorKind::NotEmpty => io::ErrorKind::DirectoryNotEmpty,
                FileErrorKind::PermissionDenied | FileErrorKind::Outside => io::ErrorKind::PermissionDenied,
                FileErrorKind::ReadOnly => io::ErrorKind::ReadOnlyFilesystem,
                FileErrorKind::NoSpace => io::ErrorKind::StorageFull,
                FileErrorKind::Busy | FileErrorKind::Locked(_) => io::ErrorKind::ResourceBusy,
                _ => io::ErrorKind::Other,
            };
            Self::new(kind, refusal.kind.to_string())
        })
    }
}
