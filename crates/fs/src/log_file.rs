//! Files to which one process appends often.

use std::io;
use std::os::fd::{AsFd as _, OwnedFd};

use minds_vfs::WorkspacePath;

use crate::files::{FileError, View};
use crate::syscalls::{self, Access, Handle};

/// The permissions of a new file.
const PRIVATE: u32 = 0o600;

/// A file that stays open for appending, of which this process is the only writer.
///
/// Appended bytes survive the end of the process, but not a power failure. Readers see a prefix of what was appended.
#[derive(Debug)]
pub struct LogFile {
    handle: Handle,
    size: u64,
}

impl View<'_> {
    /// Opens a file for appending, and creates it for this user only if it does not exist.
    ///
    /// # Errors
    ///
    /// Fails if the path is not a regular file with one name, or cannot be opened.
    pub fn open_log(&self, path: &WorkspacePath) -> Result<LogFile, FileError> {
        let place = self.entry(path)?;
        place.change("append to", || {
            let handle = match syscalls::open_entry(&place.directory, &place.name, Access::Append) {
                Err(error) if syscalls::is_absent(&error) => {
                    drop(syscalls::create_new(&place.directory, &place.name, PRIVATE)?);
                    syscalls::open_entry(&place.directory, &place.name, Access::Append)?
                }
                opened => opened?,
            };
            let stat = syscalls::stat(&handle)?;
            crate::files::expect_file(&stat)?;
            Ok(LogFile { handle, size: stat.size })
        })
    }
}

impl LogFile {
    /// Returns the size in bytes.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Appends bytes: all of them, or none if this fails.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be written, for example because the disk is full.
    pub fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        if let Err(error) = syscalls::write_all(&self.handle, bytes) {
            // What was written is cut off by the next start if it cannot be removed now.
            let _ = syscalls::truncate(&self.handle, self.size);
            return Err(error);
        }
        self.size = self.size.saturating_add(u64::try_from(bytes.len()).unwrap_or(u64::MAX));
        Ok(())
    }

    /// Returns a descriptor for another process, which appends to the file.
    ///
    /// # Errors
    ///
    /// Fails if this process has too many open files.
    pub fn descriptor(&self) -> io::Result<OwnedFd> {
        self.handle.as_fd().try_clone_to_owned()
    }

    /// Cuts the file off after `size` bytes.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be written.
    pub fn truncate(&mut self, size: u64) -> io::Result<()> {
        syscalls::truncate(&self.handle, size)?;
        self.size = size;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use minds_vfs::MountId;

    use super::*;
    use crate::Root;

    #[test]
    fn a_log_file_is_private_and_continues_at_its_end() {
        let folder = tempfile::tempdir().unwrap();
        let root = Root::open(folder.path(), MountId::WORKSPACE).unwrap();
        let path = WorkspacePath::parse("0.jsonl").unwrap();
        let mut log = root.no_follow().open_log(&path).unwrap();
        log.append(b"one\ntwo\nthr").unwrap();
        drop(log);
        let mut log = root.no_follow().open_log(&path).unwrap();
        assert_eq!(log.size(), 11);
        log.truncate(8).unwrap();
        log.append(b"three\n").unwrap();
        let file = folder.path().join("0.jsonl");
        assert_eq!(std::fs::read(&file).unwrap(), b"one\ntwo\nthree\n");
        assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    }
}
