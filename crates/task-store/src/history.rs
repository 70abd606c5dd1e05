//! The history of sections.

use minds_taskdoc::package::MAX_SECTION_BYTES;
use minds_taskdoc::{Entry, Journal, Origin, Section, Step, TaskCode, TaskError, blame};
use minds_vfs::ContentHash;

use crate::package::Package;

/// The journal of a package, and the saved contents of its changes.
#[derive(Debug)]
pub struct History<'p, 'r> {
    package: &'p Package<'r>,
    journal: Journal,
}

/// The effect of a change on a section.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangeText {
    /// The change.
    pub entry: Entry,
    /// The content before; `None` if the section did not exist.
    pub before: Option<Vec<u8>>,
    /// The content after; `None` if the section did not exist.
    pub after: Option<Vec<u8>>,
}

/// A line of a section, and its origin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlamedLine {
    /// The line without its line break.
    pub text: String,
    /// The change that wrote it; `None` if the journal does not contain it.
    pub change: Option<Entry>,
    /// Whether this change certainly wrote the line. Otherwise it may be an older change whose content is not
    /// available.
    pub is_certain: bool,
}

impl<'r> Package<'r> {
    /// Reads the journal.
    ///
    /// # Errors
    ///
    /// Fails if it exists and cannot be read.
    pub fn history(&self) -> Result<History<'_, 'r>, TaskError> {
        Ok(History { package: self, journal: self.journal()? })
    }
}

impl History<'_, '_> {
    /// Returns the journal.
    pub fn journal(&self) -> &Journal {
        &self.journal
    }

    /// Returns the change with the given id; without an id, the newest change.
    ///
    /// # Errors
    ///
    /// Refuses an id that matches no change, or several.
    pub fn change(&self, text: Option<&str>) -> Result<Entry, TaskError> {
        if let Some(text) = text {
            return self.journal.resolve_change(text).cloned();
        }
        let message = || format!("the task `{}` has no changes yet", self.package.name().as_str());
        let newest = self.journal.in_order().pop().cloned();
        newest.ok_or_else(|| TaskError::new(TaskCode::ChangeNotFound, message()))
    }

    /// Returns the content of a section before a change; `None` if the section did not exist.
    ///
    /// # Errors
    ///
    /// Fails if the content is no longer available.
    pub fn before(&self, change: &Entry) -> Result<Option<Vec<u8>>, TaskError> {
        let Some(hash) = change.before else { return Ok(None) };
        let kept = self.package.previous_content(change).ok().flatten();
        match kept.or_else(|| self.find(&change.section, hash)) {
            Some(bytes) => Ok(Some(bytes)),
            None => Err(content_gone(&change.section, "before", change)),
        }
    }

    /// Returns the effect of a change.
    ///
    /// # Errors
    ///
    /// Fails if the content before or after is no longer available.
    pub fn text(&self, change: &Entry) -> Result<ChangeText, TaskError> {
        let before = self.before(change)?;
        let after = match change.after {
            None => None,
            Some(hash) if Some(hash) == change.before => before.clone(),
            Some(hash) => match self.find(&change.section, hash) {
                Some(bytes) => Some(bytes),
                None => return Err(content_gone(&change.section, "after", change)),
            },
        };
        Ok(ChangeText { entry: change.clone(), before, after })
    }

    /// Returns the lines of a section with the changes that wrote them.
    ///
    /// # Errors
    ///
    /// Refuses a section that does not exist.
    pub fn blame(&self, section: &Section) -> Result<Vec<BlamedLine>, TaskError> {
        let Some(found) = self.package.section(section)? else {
            let message = format!("the task `{}` has no section `{section}`", self.package.name().as_str());
            return Err(TaskError::new(TaskCode::SectionNotFound, message)
                .next("run `minds task show` to list its sections"));
        };
        let steps = self.steps(section, found.hash);
        let origins = blame(&found.text, &steps);
        let lines = found.text.split_inclusive('\n').map(|line| line.strip_suffix('\n').unwrap_or(line));
        let blamed = lines.zip(origins).map(|(line, origin)| {
            let change =
                origin.and_then(|origin| steps.get(origin.step)).and_then(|step| step.change.cloned());
            let is_certain = origin.is_some_and(|Origin { is_certain, .. }| is_certain);
            BlamedLine { text: line.to_owned(), is_certain: is_certain && change.is_some(), change }
        });
        Ok(blamed.collect())
    }

    /// Returns the changes that lead to the current content of a section, the newest first.
    fn steps(&self, section: &Section, now: ContentHash) -> Vec<Step<Option<&Entry>>> {
        let ordered = self.journal.in_order();
        let of_section: Vec<&Entry> = ordered.into_iter().filter(|entry| entry.section == *section).collect();
        let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
        let mut steps = Vec::new();
        let mut wanted = Some(now);
        let mut end = of_section.len();
        while let Some(hash) = wanted {
            let older = of_section.get(..end).unwrap_or_default();
            let Some(index) = older.iter().rposition(|entry| entry.after == Some(hash)) else { break };
            let Some(change) = older.get(index).copied() else { break };
            let before = self.before(change).ok().map(|before| text(before.unwrap_or_default()));
            let is_end = before.is_none();
            steps.push(Step { change: Some(change), before });
            if is_end {
                break;
            }
            (wanted, end) = (change.before, index);
        }
        if steps.is_empty()
            && let Some(last) = of_section.last().and_then(|last| last.after)
        {
            // The current content is not in the journal, but the origin of older lines may be known.
            let before = self.find(section, last).map(text);
            let is_known = before.is_some();
            steps.push(Step { change: None, before });
            if is_known {
                steps.extend(self.steps(section, last));
            }
        }
        steps
    }

    /// Returns a content by its hash: the current content of the section, or the saved content of any change.
    fn find(&self, section: &Section, hash: ContentHash) -> Option<Vec<u8>> {
        if hash == ContentHash::of(b"") {
            return Some(Vec::new());
        }
        let holders = self.journal.entries.iter().filter(|entry| entry.before == Some(hash));
        let is_it = |bytes: &Vec<u8>| ContentHash::of(bytes) == hash;
        let current = || self.package.bytes(&section.path(), MAX_SECTION_BYTES).ok().flatten();
        let kept =
            holders.filter_map(|entry| self.package.previous_content(entry).ok().flatten()).find(is_it);
        kept.or_else(|| current().filter(is_it))
    }
}

fn content_gone(section: &Section, when: &str, change: &Entry) -> TaskError {
    let message = format!(
        "the content of `{section}` {when} the change `{}` is no longer available",
        change.short_id()
    );
    TaskError::new(TaskCode::ContentGone, message)
        .next("look in version control, or choose a more recent change from `minds task log`")
}
