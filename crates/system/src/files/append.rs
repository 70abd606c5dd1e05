//! Writing at the end of a file.

use minds_document::{Expected, FileMode};

use super::claim::is_named;
use super::error::{FileError, FileErrorKind, Refusal};
use super::open_file::{expect_file, is_read_only};
use super::place::Place;
use crate::syscalls::{self, Sharing, Wanted};

/// How often it is tried again when the file is exchanged meanwhile.
const MOST_TRIES: usize = 1_000;

impl Place<'_> {
    /// Writes `bytes` behind what the file holds, and waits until they are on disk; a file that is not there is made.
    ///
    /// Those who append to a file wait for each other, and so does who replaces it: nothing that was appended is lost, and
    /// no two texts are mixed. What fails leaves the file as it was. A process that is killed while the system writes may
    /// leave a part of the text, behind all that was there: whoever appends lines takes one without its end for none.
    ///
    /// # Errors
    ///
    /// Fails if it is no regular file with one name, or cannot be written.
    pub fn append(&self, bytes: &[u8], mode: FileMode) -> Result<(), FileError> {
        self.changing("append to", || {
            for _ in 0..MOST_TRIES {
                if self.append_once(bytes)? {
                    return Ok(());
                }
                match self.put(bytes, mode, Expected::Absent) {
                    // Somebody else was quicker.
                    Err(Refusal { kind: FileErrorKind::AlreadyExists, .. }) => {}
                    put => return put,
                }
            }
            Err(FileErrorKind::Busy.into())
        })
    }

    /// Appends to the file that is here; returns whether there is one, and it is still the one that was opened.
    fn append_once(&self, bytes: &[u8]) -> Result<bool, Refusal> {
        let handle = match syscalls::open_entry(&self.directory, &self.name, Wanted::Append) {
            Ok(handle) => handle,
            Err(error) if syscalls::is_absent(&error) => return Ok(false),
            Err(error) => return Err(error.into()),
        };
        let stat = syscalls::stat(&handle)?;
        expect_file(&stat)?;
        if is_read_only(&stat) {
            return Err(FileErrorKind::ReadOnly.into());
        }
        syscalls::lock(&handle, Sharing::Exclusive)?;
        let before = syscalls::stat(&handle)?;
        if !is_named(&self.directory, &self.name, before.id)? {
            return Ok(false);
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
        Ok(true)
    }
}
