//! Changing one section.
//!
//! Whoever changes a package has its lock. The change is announced, made, written down and kept, each step on disk before the
//! next; [`settle`](Package::settle) finishes what somebody left behind.

use minds_document::{ContentHash, Expected, FileMode};
use minds_paths::WorkspacePath;
use minds_paths::portable::same;
use minds_system::{FileErrorKind, Sharing};
use minds_taskdoc::package::{JOURNAL, MAX_SECTION_BYTES};
use minds_taskdoc::{Entry, Operation, Section, TaskCode, TaskError};

use super::Author;
use super::fault::fault;
use super::package::{MAX_ENTRIES, Package};
use super::pending::{Pending, Written};
use super::record::{Record, Step};

/// How much of the current content is told to who expected another.
const MAX_SHOWN: usize = 100 * 1024;

/// What is to become of a section.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Edit {
    /// It gets this content, whatever it held.
    Set(String),
    /// It is made with this content.
    Create(String),
    /// This is written behind what it holds, after the separator; without one, on a line of its own.
    Append {
        /// The text.
        text: String,
        /// What comes before it, unless the section was empty.
        separator: Option<String>,
    },
    /// It is emptied.
    Clear,
    /// It is removed.
    Remove,
    /// It gets back what it held before a change.
    Restore {
        /// What that was; none if it was not there.
        content: Option<Vec<u8>>,
        /// The change.
        undoes: ContentHash,
    },
}

/// What a section holds, if it is there, and its permissions.
#[derive(Clone, Copy)]
struct Content<'c> {
    bytes: Option<&'c [u8]>,
    mode: FileMode,
}

/// A change that somebody asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// The section.
    pub section: Section,
    /// What is to become of it.
    pub edit: Edit,
    /// What it must hold; anything if nothing is said.
    pub expected: Option<ContentHash>,
}

/// What was changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Changed {
    /// The change; none if the section holds already what it should, and the journal says so.
    pub entry: Option<Entry>,
    /// What the section holds now; none if it is gone.
    pub hash: Option<ContentHash>,
    /// How many bytes that is.
    pub size: u64,
}

impl Package<'_> {
    /// Changes a section: all of it or nothing, also if the process dies, and never without a line in the journal.
    ///
    /// # Errors
    ///
    /// Refuses who is no maintainer, and a change that cannot be made, or was planned on another content; then nothing is
    /// changed. Where the disk fails again and again nothing can be taken back either, and the message says so: then the
    /// next change finishes this one.
    pub fn change(&self, author: &Author, request: &Request) -> Result<Changed, TaskError> {
        self.maintainers().permit(&author.actor, self.name().as_str())?;
        let section = &request.section;
        let journal = self.below(JOURNAL)?;
        let lock = self.root.scoped().lock(&journal, Sharing::Exclusive).map_err(|error| fault(&error))?;
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
        Ok(Changed { entry: change, hash, size: after.map_or(0, |after| after.len() as u64) })
    }

    /// Announces a change, makes it, writes it down, and keeps what it replaced.
    fn perform(
        &self,
        section: &Section,
        record: &Record,
        before: Content<'_>,
        after: Content<'_>,
    ) -> Result<(), TaskError> {
        let is_change = before.bytes != after.bytes;
        let kept = before.bytes.filter(|_| is_change).unwrap_or_default().to_vec();
        let pending = Pending { entries: record.entries.clone(), before: kept };
        // What is kept is seen by nobody who does not see the section.
        let mode = if before.mode == FileMode::Private { FileMode::Private } else { FileMode::Regular };
        let (path, room) = (self.below(&section.path())?, self.missing_room(section)?);
        // Nothing needs room that is not there and stays so.
        let room = room.filter(|_| is_change);
        self.announce(&pending, mode)?;
        let entered = room.as_ref().map_or(Ok(()), |room| self.root.scoped().make_directory(room));
        let done = entered.map_err(|error| fault(&error)).and_then(|()| {
            if is_change {
                self.put(&path, before, after)?;
            }
            let line_break = if record.needs_break { "\n" } else { "" };
            self.write_down(format!("{line_break}{}", pending.lines()).as_bytes())
        });
        if let Err(error) = done {
            return Err(self.take_back(&pending, &path, (before, after), room.as_ref(), error));
        }
        // It has happened; what fails now is done by the next change.
        let _ = self.keep(&pending);
        Ok(())
    }

    /// Makes that nothing of a change that failed has happened, and returns why it failed. If that fails too, or a part of
    /// its line is in the journal, it stays announced, and the next change finishes it.
    fn take_back(
        &self,
        pending: &Pending,
        path: &WorkspacePath,
        (before, after): (Content<'_>, Content<'_>),
        room: Option<&WorkspacePath>,
        error: TaskError,
    ) -> TaskError {
        let holds = |content: Content<'_>| {
            let now = self.bytes_at(path, MAX_SECTION_BYTES);
            now.is_ok_and(|now| now.as_deref() == content.bytes)
        };
        let is_written = self
            .journal_bytes()
            .map_or(true, |journal| pending.written(&journal.unwrap_or_default()) != Written::Nothing);
        if !is_written && !holds(before) && holds(after) {
            let _ = self.put(path, after, before);
        }
        if is_written || !holds(before) {
            let message = format!("it was changed, but not all of that is on disk: {error}");
            return TaskError::new(TaskCode::Failed, message)
                .next("look at what is there before you go on; the next change finishes this one");
        }
        if let Some(room) = room {
            let _ = self.root.scoped().remove_directory(room);
        }
        self.renounce();
        error
    }

    /// Gives a section that holds `now` another content, or removes it.
    fn put(&self, path: &WorkspacePath, now: Content<'_>, then: Content<'_>) -> Result<(), TaskError> {
        let expected = now.bytes.map_or(Expected::Absent, |bytes| Expected::Content(ContentHash::of(bytes)));
        let put = match then.bytes {
            Some(bytes) => self.root.scoped().replace(path, bytes, then.mode, expected),
            None => self.root.scoped().remove_file(path, expected),
        };
        put.map_err(|error| fault(&error))
    }

    /// Returns the directory of a section's category if it is not there.
    ///
    /// # Errors
    ///
    /// Refuses a category or section if some system takes its name for another one's that is there.
    fn missing_room(&self, section: &Section) -> Result<Option<WorkspacePath>, TaskError> {
        let Some(category) = section.category() else { return Ok(None) };
        let directory = self.below(category)?;
        self.expect_unlike(&self.path().clone(), category)?;
        match self.root.scoped().metadata(&directory) {
            Ok(_) => {
                self.expect_unlike(&directory, &format!("{}.md", section.selector()))?;
                Ok(None)
            }
            Err(error) if error.kind() == FileErrorKind::NotFound => Ok(Some(directory)),
            Err(error) => Err(fault(&error)),
        }
    }

    fn expect_unlike(&self, directory: &WorkspacePath, name: &str) -> Result<(), TaskError> {
        let listing = self.root.scoped().list(directory, MAX_ENTRIES).map_err(|error| fault(&error))?;
        let names = listing.entries.iter().filter_map(|entry| entry.real.file_name());
        match names.into_iter().find(|other| *other != name && same(other, name)) {
            Some(other) => {
                let message = format!("`{other}` is there, and some systems take `{name}` for the same");
                Err(TaskError::new(TaskCode::NameCollision, message)
                    .next("use the name that is there, or another one"))
            }
            None => Ok(()),
        }
    }
}

