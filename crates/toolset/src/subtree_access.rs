//! Access checks for whole directories: moving or removing one affects everything in it.

use minds_access_control::Access;
use minds_fs::{FileErrorKind, Listing, Place};
use minds_vfs::{MAX_PATH_BYTES, MAX_SEGMENTS, WorkspacePath};

use crate::Code;
use crate::answer::Refusal;
use crate::call::Call;
use crate::file_refusal::{ExpectedKind, quote};

/// The maximum number of entries below a directory that is moved or removed.
const MAX_ENTRIES: usize = 10_000;

impl Call<'_> {
    /// Checks the access to everything below the directory at `place`, which was requested as `asked`, and returns the entries.
    ///
    /// # Errors
    ///
    /// Refuses a directory with too many entries, or with entries that are denied or have no valid path.
    pub(crate) fn check_subtree_access(
        &self,
        place: &Place<'_>,
        asked: &WorkspacePath,
        accesses: &[Access],
    ) -> Result<Listing, Refusal> {
        let listing = place.walk(MAX_ENTRIES).map_err(|error| match error.kind() {
            FileErrorKind::TooLarge => {
                let message = format!("{} contains more than {MAX_ENTRIES} entries", quote(asked.as_str()));
                Refusal::new(Code::TOO_LARGE, message).next("use its subdirectories, one by one")
            }
            _ => self.file_refusal_for(&error, ExpectedKind::Directory, asked),
        })?;
        if listing.unnamed > 0 {
            let message = format!(
                "{} contains {} entries without a valid name, whose access cannot be checked",
                quote(asked.as_str()),
                listing.unnamed
            );
            return Err(Refusal::new(Code::AccessDenied, message).next("leave it as it is"));
        }
        for entry in &listing.entries {
            let asked_entry = rebase(&entry.real, place.real(), asked)?;
            for access in accesses {
                let checked = self
                    .check_access(*access, &entry.real)
                    .and_then(|()| self.check_access(*access, &asked_entry));
                checked.map_err(|refusal| self.redact_entry(refusal, asked, &asked_entry))?;
            }
        }
        Ok(listing)
    }

    /// Checks the access to the paths that the entries of a directory would have after a move to `to`.
    pub(crate) fn check_moved_access(
        &self,
        listing: &Listing,
        to: &Place<'_>,
        asked: &WorkspacePath,
    ) -> Result<(), Refusal> {
        for entry in &listing.entries {
            for top in [to.real(), asked] {
                let path = rebase(&entry.real, &listing.real, top)?;
                if path.as_str().len() > MAX_PATH_BYTES || path.segments().count() > MAX_SEGMENTS {
                    let message = format!("a path below {} would be too long", quote(asked.as_str()));
                    return Err(Refusal::new(Code::InvalidPath, message).next("choose a shorter name"));
                }
                self.check_access(Access::Write, &path)?;
            }
        }
        Ok(())
    }

    /// Hides the denied entry from a caller who may not know that it exists.
    fn redact_entry(&self, refusal: Refusal, asked: &WorkspacePath, entry: &WorkspacePath) -> Refusal {
        if self.permits(Access::Read, entry) || refusal.code != Code::AccessDenied {
            return refusal;
        }
        // Reasons, entries and suggested calls would reveal it.
        let message = format!("{} contains something that you may not access", quote(asked.as_str()));
        Refusal::new(refusal.code, message).next("leave it where it is, or ask the team's manager")
    }
}

/// Returns `path`, which is below `from`, rebased to `to`.
fn rebase(path: &WorkspacePath, from: &WorkspacePath, to: &WorkspacePath) -> Result<WorkspacePath, Refusal> {
    let below = path.as_str().strip_prefix(from.as_str()).map(|rest| rest.trim_start_matches('/'));
    let joined = below.and_then(|below| to.join(below).ok());
    joined
        .ok_or_else(|| Refusal::new(Code::FAILED, format!("{} was moved concurrently", quote(from.as_str()))))
}
