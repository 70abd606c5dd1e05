//! Creating a package from a Markdown file.

use std::collections::BTreeMap;

use minds_taskdoc::migration::split;
use minds_taskdoc::package::MAX_SECTION_BYTES;
use minds_taskdoc::{Draft, Entry, Operation, PackageName, Section, TaskCode, TaskError, rfc3339};
use minds_vfs::ContentHash;

use crate::Author;
use crate::package::Package;
use crate::tasks::Tasks;

/// A Markdown document to migrate to a package.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    parts: BTreeMap<Section, String>,
}

/// A package that was created from a file.
#[derive(Debug)]
pub struct MigratedPackage<'r> {
    /// The package.
    pub package: Package<'r>,
    /// The sections with content, and their sizes in bytes.
    pub sections: Vec<(Section, usize)>,
}

impl Source {
    /// Parses a document.
    ///
    /// # Errors
    ///
    /// Refuses a document that is not valid UTF-8, is blank, or is too large for the sections.
    pub fn read(bytes: &[u8]) -> Result<Self, TaskError> {
        let text = std::str::from_utf8(bytes).map_err(|error| {
            let message =
                format!("the file is not valid UTF-8: invalid byte at offset {}", error.valid_up_to());
            TaskError::new(TaskCode::InvalidUtf8, message).next("save it as UTF-8")
        })?;
        if text.trim().is_empty() {
            return Err(TaskError::new(TaskCode::ContentRequired, "the file is blank")
                .next("run `minds task new NAME` to create an empty package"));
        }
        let parts = split(text);
        if let Some((section, _)) = parts.iter().find(|(_, part)| part.len() as u64 > MAX_SECTION_BYTES) {
            let message = format!("`{section}` would have more than {MAX_SECTION_BYTES} bytes");
            return Err(TaskError::new(TaskCode::TooLarge, message).next("make the file shorter"));
        }
        Ok(Self { parts })
    }

    /// Returns the sections and their sizes in bytes.
    pub fn sections(&self) -> Vec<(Section, usize)> {
        self.parts.iter().map(|(section, part)| (section.clone(), part.len())).collect()
    }

    /// Returns whether a package was created from this text, according to its journal.
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
    /// Creates a package from a document, all or nothing, with a journal entry for each section.
    ///
    /// # Errors
    ///
    /// Refuses a member who is not a maintainer, a name that already exists, and an invalid name.
    pub fn migrate(
        &self,
        name: &str,
        source: &Source,
        author: &Author,
    ) -> Result<MigratedPackage<'r>, TaskError> {
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
        Ok(MigratedPackage { package, sections: source.sections() })
    }

    /// Migrates a document, or returns the package that was created from it earlier. In both cases the
    /// original file can be removed.
    ///
    /// # Errors
    ///
    /// Refuses what `migrate` refuses, unless the existing package was created from this text.
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
        let message =
            format!("{}, and was not created from the current content of this file", exists.message);
        Err(TaskError { message, ..exists }.next("choose another name, or keep the file"))
    }
}
