//! One task package, as the page displays it.

use std::fmt::Write as _;

use minds_diagnostics::JSON_VERSION;
use minds_task_store::{Author, Package, Tasks};
use minds_taskdoc::package::MAX_SECTION_BYTES;
use minds_taskdoc::{DEFAULT_BUDGET, Extras, Language, Section, TaskError, effective_text};
use minds_toolset::ToolContext;
use minds_vfs::ContentHash;

use crate::view::document::{CutPart, Document, LastChange, Part, Problem, PromptSize};

/// The maximum size of all sections of the page, in bytes. The standard sections always fit; larger sections are read with the
/// command.
const MAX_BYTES: u64 = 12 * MAX_SECTION_BYTES;

/// One package for one user. Nothing is cached: each request reads the current files.
#[derive(Debug)]
pub struct View {
    context: ToolContext,
    /// The path of the package, in a form that cannot be confused with a name.
    path: String,
    operator: String,
}

impl View {
    /// Finds the package with a name or a path; without one, the only package. Changes are made by the operator with
    /// the name `operator`.
    ///
    /// # Errors
    ///
    /// Fails if the package does not exist, or if several packages match.
    pub fn new(
        context: ToolContext,
        name: Option<&str>,
        operator: impl Into<String>,
    ) -> Result<Self, TaskError> {
        let path = format!("./{}", Tasks::open(context.root())?.find(name)?.path());
        Ok(Self { context, path, operator: operator.into() })
    }

    /// Returns the path of the package in the workspace.
    pub fn path(&self) -> &str {
        self.path.trim_start_matches("./")
    }

    /// Opens the package again.
    pub(crate) fn package(&self) -> Result<Package<'_>, TaskError> {
        Tasks::open(self.context.root())?.find(Some(&self.path))
    }

    /// Returns the author of a change that is made now.
    pub(crate) fn author(&self) -> Author {
        Author::operator(&self.operator, self.context.now())
    }

    /// Returns an identifier that changes whenever the page would display something else.
    pub(crate) fn revision(&self) -> String {
        let state = match self.package() {
            Ok(package) => describe_state(&package),
            Err(error) => error.code.to_string(),
        };
        ContentHash::of(state.as_bytes()).to_string()
    }

    /// Returns the document of the page.
    pub(crate) fn document(&self) -> Result<Document, TaskError> {
        let package = self.package()?;
        // Computed first, so that a concurrent change results in another revision.
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
        let mut budget = MAX_BYTES;
        let sections = Section::injected_sections().chain(extras.sections);
        let sections = sections.map(|section| {
            let changes = latest.get(&section).map(Vec::as_slice).unwrap_or_default();
            let part = Part::new(&section, &package, &mut budget);
            let last = LastChange::of(changes, part.hash);
            Part { last, ..part }
        });
        let sections = sections.collect();
        let bodies = package.bodies();
        let text = effective_text(&bodies, Language::English, DEFAULT_BUDGET);
        let cut = text.cut.iter();
        let cut = cut.map(|cut| CutPart { section: cut.section.to_string(), left_out: cut.omitted_bytes });
        let prompt_size = PromptSize {
            bytes: text.text.len(),
            budget: DEFAULT_BUDGET,
            cut: cut.collect(),
            unread: bodies.unread().into_iter().map(|(path, _)| path).collect(),
        };
        Ok(Document {
            version: JSON_VERSION,
            name: package.name().as_str().to_owned(),
            path: package.path().to_string(),
            actor: self.author().actor().to_owned(),
            revision,
            sections,
            more_sections: extras.truncated,
            effective: prompt_size,
            problem: no_extras.or(no_journal).as_ref().map(Problem::of),
        })
    }

    /// Returns one section of the document.
    pub(crate) fn part(&self, section: &Section) -> Result<Part, TaskError> {
        let package = self.package()?;
        let part = Part::new(section, &package, &mut MAX_SECTION_BYTES.saturating_mul(2));
        let journal = package.journal().unwrap_or_default();
        let last = journal.latest().get(section).and_then(|changes| LastChange::of(changes, part.hash));
        Ok(Part { last, ..part })
    }
}

/// Describes the state of a package: the size of its journal, and the hash of each section.
fn describe_state(package: &Package<'_>) -> String {
    let (extras, mut state) = match package.extras() {
        Ok(extras) => (extras, format!("{:?}", package.journal_size())),
        Err(error) => (Extras::default(), error.message),
    };
    for section in Section::injected_sections().chain(extras.sections) {
        let content = match package.section(&section) {
            Ok(Some(section)) => section.hash.to_string(),
            Ok(None) => "nothing".to_owned(),
            Err(error) => error.message,
        };
        // Writing to a string cannot fail.
        let _ = write!(state, "\n{section} {content}");
    }
    state
}
