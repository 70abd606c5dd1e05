//! Replacing the content of a file.

use minds_vfs::{ContentHash, Expected, FileMode};

use super::claim::{Claim, bits_of, is_named};
use super::error::{FileError, FileErrorKind, Refusal};
use super::open_file::{is_read_only, mode_of, read_all};
use super::place::{Place, expect_portable};
use super::temporary;
use crate::syscalls::{self, Handle, Stat};

impl Place<'_> {
    /// Creates a file with this content, where nothing exists; a partial file is never visible.
    ///
    /// # Errors
    ///
    /// Fails if the place exists.
    pub fn create(&self, bytes: &[u8], mode: FileMode) -> Result<(), FileError> {
        self.change("create", || self.put(bytes, mode, Expected::Absent))
    }

    /// Replaces the content of the file if it is as expected: readers see the old or the new content, even
    /// after a crash.
    ///
    /// The content is written to a temporary file in the same directory, which is renamed when it is on disk.
    /// The temporary file is locked, and every process that replaces this file needs that lock, so the file
    /// cannot change between the comparison and the replacement. The exact permissions are kept if `mode` is
    /// their kind.
    ///
    /// # Errors
    ///
    /// Fails with the old content in place; with [`FileErrorKind::Unconfirmed`] the new content is in place,
    /// but may be lost in a power failure.
    pub fn replace(&self, bytes: &[u8], mode: FileMode, expected: Expected) -> Result<(), FileError> {
        self.change("replace", || self.put(bytes, mode, expected))
    }

    pub(crate) fn put(&self, bytes: &[u8], mode: FileMode, expected: Expected) -> Result<(), Refusal> {
        match self.stat()? {
            Some(_) if expected == Expected::Absent => return Err(FileErrorKind::AlreadyExists.into()),
            Some(_) => {}
            None => expect_portable(&self.real)?,
        }
        let claim = self.claim()?;
        match self.fill(&claim, bytes, mode, expected) {
            Ok(()) => self.sync_directory(),
            Err(refusal) => {
                claim.drop_file();
                Err(refusal)
            }
        }
    }

    /// Writes the temporary file and gives it the name of the file.
    fn fill(
        &self,
        claim: &Claim<'_>,
        bytes: &[u8],
        mode: FileMode,
        expected: Expected,
    ) -> Result<(), Refusal> {
        let old = self.open_expected(expected)?;
        // The permissions are set last: other users must not be able to open the file while it serves as the
        // lock.
        let same_mode = old.as_ref().map(|(_, old)| old).filter(|old| mode_of(old) == mode);
        let bits = match same_mode {
            Some(old) => old.bits,
            None if mode == FileMode::Private => claim.stat.bits,
            None => {
                syscalls::bits_of_new(&self.directory, &temporary::probe_name(&self.name), bits_of(mode))?
            }
        };
        syscalls::write_all(&claim.handle, bytes)?;
        if bits != claim.stat.bits {
            syscalls::set_bits(&claim.handle, bits)?;
        }
        syscalls::sync_data(&claim.handle)?;
        let (from, to) = ((claim.directory, claim.name.as_str()), (&self.directory, self.name.as_str()));
        if expected == Expected::Absent {
            Ok(syscalls::rename_new(from, to)?)
        } else {
            Ok(syscalls::rename(from, to)?)
        }
    }

    /// Checks that the place is as expected, and returns its file. The caller holds the claim of this place,
    /// so no other process replaces the file or appends to it.
    pub(crate) fn open_expected(&self, expected: Expected) -> Result<Option<(Handle, Stat)>, Refusal> {
        let Some((handle, _)) = self.open_file()? else {
            return match expected {
                Expected::Content(_) => Err(FileErrorKind::NotFound.into()),
                Expected::Absent | Expected::Any => Ok(None),
            };
        };
        let stat = syscalls::stat(&handle)?;
        if is_read_only(&stat) {
            return Err(FileErrorKind::ReadOnly.into());
        }
        match expected {
            Expected::Absent => return Err(FileErrorKind::AlreadyExists.into()),
            Expected::Any => {}
            Expected::Content(hash) => {
                let bytes = read_all(&handle, &stat, u64::MAX)?;
                if ContentHash::of(&bytes) != hash || !is_named(&self.directory, &self.name, stat.id)? {
                    return Err(FileErrorKind::Changed.into());
                }
            }
        }
        Ok(Some((handle, stat)))
    }
}