/// Makes sure that a section holds what is expected.
fn expect(request: &Request, hash: Option<ContentHash>, before: Option<&[u8]>) -> Result<(), TaskError> {
    let Some(expected) = request.expected else { return Ok(()) };
    if hash == Some(expected) {
        return Ok(());
    }
    let message = format!("`{}` is not what `{expected}` says", request.section);
    let error =
        TaskError::new(TaskCode::HashMismatch, message).next("read what it holds now, and change that");
    let Some((hash, before)) = hash.zip(before) else {
        return Err(error.detail("current_content", ""));
    };
    let text = String::from_utf8_lossy(before);
    let shown = text.get(..text.floor_char_boundary(MAX_SHOWN)).unwrap_or_default();
    Err(error.detail("current_content_hash", hash.to_string()).detail("current_content", shown))
}

/// Returns what is done to a section, and what it holds then.
fn plan(request: &Request, before: Option<&[u8]>) -> Result<(Operation, Option<Vec<u8>>), TaskError> {
    let section = &request.section;
    let given = |text: &str| {
        if text.trim().is_empty() {
            let error = TaskError::new(TaskCode::ContentRequired, "the content is blank");
            return Err(error.next("give the whole content; to empty a section, say so: `clear`"));
        }
        if text.len() as u64 > MAX_SECTION_BYTES {
            let message = format!("a section has at most {MAX_SECTION_BYTES} bytes");
            return Err(TaskError::new(TaskCode::TooLarge, message).next("make it shorter"));
        }
        Ok(Some(text.as_bytes().to_vec()))
    };
    let missing = || {
        TaskError::new(TaskCode::SectionNotFound, format!("there is no section `{section}`"))
            .next("`change_mind` writes it anew")
    };
    match &request.edit {
        Edit::Set(text) => Ok((Operation::Set, given(text)?)),
        Edit::Create(text) => match before {
            // A section that is empty is there, but nothing is lost.
            Some(before) if !before.is_empty() => {
                let message = format!("the section `{section}` is there already");
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
                let message = format!("every task has the section `{section}`");
                Err(TaskError::new(TaskCode::TopLevelIsRequired, message).next("empty it instead: `clear`"))
            }
            (_, None) => Err(missing()),
            (_, Some(_)) => Ok((Operation::Remove, None)),
        },
        Edit::Restore { content, .. } => {
            // What every task has is never removed.
            let is_top = matches!(section, Section::Top(_));
            Ok((Operation::Undo, content.clone().or_else(|| is_top.then(Vec::new))))
        }
    }
}
