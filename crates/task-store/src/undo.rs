//! Undoing a change.

use minds_taskdoc::package::MAX_SECTION_BYTES;
use minds_taskdoc::{Entry, TaskCode, TaskError};
use minds_vfs::ContentHash;

use crate::Author;
use crate::change::{ChangeResult, Edit, Request};
use crate::package::Package;

/// How often an undo is tried while another process changes the section.
const MAX_TRIES: usize = 64;

/// The result of an undo.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UndoResult {
    /// The change that the undo made.
    pub changed: ChangeResult,
    /// The change that was undone.
    pub undoes: Entry,
    /// The later changes of the section that were undone with it, the oldest first.
    pub taken_back: Vec<Entry>,
}

impl Package<'_> {
    /// Restores the content of a section from before a change, or before the newest change. Later changes of
    /// the section are undone too.
    ///
    /// # Errors
    ///
    /// Refuses an unknown change, and a change whose previous content is not available.
    pub fn undo(&self, author: &Author, change: Option<&str>) -> Result<UndoResult, TaskError> {
        self.maintainers().permit(&author.actor, self.name().as_str())?;
        for _ in 0..MAX_TRIES {
            let history = self.history()?;
            let undoes = history.change(change)?;
            let content = history.before(&undoes)?;
            let section = undoes.section.clone();
            let now = self.bytes(&section.path(), MAX_SECTION_BYTES)?;
            let request = Request {
                section,
                edit: Edit::Restore { content, undoes: undoes.id },
                // Undo only the content that was read.
                expected: now.as_deref().map(ContentHash::of),
            };
            match self.change(author, &request) {
                Err(error) if error.code == TaskCode::HashMismatch => {}
                Err(error) => return Err(error),
                Ok(changed) => {
                    let taken_back = self.changes_to_undo(&undoes, &changed)?;
                    return Ok(UndoResult { changed, undoes, taken_back });
                }
            }
        }
        let message = "the section is being changed by another process";
        Err(TaskError::new(TaskCode::HashMismatch, message).next("try again"))
    }

    /// Returns the changes of a section after the undone change, without the undo itself.
    fn changes_to_undo(&self, undoes: &Entry, changed: &ChangeResult) -> Result<Vec<Entry>, TaskError> {
        let Some(entry) = &changed.entry else { return Ok(Vec::new()) };
        let journal = self.journal()?;
        let mut later = journal.in_order();
        let start =
            later.iter().position(|other| other.id == undoes.id).map_or(later.len(), |index| index + 1);
        let end = later.iter().position(|other| other.id == entry.id).unwrap_or(later.len());
        later.truncate(end);
        let of_section = later.into_iter().skip(start).filter(|other| other.section == undoes.section);
        Ok(of_section.cloned().collect())
    }
}
