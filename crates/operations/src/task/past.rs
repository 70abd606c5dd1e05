//! What sections held at other times.

use minds_document::ContentHash;
use minds_taskdoc::package::MAX_SECTION_BYTES;
use minds_taskdoc::{Entry, Journal, Origin, Section, Step, TaskCode, TaskError, blame};

use super::package::Package;

/// The journal of a package, and what is kept of what it tells.
#[derive(Debug)]
pub struct History<'p, 'r> {
    package: &'p Package<'r>,
    journal: Journal,
}

/// What a change did to a section.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangeText {
    /// The change.
    pub entry: Entry,
    /// What the section held before; none if it was not there.
    pub before: Option<Vec<u8>>,
    /// What it held then; none if it was not there.
    pub after: Option<Vec<u8>>,
}

/// A line of a section, and where it comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlamedLine {
    /// The line without its line break.
    pub text: String,
    /// The change that wrote it; none if the journal does not know of it.
    pub change: Option<Entry>,
    /// Whether it is known that it was this change; else it was this one or an older one, of which too little is kept.
    pub is_certain: bool,
}

impl<'r> Package<'r> {
    /// Reads the journal.
    ///
    /// # Errors
    ///
    /// Fails if it is there and cannot be read.
    pub fn history(&self) -> Result<History<'_, 'r>, TaskError> {
        Ok(History { package: self, journal: self.journal()? })
    }
}

impl History<'_, '_> {
    /// Returns the journal.
    pub fn journal(&self) -> &Journal {
        &self.journal
    }

    /// Returns the change that a text names; without one, the newest.
    ///
    /// # Errors
    ///
    /// Refuses what names no change, or several.
    pub fn change(&self, text: Option<&str>) -> Result<Entry, TaskError> {
        if let Some(text) = text {
            return self.journal.resolve_change(text).cloned();
        }
        let message = || format!("nothing was changed in the task `{}` yet", self.package.name().as_str());
        let newest = self.journal.in_order().pop().cloned();
        newest.ok_or_else(|| TaskError::new(TaskCode::ChangeNotFound, message()))
    }

    /// Returns what a section held before a change; none if it was not there.
    ///
    /// # Errors
    ///
    /// Fails if that is not kept any more.
    pub fn before(&self, change: &Entry) -> Result<Option<Vec<u8>>, TaskError> {
        let Some(hash) = change.before else { return Ok(None) };
        let kept = self.package.kept(change).ok().flatten();
        match kept.or_else(|| self.find(&change.section, hash)) {
            Some(bytes) => Ok(Some(bytes)),
            None => Err(gone(&change.section, "before", change)),
        }
    }

    /// Returns what a change did.
    ///
    /// # Errors
    ///
    /// Fails if what the section held before or then is not kept any more.
    pub fn text(&self, change: &Entry) -> Result<ChangeText, TaskError> {
        let before = self.before(change)?;
        let after = match change.after {
            None => None,
            Some(hash) if Some(hash) == change.before => before.clone(),
            Some(hash) => match self.find(&change.section, hash) {
                Some(bytes) => Some(bytes),
                None => return Err(gone(&change.section, "after", change)),
            },
        };
        Ok(ChangeText { entry: change.clone(), before, after })
    }

    /// Returns the lines of a section with the changes that wrote them.
    ///
    /// # Errors
    ///
    /// Refuses a section that is not there.
    pub fn blame(&self, section: &Section) -> Result<Vec<BlamedLine>, TaskError> {
        let Some(found) = self.package.section(section)? else {
            let message = format!("the task `{}` has no section `{section}`", self.package.name().as_str());
            return Err(TaskError::new(TaskCode::SectionNotFound, message)
                .next("`minds task show` lists those that it has"));
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

    /// Returns the changes that lead back from what a section holds, the newest first.
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
            // Nobody wrote down what it holds; lines that it had before may still be known.
            let before = self.find(section, last).map(text);
            let is_known = before.is_some();
            steps.push(Step { change: None, before });
            if is_known {
                steps.extend(self.steps(section, last));
            }
        }
        steps
    }

    /// Returns a content by its hash: what the section holds now, or what was kept for any change.
    fn find(&self, section: &Section, hash: ContentHash) -> Option<Vec<u8>> {
        if hash == ContentHash::of(b"") {
            return Some(Vec::new());
        }
        let holders = self.journal.entries.iter().filter(|entry| entry.before == Some(hash));
        let is_it = |bytes: &Vec<u8>| ContentHash::of(bytes) == hash;
        let current = || self.package.bytes(&section.path(), MAX_SECTION_BYTES).ok().flatten();
        let kept = holders.filter_map(|entry| self.package.kept(entry).ok().flatten()).find(is_it);
        kept.or_else(|| current().filter(is_it))
    }
}

fn gone(section: &Section, when: &str, change: &Entry) -> TaskError {
    let message = format!("what `{section}` held {when} the change `{}` is not kept", change.short_id());
    TaskError::new(TaskCode::ContentGone, message)
        .next("what is in version control is there; a change that `minds task log` lists later may be kept")
}
