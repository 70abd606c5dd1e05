//! The one way in which a file gets a new content.

use minds_document::{ContentHash, Expected, FileMode};

use super::claim::{Claim, bits_of, is_named};
use super::error::{FileError, FileErrorKind, Refusal};
use super::open_file::{content, is_read_only, mode_of};
use super::place::{Place, expect_portable};
use super::temporary;
use crate::syscalls::{self, Handle, Stat};

impl Place<'_> {
    /// Makes a file with this content where nothing is; nobody ever sees half of it.
    ///
    /// # Errors
    ///
    /// Fails if something is here.
    pub fn create(&self, bytes: &[u8], mode: FileMode) -> Result<(), FileError> {
        self.changing("create", || self.put(bytes, mode, Expected::Absent))
    }

    /// Gives the file this content if it is as expected: whoever reads it sees the old or the new one, also after a crash.
    ///
    /// The content is written to a temporary file beside it, which becomes the file when it is on disk. The temporary file
    /// is locked meanwhile, and everybody who replaces this file needs that lock, so nothing that was expected can change
    /// between being compared and being replaced. Permissions are kept exactly where `mode` is the kind that they have.
    ///
    /// # Errors
    ///
    /// Fails with the old content in place; with [`FileErrorKind::Unconfirmed`] the new one is, but may not outlast a
    /// loss of power.
    pub fn replace(&self, bytes: &[u8], mode: FileMode, expected: Expected) -> Result<(), FileError> {
        self.changing("replace", || self.put(bytes, mode, expected))
    }

    pub(crate) fn put(&self, bytes: &[u8], mode: FileMode, expected: Expected) -> Result<(), Refusal> {
        match self.stat()? {
            Some(_) if expected == Expected::Absent => return Err(FileErrorKind::AlreadyExists.into()),
            Some(_) => {}
            None => expect_portable(&self.real)?,
        }
        let claim = self.claim()?;
        match self.fill(&claim, bytes, mode, expected) {
            Ok(()) => self.confirm(),
            Err(refusal) => {
                claim.drop_file();
                Err(refusal)
            }
        }
    }

    /// Fills the temporary file and gives it the name of the file.
    fn fill(
        &self,
        claim: &Claim<'_>,
        bytes: &[u8],
        mode: FileMode,
        expected: Expected,
    ) -> Result<(), Refusal> {
        let old = self.expect(expected)?;
        // It gets its permissions last: no other user may open it while it is the lock of its place.
        let kept = old.as_ref().map(|(_, old)| old).filter(|old| mode_of(old) == mode);
        let bits = match kept {
            Some(old) => old.bits,
            None if mode == FileMode::Private => claim.stat.bits,
            None => syscalls::bits_of_new(&self.directory, &temporary::probe(&self.name), bits_of(mode))?,
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

    /// Makes sure that the place is as expected, and returns the file that is here. The caller has the claim of
    /// this place, so no other process replaces the file or appends to it.
    pub(crate) fn expect(&self, expected: Expected) -> Result<Option<(Handle, Stat)>, Refusal> {
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
                let bytes = content(&handle, &stat, u64::MAX)?;
                if ContentHash::of(&bytes) != hash || !is_named(&self.directory, &self.name, stat.id)? {
                    return Err(FileErrorKind::Changed.into());
                }
            }
        }
        Ok(Some((handle, stat)))
    }
}
