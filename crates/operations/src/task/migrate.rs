//! Making a package of a Markdown file.

use std::collections::BTreeMap;

use minds_document::{ContentHash, rfc3339};
use minds_taskdoc::migration::split;
use minds_taskdoc::package::MAX_SECTION_BYTES;
use minds_taskdoc::{Draft, Entry, Operation, PackageName, Section, TaskCode, TaskError};

use super::Author;
use super::package::Package;
use super::tasks::Tasks;

/// A text that is to become a package.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    parts: BTreeMap<Section, String>,
}

/// A package that was made of a file.
#[derive(Debug)]
pub struct Migrated<'r> {
    /// The package.
    pub package: Package<'r>,
    /// The sections that got something, with how many bytes.
    pub sections: Vec<(Section, usize)>,
}

impl Source {
    /// Reads a text.
    ///
    /// # Errors
    ///
    /// Refuses what is no text in UTF-8, blank, or more than sections can hold.
    pub fn read(bytes: &[u8]) -> Result<Self, TaskError> {
        let text = std::str::from_utf8(bytes).map_err(|error| {
            let message = format!("the file is no text in UTF-8: see byte {}", error.valid_up_to());
            TaskError::new(TaskCode::InvalidUtf8, message).next("save it in UTF-8")
        })?;
        if text.trim().is_empty() {
            return Err(TaskError::new(TaskCode::ContentRequired, "the file is blank")
                .next("`minds task new NAME` makes an empty package"));
        }
        let parts = split(text);
        if let Some((section, _)) = parts.iter().find(|(_, part)| part.len() as u64 > MAX_SECTION_BYTES) {
            let message = format!("`{section}` would have more than {MAX_SECTION_BYTES} bytes");
            return Err(TaskError::new(TaskCode::TooLarge, message).next("make the file shorter"));
        }
        Ok(Self { parts })
    }

    /// Returns which section gets how many bytes.
    pub fn sections(&self) -> Vec<(Section, usize)> {
        self.parts.iter().map(|(section, part)| (section.clone(), part.len())).collect()
    }

    /// Returns whether a package was made of this text, as its journal tells.
    ///
    /// # Errors
    ///
    /// Fails if the journal cannot be read.
    pub fn is_source_of(&self, package: &Package<'_>) -> Result<bool, TaskError> {
        let journal = package.journal()?;
        Ok(self.parts.iter().all(|(section, part)| {
            let hash = ContentHash::of(part.as_bytes());
            let is_made = |entry: &Entry| entry.operation == Operation::Create && entry.after == Some(hash);
            journal.entries.iter().any(|entry| entry.section == *section && is_made(entry))
        }))
    }
}

impl<'r> Tasks<'r> {
    /// Makes a package of a text: all of it or nothing, with a line in the journal for each section.
    ///
    /// # Errors
    ///
    /// Refuses a member who is not a maintainer, a name that is there already, and one that no system takes.
    pub fn migrate(&self, name: &str, source: &Source, author: &Author) -> Result<Migrated<'r>, TaskError> {
        let name = PackageName::parse(name)?;
        self.maintainers().permit(&author.actor, name.as_str())?;
        let mut journal = String::new();
        let mut parents = Vec::new();
        for (section, part) in &source.parts {
            let entry = Entry::new(Draft {
                parents,
                time: rfc3339(author.time),
                actor: author.actor.clone(),
                operation: Operation::Create,
                section: section.clone(),
                before: None,
                after: Some(ContentHash::of(part.as_bytes())),
                size: part.len() as u64,
                undoes: None,
                at: journal.len() as u64,
            });
            journal.push_str(&entry.to_line());
            journal.push('\n');
            parents = vec![entry.id];
        }
        let package = self.create_with(name, &source.parts, &journal)?;
        Ok(Migrated { package, sections: source.sections() })
    }

    /// Returns the package that was made of a text: the one that [`migrate`](Self::migrate) makes, or one that it made
    /// earlier, so that the text can be removed where it came from.
    ///
    /// # Errors
    ///
    /// Refuses what `migrate` refuses, unless the package with the name was made of this very text.
    pub fn migrate_once(
        &self,
        name: &str,
        source: &Source,
        author: &Author,
    ) -> Result<(Package<'r>, bool), TaskError> {
        let exists = match self.migrate(name, source, author) {
            Ok(made) => return Ok((made.package, true)),
            Err(error) if error.code == TaskCode::TaskdocExists => error,
            Err(error) => return Err(error),
        };
        let package = self.find(Some(PackageName::parse(name)?.as_str()))?;
        if source.is_source_of(&package)? {
            return Ok((package, false));
        }
        let message = format!("{}, and was not made of this file as it is now", exists.message);
        Err(TaskError { message, ..exists }.next("choose another name, or keep the file"))
    }
}
