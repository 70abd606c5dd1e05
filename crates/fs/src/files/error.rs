//! Errors of file operations.

use std::io;

use minds_vfs::portable::NameProblem;
use minds_vfs::{Location, MountId, WorkspacePath};

use super::lock_wait::LockHolder;
use super::temporary::JOURNAL;
use crate::syscalls::{Kind, has_too_many_open, is_not_regular_file};

/// Why an operation on a file failed. It contains the path below the root, but no absolute path.
#[derive(Debug, thiserror::Error)]
#[error("cannot {action} `{location}`: {kind}")]
pub struct FileError {
    action: &'static str,
    location: Location,
    kind: FileErrorKind,
    source: Option<io::Error>,
}

/// The reasons for which a file operation fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FileErrorKind {
    /// The path, or its parent directory, does not exist.
    #[error("it does not exist")]
    NotFound,
    /// The path exists already.
    #[error("it already exists")]
    AlreadyExists,
    /// A symbolic link leads outside of the root.
    #[error("it is a symbolic link that leads outside of the workspace")]
    Outside,
    /// The path contains a symbolic link where links are not followed.
    #[error("it is a symbolic link or below one, and links are not followed here")]
    Link,
    /// Symbolic links form a cycle, or there are too many.
    #[error("its path contains too many levels of symbolic links")]
    TooManyLinks,
    /// It is not a regular file.
    #[error("it is {}", describe_kind(*.0))]
    NotFile(Kind),
    /// It, or its parent, is not a directory.
    #[error("it is not a directory")]
    NotDirectory,
    /// The file has several hard links, and the other names may be outside.
    #[error("it has several hard links, and the other links may be outside of the workspace")]
    SeveralLinks,
    /// The file is larger than the caller accepts, or a directory has more entries.
    #[error("it is too large")]
    TooLarge,
    /// The content is not what the caller expects, or the file was replaced meanwhile.
    #[error("it has changed")]
    Changed,
    /// The directory is not empty.
    #[error("it is not empty")]
    NotEmpty,
    /// A directory would be moved into itself.
    #[error("it cannot be moved into itself")]
    IntoItself,
    /// The source and target of a move are on different file systems.
    #[error("it is on another file system")]
    OtherFileSystem,
    /// The root itself cannot be changed.
    #[error("it is the workspace itself")]
    Root,
    /// The name is reserved for temporary files.
    #[error("its name is reserved for temporary files")]
    Reserved,
    /// The name, or the name that a link leads to, is not valid in a workspace path.
    #[error("its real path is not a valid workspace path")]
    Unnamed,
    /// The journal at the top of the root was not written by this program; nothing is changed while it
    /// exists.
    #[error("it is a journal that `minds` did not write in this directory; remove it")]
    Foreign,
    /// An object other than a file has the name of the journal; nothing is changed while it exists.
    #[error("it is {}, but the name is reserved for the journal of interrupted changes; remove it", describe_kind(*.0))]
    ForeignJournal(Kind),
    /// The new name is not valid, or ambiguous, on some operating systems. An existing file with such a name
    /// can be read.
    #[error("its name is not portable: {0}")]
    Unportable(NameProblem),
    /// The name is too long for the file system.
    #[error("its name is too long")]
    NameTooLong,
    /// The system denies access.
    #[error("permission denied")]
    PermissionDenied,
    /// The file or the file system is read-only.
    #[error("it is read-only")]
    ReadOnly,
    /// The disk or the quota is full.
    #[error("no space is left on the disk")]
    NoSpace,
    /// Another process held the lock until the timeout.
    #[error("it is locked by {0}")]
    Locked(LockHolder),
    /// It is in use, or was moved repeatedly.
    #[error("it is in use")]
    Busy,
    /// It was changed, but the disk did not confirm that the change is durable.
    #[error("it was changed, but the disk did not confirm that the change is durable")]
    Unconfirmed,
    /// Part of the appended bytes was written, and could not be removed again.
    #[error("part of the text was written and could not be removed again")]
    HalfDone,
    /// A directory was removed, but its contents could not be deleted completely: the rest is in a directory
    /// whose name starts with a dot and ends with `.minds-gone`. The next change in the same parent directory
    /// removes it if possible.
    #[error("it was removed, but some of its contents could not be deleted")]
    Remains,
    /// The process, or the system, has too many open files.
    #[error("too many files are open")]
    TooManyOpen,
    /// Any other error of the system.
    #[error("{0}")]
    Other(io::ErrorKind),
}

fn describe_kind(kind: Kind) -> &'static str {
    match kind {
        Kind::File => "a file",
        Kind::Directory => "a directory",
        Kind::Link => "a symbolic link",
        Kind::Special => "not a regular file",
    }
}

impl FileError {
    /// Returns what went wrong.
    pub fn kind(&self) -> FileErrorKind {
        self.kind
    }

    /// Returns the path that the error is about.
    pub fn location(&self) -> &Location {
        &self.location
    }

    pub(crate) fn into_refusal(self) -> Refusal {
        Refusal { kind: self.kind, source: self.source }
    }
}

/// The cause of an error, without the path.
#[derive(Debug)]
pub(crate) struct Refusal {
    pub(crate) kind: FileErrorKind,
    pub(crate) source: Option<io::Error>,
}

impl Refusal {
    pub(crate) fn at(self, action: &'static str, location: Location) -> FileError {
        // The journal prevents the change, independent of the files to change.
        let (action, location) = match self.kind {
            FileErrorKind::Foreign | FileErrorKind::ForeignJournal(_) => ("use", journal_of(location.mount)),
            _ => (action, location),
        };
        FileError { action, location, kind: self.kind, source: self.source }
    }
}

/// Returns the path of the journal of a root.
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
            _ if has_too_many_open(&source) => FileErrorKind::TooManyOpen,
            _ if is_not_regular_file(&source) => FileErrorKind::NotFile(Kind::Special),
            _ if crate::syscalls::is_link(&source) => FileErrorKind::Link,
            other => FileErrorKind::Other(other),
        };
        Self { kind, source: Some(source) }
    }
}

/// Conversion for callers that handle only I/O errors.
impl From<Refusal> for io::Error {
    fn from(refusal: Refusal) -> Self {
        let is_plain = matches!(refusal.kind, FileErrorKind::Other(_) | FileErrorKind::TooManyOpen);
        refusal.source.filter(|_| is_plain).unwrap_or_else(|| {
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
