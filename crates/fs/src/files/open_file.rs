//! Open files and their content.

use minds_vfs::{FileMode, Location, WorkspacePath};

use super::error::{FileError, FileErrorKind, Refusal};
use crate::notice::{Notice, notify};
use crate::syscalls::{self, Handle, Kind, Stat};

/// Information about a file or directory, obtained without reading it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Metadata {
    /// Its type.
    pub kind: Kind,
    /// The size of a file in bytes.
    pub size: u64,
    /// Its permissions.
    pub mode: FileMode,
    /// The number of hard links.
    pub links: u64,
    /// When its content changed last, in milliseconds since 1970.
    pub modified: i64,
    /// The path that leads to it without symbolic links.
    pub real: WorkspacePath,
}

/// The content of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadFile {
    /// All bytes.
    pub bytes: Vec<u8>,
    /// Its permissions.
    pub mode: FileMode,
    /// The path that leads to it without symbolic links.
    pub real: WorkspacePath,
}

/// An open regular file with one name, of which nothing has been read yet.
#[derive(Debug)]
pub struct OpenFile {
    pub(crate) handle: Handle,
    pub(crate) stat: Stat,
    pub(crate) real: Location,
}

impl OpenFile {
    /// Returns the path that leads to the file without symbolic links. A caller that checks permission for
    /// this path then reads exactly the file that was checked.
    pub fn real(&self) -> &WorkspacePath {
        &self.real.path
    }

    /// Returns the size in bytes at the time of opening.
    pub fn size(&self) -> u64 {
        self.stat.size
    }

    /// Returns whether the file is read-only for every user, so that it must not be replaced either.
    pub fn is_read_only(&self) -> bool {
        is_read_only(&self.stat)
    }

    /// Returns at most `most` bytes from `offset`; fewer only at the end of the file.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be read.
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

    /// Returns the complete content.
    ///
    /// # Errors
    ///
    /// Fails if the file has more than `most` bytes, or cannot be read.
    pub fn read(self, most: u64) -> Result<ReadFile, FileError> {
        match read_all(&self.handle, &self.stat, most) {
            Ok(bytes) => {
                notify(&Notice::Read { file: self.real.path.as_str(), bytes: bytes.len() });
                Ok(ReadFile { bytes, mode: mode_of(&self.stat), real: self.real.path })
            }
            Err(refusal) => Err(refusal.at("read", self.real)),
        }
    }
}

/// Checks that an object is a regular file with one name.
pub(crate) fn expect_file(stat: &Stat) -> Result<(), FileErrorKind> {
    match stat.kind {
        Kind::File if stat.links > 1 => Err(FileErrorKind::SeveralLinks),
        Kind::File => Ok(()),
        Kind::Link => Err(FileErrorKind::Link),
        kind => Err(FileErrorKind::NotFile(kind)),
    }
}

/// Reads a complete file of at most `most` bytes.
pub(crate) fn read_all(handle: &Handle, stat: &Stat, most: u64) -> Result<Vec<u8>, Refusal> {
    if stat.size > most {
        return Err(FileErrorKind::TooLarge.into());
    }
    let bytes = read_prefix(handle, stat, most.saturating_add(1))?;
    if bytes.len() as u64 > most { Err(FileErrorKind::TooLarge.into()) } else { Ok(bytes) }
}

/// Reads a file to its end, or up to `most` bytes.
pub(crate) fn read_prefix(handle: &Handle, stat: &Stat, most: u64) -> Result<Vec<u8>, Refusal> {
    let most = usize::try_from(most).unwrap_or(usize::MAX);
    let expected = usize::try_from(stat.size).map_err(|_| FileErrorKind::TooLarge)?.min(most);
    // One byte more than expected: a shorter read proves the end of the file.
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

/// Returns whether no user has write permission; a rename or removal would ignore that.
pub(crate) fn is_read_only(stat: &Stat) -> bool {
    const ANY_MAY_WRITE: u32 = 0o222;
    stat.kind == Kind::File && stat.bits & ANY_MAY_WRITE == 0
}

/// Returns the kind of permissions of a file.
pub(crate) fn mode_of(stat: &Stat) -> FileMode {
    const ANY_MAY_RUN: u32 = 0o111;
    const GROUP_AND_OTHERS: u32 = 0o077;
    if stat.bits & ANY_MAY_RUN != 0 {
        FileMode::Executable
    } else if stat.bits & GROUP_AND_OTHERS == 0 {
        FileMode::Private
    } else {
        FileMode::Regular
    }
}
