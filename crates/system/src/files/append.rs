//! Writing at the end of a file.

use minds_document::{ContentHash, Expected, FileMode};

use super::claim::is_named;
use super::error::{FileError, FileErrorKind, Refusal};
use super::open_file::{content, expect_file, is_read_only, mode_of};
use super::place::Place;
use crate::syscalls::{self, Wanted};

/// How often it is tried again when the file is exchanged meanwhile.
const MAX_TRIES: usize = 1_000;
/// A write within a block of so many bytes is whole or did not happen: the system ends one that is interrupted between two
/// pages, of which none is smaller.
const BLOCK: u64 = 4_096;

/// What came of appending in place.
enum Appended {
    /// It is on disk.
    Done,
    /// Nothing is here, or something else than was opened.
    Nothing,
    /// A part could be written without the rest.
    Divisible,
}

/// Whether a text may be there in part after a process was killed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Division {
    Never,
    /// The next one finishes it.
    Finished,
}

impl Place<'_> {
    /// Writes `bytes` behind what the file holds, and waits until they are on disk; a file that is not there is made.
    ///
    /// Those who append to a file wait for each other, and so does who replaces it: nothing that was appended is lost, and
    /// no two texts are mixed. What fails leaves the file as it was, and so does a process that is killed: a text that does
    /// not fit into the last block of 4 KiB comes with a copy of the file that takes its place, as [`Place::replace`] does.
    ///
    /// # Errors
    ///
    /// Fails if it is no regular file with one name, or cannot be written.
    pub fn append(&self, bytes: &[u8], mode: FileMode) -> Result<(), FileError> {
        self.append_as(bytes, mode, Division::Never)
    }

    /// Writes `bytes` behind what the file holds as [`Place::append`] does, but never copies the file: a process that is
    /// killed may leave a beginning of `bytes` there. For who has written down elsewhere what is to be appended, and can
    /// finish it.
    ///
    /// # Errors
    ///
    /// Fails if it is no regular file with one name, or cannot be written.
    pub fn extend(&self, bytes: &[u8], mode: FileMode) -> Result<(), FileError> {
        self.append_as(bytes, mode, Division::Finished)
    }

    fn append_as(&self, bytes: &[u8], mode: FileMode, division: Division) -> Result<(), FileError> {
        self.changing("append to", || {
            for _ in 0..MAX_TRIES {
                let put = match self.append_in_place(bytes, division)? {
                    Appended::Done => return Ok(()),
                    Appended::Nothing => self.put(bytes, mode, Expected::Absent),
                    Appended::Divisible => self.append_by_copy(bytes),
                };
                match put {
                    // Somebody else was quicker.
                    Err(Refusal { kind: FileErrorKind::AlreadyExists | FileErrorKind::Changed, .. }) => {}
                    put => return put,
                }
            }
            Err(FileErrorKind::Busy.into())
        })
    }

    /// Replaces the file that is here by one that has `bytes` at the end; it has changed if it is another one by then.
    fn append_by_copy(&self, bytes: &[u8]) -> Result<(), Refusal> {
        let Some((handle, stat)) = self.open_file()? else { return Err(FileErrorKind::Changed.into()) };
        let mut whole = content(&handle, &stat, u64::MAX)?;
        drop(handle);
        let expected = Expected::Content(ContentHash::of(&whole));
        whole.extend_from_slice(bytes);
        match self.put(&whole, mode_of(&stat), expected) {
            Err(Refusal { kind: FileErrorKind::NotFound, .. }) => Err(FileErrorKind::Changed.into()),
            put => put,
        }
    }

    /// Appends to the file that is here, if it is still the one that was opened.
    fn append_in_place(&self, bytes: &[u8], division: Division) -> Result<Appended, Refusal> {
        // Processes agree on a file of their own: the one that is appended to may be locked by any process that may read it.
        let claim = self.claim()?;
        let appended = self.append_under_claim(bytes, division);
        claim.drop_file();
        appended
    }

    fn append_under_claim(&self, bytes: &[u8], division: Division) -> Result<Appended, Refusal> {
        let handle = match syscalls::open_entry(&self.directory, &self.name, Wanted::Append) {
            Ok(handle) => handle,
            Err(error) if syscalls::is_absent(&error) => return Ok(Appended::Nothing),
            Err(error) => return Err(error.into()),
        };
        let stat = syscalls::stat(&handle)?;
        expect_file(&stat)?;
        if is_read_only(&stat) {
            return Err(FileErrorKind::ReadOnly.into());
        }
        let before = syscalls::stat(&handle)?;
        if !is_named(&self.directory, &self.name, before.id)? {
            return Ok(Appended::Nothing);
        }
        if division == Division::Never && bytes.len() as u64 > BLOCK - before.size % BLOCK {
            return Ok(Appended::Divisible);
        }
        let cut = || syscalls::truncate(&handle, before.size);
        if let Err(source) = syscalls::write_all(&handle, bytes) {
            // Where nothing was written nothing is left to be cut.
            let is_whole = cut().is_ok() || syscalls::stat(&handle).is_ok_and(|now| now.size == before.size);
            let half = Refusal { kind: FileErrorKind::HalfDone, source: None };
            return Err(if is_whole { source.into() } else { half });
        }
        if let Err(source) = syscalls::sync_data(&handle) {
            let unconfirmed = Refusal { kind: FileErrorKind::Unconfirmed, source: None };
            return Err(if cut().is_ok() { source.into() } else { unconfirmed });
        }
        Ok(Appended::Done)
    }
}
