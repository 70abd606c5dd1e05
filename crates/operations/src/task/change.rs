//! Changing one section.
//!
//! Whoever changes a package has its lock. The change is announced, made, written down and kept, each step on disk before the
//! next; [`settle`](Package::settle) finishes what somebody left behind.

use minds_document::{ContentHash, Expected, FileMode, rfc3339};
use minds_paths::WorkspacePath;
use minds_paths::portable::same;
use minds_system::{FileErrorKind, Sharing};
use minds_taskdoc::package::{JOURNAL, MAX_SECTION_BYTES};
use minds_taskdoc::{Draft, Entry, Journal, Operation, Section, TaskCode, TaskError};

use super::Author;
use super::fault::fault;
use super::package::Package;
use super::pending::Pending;

/// How much of the current content is told to who expected another.
const MOST_SHOWN: usize = 100 * 1024;

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
    /// changed.
    pub fn change(&self, author: &Author, request: &Request) -> Result<Changed, TaskError> {
        self.maintainers().permit(&author.actor, self.name().as_str())?;
        let section = &request.section;
        let journal = self.below(JOURNAL)?;
        let lock = self.root.scoped().lock(&journal, Sharing::Exclusive).map_err(|error| fault(&error))?;
        self.settle()?;
        let before = self.bytes(&section.path(), MAX_SECTION_BYTES)?;
        let hash = before.as_deref().map(ContentHash::of);
        expect(request, hash, before.as_deref())?;
        let (operation, after) = plan(request, before.as_deref())?;
        let after_hash = after.as_deref().map(ContentHash::of);
        let size = after.as_ref().map_or(0, |after| after.len() as u64);
        let entries = self.entries(author, request, operation, hash, after_hash, size)?;
        if entries.is_empty() {
            return Ok(Changed { entry: None, hash: after_hash, size });
        }
        let path = self.below(&section.path())?;
        let made = self.make_room(section)?;
        let pending = Pending { entries, before: before.clone().unwrap_or_default() };
        let done = self.announce(&pending).and_then(|()| {
            self.put(&path, hash, after.as_deref()).and_then(|()| {
                self.write_down(&pending).inspect_err(|_| {
                    // Nobody will know of it, so it must not have happened.
                    let _ = self.put(&path, after_hash, before.as_deref());
                })
            })
        });
        if let Err(error) = done {
            self.renounce();
            if let Some(made) = made {
                let _ = self.root.scoped().remove_directory(&made);
            }
            return Err(error);
        }
        // It has happened; what fails now is done by the next change.
        let _ = self.keep(&pending);
        drop(lock);
        Ok(Changed { entry: pending.entries.into_iter().next_back(), hash: after_hash, size })
    }

    /// Returns what the journal gets; nothing if nothing changes.
    fn entries(
        &self,
        author: &Author,
        request: &Request,
        operation: Operation,
        before: Option<ContentHash>,
        after: Option<ContentHash>,
        size: u64,
    ) -> Result<Vec<Entry>, TaskError> {
        let bytes = self.journal_bytes()?.unwrap_or_default();
        let section = &request.section;
        let (parents, recorded) = match Journal::last(&bytes) {
            Some(last) => (vec![last.id], Journal::last_of(&bytes, section).map(|entry| vec![entry.after])),
            None => {
                let journal = Journal::read(&bytes);
                let latest = journal
                    .latest()
                    .get(section)
                    .map(|latest| latest.iter().map(|entry| entry.after).collect());
                (journal.heads().0, latest)
            }
        };
        // A section of which nothing is written down was empty or not there.
        let recorded: Vec<Option<ContentHash>> =
            recorded.unwrap_or_else(|| vec![None, Some(ContentHash::of(b""))]);
        let is_recorded = recorded.contains(&before);
        if before == after && is_recorded {
            return Ok(Vec::new());
        }
        let at = bytes.len() as u64;
        let draft = Draft {
            parents,
            time: rfc3339(author.time),
            actor: author.actor.clone(),
            operation,
            section: section.clone(),
            before,
            after,
            size,
            undoes: match &request.edit {
                Edit::Restore { undoes, .. } => Some(*undoes),
                _ => None,
            },
            at,
        };
        if is_recorded {
            return Ok(vec![Entry::new(draft)]);
        }
        let outside = Entry::new(Draft {
            operation: Operation::Outside,
            actor: "unknown".to_owned(),
            before: recorded.first().copied().flatten(),
            after: before,
            size: 0,
            undoes: None,
            ..draft.clone()
        });
        let at = at + outside.to_line().len() as u64 + 1;
        let entry = Entry::new(Draft { parents: vec![outside.id], at, ..draft });
        Ok(vec![outside, entry])
    }

    /// Gives a section its content, or removes it.
    fn put(
        &self,
        path: &WorkspacePath,
        before: Option<ContentHash>,
        after: Option<&[u8]>,
    ) -> Result<(), TaskError> {
        let expected = before.map_or(Expected::Absent, Expected::Content);
        let put = match after {
            Some(bytes) => self.root.scoped().replace(path, bytes, FileMode::Regular, expected),
            None => self.root.scoped().remove_file(path, expected),
        };
        put.map_err(|error| fault(&error))
    }

    /// Makes the directory of a section's category if it is not there, and returns it then.
    ///
    /// # Errors
    ///
    /// Refuses a category or section if some system takes its name for another one's that is there.
    fn make_room(&self, section: &Section) -> Result<Option<WorkspacePath>, TaskError> {
        let Some(category) = section.category() else { return Ok(None) };
        let directory = self.below(category)?;
        self.expect_unlike(&self.path().clone(), category)?;
        let view = self.root.scoped();
        match view.metadata(&directory) {
            Ok(_) => {
                self.expect_unlike(&directory, &format!("{}.md", section.selector()))?;
                Ok(None)
            }
            Err(error) if error.kind() == FileErrorKind::NotFound => {
                view.make_directory(&directory).map_err(|error| fault(&error))?;
                Ok(Some(directory))
            }
            Err(error) => Err(fault(&error)),
        }
    }

    fn expect_unlike(&self, directory: &WorkspacePath, name: &str) -> Result<(), TaskError> {
        const MOST_ENTRIES: usize = 2_048;
        let listing = self.root.scoped().list(directory, MOST_ENTRIES).map_err(|error| fault(&error))?;
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
    let shown = text.get(..text.floor_char_boundary(MOST_SHOWN)).unwrap_or_default();
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
