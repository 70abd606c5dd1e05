//! One package, as the page is told of it.

use std::fmt::Write as _;

use minds_diagnostics::emit::JSON_VERSION;
use minds_document::ContentHash;
use minds_operations::task::{Author, Package, Tasks};
use minds_taskdoc::package::MAX_SECTION_BYTES;
use minds_taskdoc::{DEFAULT_BUDGET, Extras, Language, Section, TaskError, effective_text};
use minds_toolset::ToolContext;

use crate::document::{CutPart, Document, Frame, Last, Part, Trouble};

/// How many bytes of texts the page is told at most; what is left out of more is read with the command. All sections that
/// agents are always given fit.
const MAX_BYTES: u64 = 12 * MAX_SECTION_BYTES;

/// One package for one person. Nothing of it is remembered: each question is answered by what is on disk then.
#[derive(Debug)]
pub struct View {
    context: ToolContext,
    /// Where the package lies, in a form that is never taken for a name.
    path: String,
    actor: String,
}

impl View {
    /// Finds the package with a name or a path; without one, the only one that there is. `actor` is who changes it, as
    /// journals say it.
    ///
    /// # Errors
    ///
    /// Refuses what names no package, or could name several.
    pub fn new(
        context: ToolContext,
        name: Option<&str>,
        actor: impl Into<String>,
    ) -> Result<Self, TaskError> {
        let path = format!("./{}", Tasks::open(context.root())?.find(name)?.path());
        Ok(Self { context, path, actor: actor.into() })
    }

    /// Returns where the package lies in the workspace.
    pub fn path(&self) -> &str {
        self.path.trim_start_matches("./")
    }

    /// Returns the package, if it is still there.
    pub(crate) fn package(&self) -> Result<Package<'_>, TaskError> {
        Tasks::open(self.context.root())?.find(Some(&self.path))
    }

    /// Returns who changes something now.
    pub(crate) fn author(&self) -> Author {
        Author { actor: self.actor.clone(), time: self.context.now() }
    }

    /// Returns a word that is another one whenever the page would show something else.
    pub(crate) fn revision(&self) -> String {
        let word = match self.package() {
            Ok(package) => look(&package),
            Err(error) => error.code.to_string(),
        };
        ContentHash::of(word.as_bytes()).to_string()
    }

    /// Returns all that the page shows.
    pub(crate) fn document(&self) -> Result<Document, TaskError> {
        let package = self.package()?;
        // Taken first: what changes meanwhile is another revision.
        let revision = self.revision();
        let (extras, no_extras) = match package.extras() {
            Ok(extras) => (extras, None),
            Err(error) => (Extras::default(), Some(error)),
        };
        let (journal, no_journal) = match package.journal() {
            Ok(journal) => (journal, None),
            Err(error) => (minds_taskdoc::Journal::default(), Some(error)),
        };
        let latest = journal.latest();
        let mut room = MAX_BYTES;
        let sections = Section::injected_sections().chain(extras.sections);
        let sections = sections.map(|section| {
            let changes = latest.get(&section).map(Vec::as_slice).unwrap_or_default();
            let part = Part::new(&section, &package, &mut room);
            let last = Last::of(changes, part.hash);
            Part { last, ..part }
        });
        let sections = sections.collect();
        let bodies = package.bodies();
        let text = effective_text(&bodies, Language::English, DEFAULT_BUDGET);
        let cut = text.cut.iter();
        let cut = cut.map(|cut| CutPart { section: cut.section.to_string(), left_out: cut.omitted_bytes });
        let frame = Frame {
            bytes: text.text.len(),
            budget: DEFAULT_BUDGET,
            cut: cut.collect(),
            unread: bodies.unread().into_iter().map(|(path, _)| path).collect(),
        };
        Ok(Document {
            version: JSON_VERSION,
            name: package.name().as_str().to_owned(),
            path: package.path().to_string(),
            actor: self.actor.clone(),
            revision,
            sections,
            more_sections: extras.truncated,
            effective: frame,
            problem: no_extras.or(no_journal).as_ref().map(Trouble::of),
        })
    }

    /// Returns one section as the page shows it.
    pub(crate) fn part(&self, section: &Section) -> Result<Part, TaskError> {
        let package = self.package()?;
        let part = Part::new(section, &package, &mut MAX_SECTION_BYTES.saturating_mul(2));
        let journal = package.journal().unwrap_or_default();
        let last = journal.latest().get(section).and_then(|changes| Last::of(changes, part.hash));
        Ok(Part { last, ..part })
    }
}

/// Returns what the sections of a package hold, in a few words for each, and how long its journal is.
fn look(package: &Package<'_>) -> String {
    let (extras, mut words) = match package.extras() {
        Ok(extras) => (extras, format!("{:?}", package.journal_size())),
        Err(error) => (Extras::default(), error.message),
    };
    for section in Section::injected_sections().chain(extras.sections) {
        let holds = match package.section(&section) {
            Ok(Some(found)) => found.hash.to_string(),
            Ok(None) => "nothing".to_owned(),
            Err(error) => error.message,
        };
        // Writing to a string cannot fail.
        let _ = write!(words, "\n{section} {holds}");
    }
    words
}
