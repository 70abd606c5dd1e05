//! Changing one section.
//!
//! A change holds the lock of the package. It is announced, made, added to the journal, and the previous
//! content is saved; each step is on disk before the next one. [`settle`](Package::settle) completes
//! interrupted changes.

use minds_fs::transaction::{Failure, Remainder};
use minds_fs::{FileErrorKind, Sharing};
use minds_taskdoc::package::{JOURNAL, MAX_SECTION_BYTES};
use minds_taskdoc::{Entry, Operation, Section, TaskCode, TaskError};
use minds_vfs::portable::is_same_name;
use minds_vfs::{ContentHash, FileMode, WorkspacePath};

use crate::Author;
use crate::errors::task_error;
use crate::package::{MAX_ENTRIES, Package};
use crate::pending::PendingChange;
use crate::record::{Record, Step};
use crate::steps::{ChangeStep, ChangeSteps, Content};

/// The maximum number of bytes of the current content in a hash mismatch error.
const MAX_SHOWN: usize = 100 * 1024;

/// A change of a section.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Edit {
    /// Replace the content.
    Set(String),
    /// Create the section with this content.
    Create(String),
    /// Append to the content, after the separator; without a separator, on a new line.
    Append {
        /// The text to append.
        text: String,
        /// The separator, which is left out if the section is empty.
        separator: Option<String>,
    },
    /// Remove the content.
    Clear,
    /// Remove the section.
    Remove,
    /// Restore the content from before a change.
    Restore {
        /// The content to restore; `None` if the section did not exist.
        content: Option<Vec<u8>>,
        /// The id of the change to undo.
        undoes: ContentHash,
    },
}

/// A requested change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// The section.
    pub section: Section,
    /// The change.
    pub edit: Edit,
    /// The expected hash of the current content; `None` accepts any content.
    pub expected: Option<ContentHash>,
}

/// The result of a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangeResult {
    /// The journal entry; `None` if the section already had the content and the journal was up to date.
    pub entry: Option<Entry>,
    /// The hash of the new content; `None` if the section was removed.
    pub hash: Option<ContentHash>,
    /// The size of the new content in bytes.
    pub size: u64,
}

impl Package<'_> {
    /// Changes a section atomically, also if the process is killed, and never without a journal entry.
    ///
    /// # Errors
    ///
    /// Refuses an actor who is not a maintainer, an invalid change, and an unexpected current content; then
    /// nothing is changed. If writing fails and the change cannot be rolled back either, the message states this,
    /// and the next change completes it.
    pub fn change(&self, author: &Author, request: &Request) -> Result<ChangeResult, TaskError> {
        self.maintainers().permit(&author.actor, self.name().as_str())?;
        let section = &request.section;
        let journal = self.path_of(JOURNAL)?;
        let lock =
            self.root.no_follow().lock(&journal, Sharing::Exclusive).map_err(|error| task_error(&error))?;
        self.settle()?;
        let (before, mode) = match self.file(&section.path(), MAX_SECTION_BYTES)? {
            Some(file) => (Some(file.bytes), file.mode),
            None => (None, FileMode::Regular),
        };
        let before = before.as_deref();
        expect(request, before.map(ContentHash::of), before)?;
        let (operation, after) = plan(request, before)?;
        let after = after.as_deref();
        let undoes = match &request.edit {
            Edit::Restore { undoes, .. } => Some(*undoes),
            _ => None,
        };
        let record = self.record(author, &Step { section, operation, before, after, undoes })?;
        let hash = after.map(ContentHash::of);
        let change = match record.entries.last() {
            Some(last) if last.operation != Operation::Outside => Some(last.clone()),
            _ => None,
        };
        if !record.entries.is_empty() {
            self.perform(section, &record, Content { bytes: before, mode }, Content { bytes: after, mode })?;
        }
        drop(lock);
        Ok(ChangeResult { entry: change, hash, size: after.map_or(0, |after| after.len() as u64) })
    }

    /// Announces a change, makes it, adds it to the journal, and saves the previous content.
    fn perform(
        &self,
        section: &Section,
        record: &Record,
        before: Content<'_>,
        after: Content<'_>,
    ) -> Result<(), TaskError> {
        let is_change = before.bytes != after.bytes;
        let kept = before.bytes.filter(|_| is_change).unwrap_or_default().to_vec();
        let pending = PendingChange { entries: record.entries.clone(), before: kept };
        // The saved content is readable only by users who can read the section.
        let mode = if before.mode == FileMode::Private { FileMode::Private } else { FileMode::Regular };
        let (path, category) = (self.path_of(&section.path())?, self.missing_category(section)?);
        // Without a change of the content, no directory is needed.
        let category = category.filter(|_| is_change);
        let line_break = if record.needs_break { "\n" } else { "" };
        let lines = format!("{line_break}{}", pending.lines()).into_bytes();
        let mut steps: Vec<ChangeStep<'_>> = category.into_iter().map(ChangeStep::Category).collect();
        steps.extend([ChangeStep::Section { path, before, after }, ChangeStep::Lines(lines)]);
        self.announce(&pending, mode)?;
        match ChangeSteps::new(self, &pending, steps).transaction().execute() {
            // The change is complete; the next change saves the previous content if that failed.
            Ok(_) | Err(Failure { remainder: Remainder::UnconfirmedSteps, .. }) => Ok(()),
            Err(Failure { remainder: Remainder::Nothing, error, .. }) => Err(error),
            Err(Failure { remainder: Remainder::Steps, error, .. }) => {
                let message = format!(
                    "the section was changed, but the change was not completely written to disk: {error}"
                );
                Err(TaskError::new(TaskCode::Failed, message)
                    .next("check the section before you continue; the next change completes this one"))
            }
        }
    }

    /// Returns the directory of a section's category, if it does not exist.
    ///
    /// # Errors
    ///
    /// Refuses a category or section whose name equals an existing one on some systems.
    fn missing_category(&self, section: &Section) -> Result<Option<WorkspacePath>, TaskError> {
        let Some(category) = section.category() else { return Ok(None) };
        let directory = self.path_of(category)?;
        self.expect_distinct_name(&self.path().clone(), category)?;
        match self.root.no_follow().metadata(&directory) {
            Ok(_) => {
                self.expect_distinct_name(&directory, &format!("{}.md", section.selector()))?;
                Ok(None)
            }
            Err(error) if error.kind() == FileErrorKind::NotFound => Ok(Some(directory)),
            Err(error) => Err(task_error(&error)),
        }
    }

    fn expect_distinct_name(&self, directory: &WorkspacePath, name: &str) -> Result<(), TaskError> {
        let listing =
            self.root.no_follow().list(directory, MAX_ENTRIES).map_err(|error| task_error(&error))?;
        let names = listing.entries.iter().filter_map(|entry| entry.real.file_name());
        match names.into_iter().find(|other| *other != name && is_same_name(other, name)) {
            Some(other) => {
                let message = format!("`{other}` exists, and on some systems `{name}` is the same name");
                Err(TaskError::new(TaskCode::NameCollision, message)
                    .next("use the existing name, or another one"))
            }
            None => Ok(()),
        }
    }
}

