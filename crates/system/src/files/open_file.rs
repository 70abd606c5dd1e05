//! A file that is open, and what it holds.

use minds_document::FileMode;
use minds_paths::{Location, WorkspacePath};

use super::error::{FileError, FileErrorKind, Refusal};
use crate::notice::{Notice, notify};
use crate::syscalls::{self, Handle, Kind, Stat};

/// What is known about something without reading it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Metadata {
    /// What it is.
    pub kind: Kind,
    /// The number of bytes of a file.
    pub size: u64,
    /// Its permissions.
    pub mode: FileMode,
    /// The number of names that it has.
    pub links: u64,
    /// The path that leads to it without any link.
    pub real: WorkspacePath,
}

/// The content of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadFile {
    /// All of its bytes.
    pub bytes: Vec<u8>,
    /// Its permissions.
    pub mode: FileMode,
    /// The path that leads to it without any link.
    pub real: WorkspacePath,
}

/// A regular file with one name that is open, and of which nothing has been read yet.
#[derive(Debug)]
pub struct OpenFile {
    pub(crate) handle: Handle,
    pub(crate) stat: Stat,
    pub(crate) real: Location,
}

impl OpenFile {
    /// Returns the path that leads to it without any link: whoever judges paths judges this one too, and then reads what
    /// was judged.
    pub fn real(&self) -> &WorkspacePath {
        &self.real.path
    }

    /// Returns the number of bytes that it had when it was opened.
    pub fn size(&self) -> u64 {
        self.stat.size
    }

    /// Returns whether no user may write it, so that it is not replaced either.
    pub fn is_read_only(&self) -> bool {
        is_read_only(&self.stat)
    }

    /// Returns what it holds from `offset` on, at most `most` bytes; fewer only where it ends.
    ///
    /// # Errors
    ///
    /// Fails if it cannot be read.
    pub fn read_at(&self, offset: u64, most: usize) -> Result<Vec<u8>, FileError> {
        let mut bytes = Vec::with_capacity(most);
        while bytes.len() < most {
            match syscalls::read_at(&self.handle, &mut bytes, offset) {
                Ok(0) => break,
                Ok(_) => {}
                Err(error) => return Err(Refusal::from(error).at("read", self.real.clone())),
            }
        }
        bytes.truncate(most);
        Ok(bytes)
    }

    /// Returns all of its content.
    ///
    /// # Errors
    ///
    /// Fails if there is more of it than `most` bytes, or it cannot be read.
    pub fn read(self, most: u64) -> Result<ReadFile, FileError> {
        match content(&self.handle, &self.stat, most) {
            Ok(bytes) => {
                notify(&Notice::Read { file: self.real.path.as_str(), bytes: bytes.len() });
                Ok(ReadFile { bytes, mode: mode_of(&self.stat), real: self.real.path })
            }
            Err(refusal) => Err(refusal.at("read", self.real)),
        }
    }
}

/// Makes sure that something is a regular file with one name.
pub(crate) fn expect_file(stat: &Stat) -> Result<(), FileErrorKind> {
    match stat.kind {
        Kind::File if stat.links > 1 => Err(FileErrorKind::SeveralLinks),
        Kind::File => Ok(()),
        Kind::Link => Err(FileErrorKind::Link),
        kind => Err(FileErrorKind::NotFile(kind)),
    }
}

/// Reads a whole file of at most `most` bytes.
pub(crate) fn content(handle: &Handle, stat: &Stat, most: u64) -> Result<Vec<u8>, Refusal> {
    if stat.size > most {
        return Err(FileErrorKind::TooLarge.into());
    }
    let bytes = beginning(handle, stat, most.saturating_add(1))?;
    if bytes.len() as u64 > most { Err(FileErrorKind::TooLarge.into()) } else { Ok(bytes) }
}

/// Reads a file to its end or to `most` bytes.
pub(crate) fn beginning(handle: &Handle, stat: &Stat, most: u64) -> Result<Vec<u8>, Refusal> {
    let most = usize::try_from(most).unwrap_or(usize::MAX);
    let expected = usize::try_from(stat.size).map_err(|_| FileErrorKind::TooLarge)?.min(most);
    // One more than expected: what fills less than that was read to its end.
    let mut bytes = Vec::with_capacity(expected.saturating_add(1));
    loop {
        let count = syscalls::read(handle, &mut bytes)?;
        if bytes.len() >= most {
            bytes.truncate(most);
            return Ok(bytes);
        }
        if count == 0 || count == expected && bytes.len() == expected {
            return Ok(bytes);
        }
        if bytes.len() == bytes.capacity() {
            bytes.reserve(bytes.len().max(4_096));
        }
    }
}

/// Returns whether a file is one that nobody may write, which a rename or a removal would not mind.
pub(crate) fn is_read_only(stat: &Stat) -> bool {
    const ANY_MAY_WRITE: u32 = 0o222;
    stat.kind == Kind::File && stat.bits & ANY_MAY_WRITE == 0
}

/// Returns which kind of permissions a file has.
pub(crate) fn mode_of(stat: &Stat) -> FileMode {
    const ANY_MAY_RUN: u32 = 0o111;
    const OTHERS: u32 = 0o077;
    if stat.bits & ANY_MAY_RUN != 0 {
        FileMode::Executable
    } else if stat.bits & OTHERS == 0 {
        FileMode::Private
    } else {
        FileMode::Regular
    }
}
