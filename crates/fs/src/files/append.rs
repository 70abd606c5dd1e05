//! Appending to a file.

use minds_vfs::{ContentHash, Expected, FileMode};

use super::claim::is_named;
use super::error::{FileError, FileErrorKind, Refusal};
use super::open_file::{expect_file, is_read_only, mode_of, read_all};
use super::place::Place;
use crate::syscalls::{self, Access};

/// The maximum number of attempts when the file is replaced concurrently.
const MAX_TRIES: usize = 1_000;
/// A write within a block of this size happens completely or not at all: the kernel splits an interrupted
/// write only between pages, none of which is smaller.
const BLOCK: u64 = 4_096;

/// The result of an attempt to append in place.
enum AppendResult {
    /// The bytes are on disk.
    Done,
    /// The file does not exist, or was replaced after it was opened.
    Missing,
    /// The write could be interrupted after a part of the bytes.
    Divisible,
}

/// Whether part of the bytes may remain in the file after the process was killed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum PartialWrite {
    Never,
    /// The caller completes a partial write.
    Completed,
}

impl Place<'_> {
    /// Appends `bytes` to the file and waits until they are on disk; a missing file is created.
    ///
    /// Concurrent appends and replacements wait for each other, so no appended bytes are lost or interleaved.
    /// After an error, or if the process is killed, the file has its old content: bytes that do not fit into
    /// the last block of 4 KiB are written to a copy of the file that replaces it, like [`Place::replace`].
    ///
    /// # Errors
    ///
    /// Fails if the file is not a regular file with one name, or cannot be written.
    pub fn append(&self, bytes: &[u8], mode: FileMode) -> Result<(), FileError> {
        self.append_as(bytes, mode, PartialWrite::Never)
    }

    /// Appends `bytes` to the file like [`Place::append`], but never copies the file: a process that is
    /// killed may leave a prefix of `bytes` in it. For callers that have recorded elsewhere what is to be
    /// appended, and can complete it.
    ///
    /// # Errors
    ///
    /// Fails if the file is not a regular file with one name, or cannot be written.
    pub fn extend(&self, bytes: &[u8], mode: FileMode) -> Result<(), FileError> {
        self.append_as(bytes, mode, PartialWrite::Completed)
    }

    fn append_as(&self, bytes: &[u8], mode: FileMode, division: PartialWrite) -> Result<(), FileError> {
        self.change("append to", || {
            for _ in 0..MAX_TRIES {
                let put = match self.append_in_place(bytes, division)? {
                    AppendResult::Done => return Ok(()),
                    AppendResult::Missing => self.put(bytes, mode, Expected::Absent),
                    AppendResult::Divisible => self.append_by_copy(bytes),
                };
                match put {
                    // Another process was faster: try again.
                    Err(Refusal { kind: FileErrorKind::AlreadyExists | FileErrorKind::Changed, .. }) => {}
                    put => return put,
                }
            }
            Err(FileErrorKind::Busy.into())
        })
    }

    /// Replaces the current file by a copy with `bytes` appended; fails as changed if the file was replaced
    /// meanwhile.
    fn append_by_copy(&self, bytes: &[u8]) -> Result<(), Refusal> {
        let Some((handle, stat)) = self.open_file()? else { return Err(FileErrorKind::Changed.into()) };
        let mut bytes_of_copy = read_all(&handle, &stat, u64::MAX)?;
        drop(handle);
        let expected = Expected::Content(ContentHash::of(&bytes_of_copy));
        bytes_of_copy.extend_from_slice(bytes);
        match self.put(&bytes_of_copy, mode_of(&stat), expected) {
            Err(Refusal { kind: FileErrorKind::NotFound, .. }) => Err(FileErrorKind::Changed.into()),
            put => put,
        }
    }

    /// Appends to the current file, if it is still the file that was opened.
    fn append_in_place(&self, bytes: &[u8], division: PartialWrite) -> Result<AppendResult, Refusal> {
        // Processes synchronize on a separate file: any process that can read the appended file could lock
        // it.
        let claim = self.claim()?;
        let appended = self.append_under_claim(bytes, division);
        claim.drop_file();
        appended
    }

    fn append_under_claim(&self, bytes: &[u8], division: PartialWrite) -> Result<AppendResult, Refusal> {
        let handle = match syscalls::open_entry(&self.directory, &self.name, Access::Append) {
            Ok(handle) => handle,
            Err(error) if syscalls::is_absent(&error) => return Ok(AppendResult::Missing),
            Err(error) => return Err(error.into()),
        };
        let stat = syscalls::stat(&handle)?;
        expect_file(&stat)?;
        if is_read_only(&stat) {
            return Err(FileErrorKind::ReadOnly.into());
        }
        let before = syscalls::stat(&handle)?;
        if !is_named(&self.directory, &self.name, before.id)? {
            return Ok(AppendResult::Missing);
        }
        if division == PartialWrite::Never && bytes.len() as u64 > BLOCK - before.size % BLOCK {
            return Ok(AppendResult::Divisible);
        }
        let truncate = || syscalls::truncate(&handle, before.size);
        if let Err(source) = syscalls::write_all(&handle, bytes) {
            // If nothing was written, nothing has to be truncated.
            let is_unchanged =
                truncate().is_ok() || syscalls::stat(&handle).is_ok_and(|now| now.size == before.size);
            let half_done = Refusal { kind: FileErrorKind::HalfDone, source: None };
            return Err(if is_unchanged { source.into() } else { half_done });
        }
        if let Err(source) = syscalls::sync_data(&handle) {
            let unconfirmed = Refusal { kind: FileErrorKind::Unconfirmed, source: None };
            return Err(if truncate().is_ok() { source.into() } else { unconfirmed });
        }
        Ok(AppendResult::Done)
    }
}