/// Returns an error if the content of a section is not as expected.
fn expect(request: &Request, hash: Option<ContentHash>, before: Option<&[u8]>) -> Result<(), TaskError> {
    let Some(expected) = request.expected else { return Ok(()) };
    if hash == Some(expected) {
        return Ok(());
    }
    let message = format!("`{}` does not have the hash `{expected}`", request.section);
    let error =
        TaskError::new(TaskCode::HashMismatch, message).next("read the current content, and change that");
    let Some((hash, before)) = hash.zip(before) else {
        return Err(error.detail("current_content", ""));
    };
    let text = String::from_utf8_lossy(before);
    let shown = text.get(..text.floor_char_boundary(MAX_SHOWN)).unwrap_or_default();
    Err(error.detail("current_content_hash", hash.to_string()).detail("current_content", shown))
}

/// Returns the operation and the new content of a section.
fn plan(request: &Request, before: Option<&[u8]>) -> Result<(Operation, Option<Vec<u8>>), TaskError> {
    let section = &request.section;
    let given = |text: &str| {
        if text.trim().is_empty() {
            let error = TaskError::new(TaskCode::ContentRequired, "the content is blank");
            return Err(error.next("give the whole content; to empty a section, use `clear`"));
        }
        if text.len() as u64 > MAX_SECTION_BYTES {
            let message = format!("a section has at most {MAX_SECTION_BYTES} bytes");
            return Err(TaskError::new(TaskCode::TooLarge, message).next("make it shorter"));
        }
        Ok(Some(text.as_bytes().to_vec()))
    };
    let missing = || {
        TaskError::new(TaskCode::SectionNotFound, format!("there is no section `{section}`"))
            .next("create it with `change_mind`")
    };
    match &request.edit {
        Edit::Set(text) => Ok((Operation::Set, given(text)?)),
        Edit::Create(text) => match before {
            // Replacing an empty section loses nothing.
            Some(before) if !before.is_empty() => {
                let message = format!("section `{section}` already exists");
                Err(TaskError::new(TaskCode::SectionExists, message).next("change it with `change_mind`"))
            }
            _ => Ok((Operation::Create, given(text)?)),
        },
        Edit::Append { text, separator } => {
            let before = match before {
                None if !matches!(section, Section::Top(_)) => return Err(missing()),
                before => before.unwrap_or_default(),
            };
            given(text)?;
            let mut after = before.to_vec();
            match separator {
                _ if before.is_empty() => {}
                Some(separator) => after.extend_from_slice(separator.as_bytes()),
                None if !before.ends_with(b"\n") => after.push(b'\n'),
                None => {}
            }
            after.extend_from_slice(text.as_bytes());
            if after.len() as u64 > MAX_SECTION_BYTES {
                let message = format!("a section has at most {MAX_SECTION_BYTES} bytes");
                return Err(TaskError::new(TaskCode::TooLarge, message).next("shorten it first"));
            }
            Ok((Operation::Append, Some(after)))
        }
        Edit::Clear => Ok((Operation::Clear, Some(Vec::new()))),
        Edit::Remove => match (section, before) {
            (Section::Top(_), _) => {
                let message = format!("section `{section}` cannot be removed");
                Err(TaskError::new(TaskCode::TopLevelIsRequired, message)
                    .next("empty it with `clear` instead"))
            }
            (_, None) => Err(missing()),
            (_, Some(_)) => Ok((Operation::Remove, None)),
        },
        Edit::Restore { content, .. } => {
            // Top-level sections are never removed.
            let is_top = matches!(section, Section::Top(_));
            Ok((Operation::Undo, content.clone().or_else(|| is_top.then(Vec::new))))
        }
    }
}
