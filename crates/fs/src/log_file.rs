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
/// Appended bytes survive the end of the process, and a power failure after [`LogFile::sync`]. Readers see a prefix of
/// what was appended.
#[derive(Debug)]
pub struct LogFile {
    handle: Handle,
    size: u64,
    /// Whether bytes of a failed append may be in the file after `size`.
    is_torn: bool,
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
            Ok(LogFile { handle, size: stat.size, is_torn: false })
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
        if self.is_torn {
            self.truncate(self.size)?;
        }
        if let Err(error) = syscalls::write_all(&self.handle, bytes) {
            // What was written is cut off by the next append, or the next start, if it cannot be removed now.
            self.is_torn = syscalls::truncate(&self.handle, self.size).is_err();
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
        self.is_torn = false;
        Ok(())
    }

    /// Waits until the content is on disk.
    ///
    /// # Errors
    ///
    /// Fails if the disk does not confirm it. Then it is unknown which of the bytes appended since the last success are on
    /// disk, and a second call may succeed without writing them: cut them off, or write them again.
    pub fn sync(&self) -> io::Result<()> {
        syscalls::sync_data(&self.handle)
    }

    /// Makes the file accessible to its owner only; returns whether its permissions had to be changed.
    ///
    /// # Errors
    ///
    /// Fails if the permissions cannot be read or changed, for example because the file belongs to another user.
    pub fn make_private(&self) -> io::Result<bool> {
        let is_private = syscalls::stat(&self.handle)?.bits & !PRIVATE == 0;
        if !is_private {
            syscalls::set_bits(&self.handle, PRIVATE)?;
        }
        Ok(!is_private)
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

    #[test]
    fn a_log_file_of_another_mode_is_made_private() {
        let folder = tempfile::tempdir().unwrap();
        let root = Root::open(folder.path(), MountId::WORKSPACE).unwrap();
        let file = folder.path().join("0.jsonl");
        std::fs::write(&file, "one\n").unwrap();
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o644)).unwrap();
        let log = root.no_follow().open_log(&WorkspacePath::parse("0.jsonl").unwrap()).unwrap();
        assert!(log.make_private().unwrap());
        assert!(!log.make_private().unwrap());
        assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    }

    #[cfg(feature = "faults")]
    #[test]
    fn a_failed_call_leaves_no_part_of_a_line() {
        use crate::syscalls::faults::{Fault, Plan, run};

        const NO_SPACE: i32 = 28;
        let folder = tempfile::tempdir().unwrap();
        let root = Root::open(folder.path(), MountId::WORKSPACE).unwrap();
        let mut log = root.no_follow().open_log(&WorkspacePath::parse("0.jsonl").unwrap()).unwrap();
        log.append(b"one\n").unwrap();
        let (failed, calls) = run(Plan::at(1, Fault::FailFrom(NO_SPACE)), || log.append(b"two\n"));
        assert!(failed.is_err());
        assert_eq!(calls, ["write", "ftruncate"]);
        // A part that could not be removed.
        std::fs::OpenOptions::new()
            .append(true)
            .open(folder.path().join("0.jsonl"))
            .and_then(|mut file| io::Write::write_all(&mut file, b"tw"))
            .unwrap();
        log.append(b"three\n").unwrap();
        assert_eq!(std::fs::read(folder.path().join("0.jsonl")).unwrap(), b"one\nthree\n");
        let (synced, calls) = run(Plan::at(1, Fault::Fail(5)), || log.sync());
        assert_eq!(synced.unwrap_err().raw_os_error(), Some(5));
        assert_eq!(calls.len(), 1);
        assert!(log.sync().is_ok());
    }
}
