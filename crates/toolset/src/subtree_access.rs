//! Judging whole directories: whoever moves or removes one touches all that it holds.

use minds_access_control::Access;
use minds_paths::{MAX_PATH_BYTES, MAX_SEGMENTS, WorkspacePath};
use minds_system::{FileErrorKind, Listing, Place};

use crate::Code;
use crate::answer::Refusal;
use crate::call::Call;
use crate::file_refusal::{Wanted, quote};

/// How much lies at most below a directory that is moved or removed.
const MAX_ENTRIES: usize = 10_000;

impl Call<'_> {
    /// Judges all that lies below the directory at a place, which was asked for as `asked`, and returns it.
    ///
    /// # Errors
    ///
    /// Refuses it if anything below may not be touched, cannot be judged, or is too much.
    pub(crate) fn check_subtree_access(
        &self,
        place: &Place<'_>,
        asked: &WorkspacePath,
        accesses: &[Access],
    ) -> Result<Listing, Refusal> {
        let listing = place.walk(MAX_ENTRIES).map_err(|error| match error.kind() {
            FileErrorKind::TooLarge => {
                let message = format!("{} holds more than {MAX_ENTRIES} entries", quote(asked.as_str()));
                Refusal::new(Code::TooLarge, message).next("go on with the directories in it, one by one")
            }
            _ => self.file_refusal_for(&error, Wanted::Directory, asked),
        })?;
        if listing.unnamed > 0 {
            let message = format!(
                "{} holds {} entries whose names are no paths, so nobody can judge them",
                quote(asked.as_str()),
                listing.unnamed
            );
            return Err(Refusal::new(Code::AccessDenied, message).next("leave it as it is"));
        }
        for entry in &listing.entries {
            let asked_entry = rebase(&entry.real, place.real(), asked)?;
            for access in accesses {
                let judged = self
                    .check_access(*access, &entry.real)
                    .and_then(|()| self.check_access(*access, &asked_entry));
                judged.map_err(|refusal| self.redact_entry(refusal, asked, &asked_entry))?;
            }
        }
        Ok(listing)
    }

    /// Judges where all that lies below a directory would be after a move to `to`.
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

    /// Names what is denied only to those who may know that it is there.
    fn redact_entry(&self, refusal: Refusal, asked: &WorkspacePath, entry: &WorkspacePath) -> Refusal {
        if self.permits(Access::Read, entry) || refusal.code != Code::AccessDenied {
            return refusal;
        }
        // Reasons, entries and calls that work would name it.
        let message = format!("{} holds something that you may not touch", quote(asked.as_str()));
        Refusal::new(refusal.code, message).next("leave it where it is, or ask the team's manager")
    }
}

/// Returns the path that lies below `to` as `path` does below `from`.
fn rebase(path: &WorkspacePath, from: &WorkspacePath, to: &WorkspacePath) -> Result<WorkspacePath, Refusal> {
    let below = path.as_str().strip_prefix(from.as_str()).map(|rest| rest.trim_start_matches('/'));
    let joined = below.and_then(|below| to.join(below).ok());
    joined.ok_or_else(|| Refusal::new(Code::Failed, format!("{} was moved meanwhile", quote(from.as_str()))))
}
