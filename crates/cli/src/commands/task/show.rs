//! `minds task show`

use std::path::Path;
use std::process::ExitCode;

use clap::ValueEnum;
use minds_diagnostics::emit::printable;
use minds_task_store::documents::{
    ExtraSectionEntry, SectionChangeEntry, SectionEntry, SectionProblem, TaskProblem, TaskSectionDocument,
    TaskShowDocument,
};
use minds_task_store::{Package, Tasks};
use minds_taskdoc::{
    DEFAULT_BUDGET, Entry, Extras, Journal, Language, Section, TaskCode, TaskError, effective_text,
};
use minds_toolset::ToolContext;

use super::units::{size_text, time_text};
use super::{TaskArgs, answer, print, report_error};
use minds_output::{Failure, Output};

/// Show the sections of a package, one section, or the task prompt
///
/// Without options, each section is listed with its size, and the time and the author of its last change.
///
/// Exits with 1 if a part of the package cannot be read: the rest is printed, and the error is reported on stderr.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  minds task show                        List the sections of the only package
  minds task show ship-it --section goals
                                         Print one section unchanged
  minds task show --effective --lang zh  Print the task prompt in Chinese")]
pub(super) struct ShowArgs {
    /// The package [default: the only one]
    #[arg(value_name = "NAME")]
    name: Option<String>,
    /// Print this section unchanged
    #[arg(long, value_name = "SELECTOR", conflicts_with = "effective")]
    section: Option<String>,
    /// The category of the section
    #[arg(long, value_name = "CATEGORY", requires = "section")]
    category: Option<String>,
    /// Print the task prompt exactly as agents receive it
    #[arg(long)]
    effective: bool,
    /// The language of the titles in the task prompt [default: the language of the settings, or English]
    #[arg(long, value_enum)]
    lang: Option<Lang>,
    /// The maximum size of the task prompt
    #[arg(long, value_name = "BYTES", requires = "effective", default_value_t = DEFAULT_BUDGET)]
    budget: usize,
}

/// A language of prompts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Lang {
    /// English
    En,
    /// Chinese
    Zh,
}

impl Lang {
    pub(super) fn language(self) -> Language {
        match self {
            Self::En => Language::English,
            Self::Zh => Language::Chinese,
        }
    }
}

pub(super) fn run(
    directory: &Path,
    args: &TaskArgs,
    show: &ShowArgs,
    out: &mut Output,
) -> Result<ExitCode, Failure> {
    let context = ToolContext::find(directory)?;
    let name = args.package_name(show.name.as_deref())?;
    let package = Tasks::open(context.root()).and_then(|tasks| Ok((tasks.find(name)?, tasks.language())));
    let (package, language) = match package {
        Ok(package) => package,
        Err(error) => return Ok(report_error(args, out, &error)),
    };
    if let Some(selector) = &show.section {
        let document = one_section(&package, selector, show.category.as_deref());
        return Ok(answer(args, out, document.as_ref(), |document| {
            (document.clone(), document.content.clone())
        }));
    }
    let (document, rows) = show_package(&package, show, language);
    let text = if show.effective { document.effective.clone() } else { overview(&package, &rows) };
    Ok(print(args, out, &document, &text, &document.problems))
}

/// Reads a package. A part that cannot be read is a problem, and the other parts are still shown.
fn show_package(package: &Package<'_>, show: &ShowArgs, language: Language) -> (TaskShowDocument, Vec<Row>) {
    let bodies = package.bodies();
    let effective = effective_text(&bodies, show.lang.map_or(language, Lang::language), show.budget);
    let unread = bodies.unread().into_iter();
    let mut problems: Vec<TaskProblem> =
        unread.map(|(path, error)| TaskProblem::new(path, error.clone())).collect();
    // Everything that follows is not part of the task prompt.
    let mut add_problem = |what: &str, error| problems.push(TaskProblem::new(what, error));
    let extras = package.extras().unwrap_or_else(|error| {
        add_problem("the list of further sections", error);
        Extras { truncated: true, ..Extras::default() }
    });
    let journal = package.journal().unwrap_or_else(|error| {
        add_problem("journal.jsonl", error);
        Journal::default()
    });
    let rows = rows(package, &journal);
    for row in &rows {
        if let (Err(error), false) = (&row.state, row.section.is_injected()) {
            add_problem(&row.section.path(), error.clone());
        }
    }
    let document = TaskShowDocument {
        effective: effective.text,
        extra_sections: extras.sections.iter().map(ExtraSectionEntry::from).collect(),
        name: package.name().as_str().to_owned(),
        path: package.path().as_str().to_owned(),
        problems,
        sections: rows.iter().map(Row::entry).collect(),
        truncated: extras.truncated,
    };
    (document, rows)
}

fn one_section(
    package: &Package<'_>,
    selector: &str,
    category: Option<&str>,
) -> Result<TaskSectionDocument, TaskError> {
    let section = Section::parse(selector, category)?;
    let missing = || {
        let message = format!("task `{}` has no section `{section}`", package.name().as_str());
        TaskError::new(TaskCode::SectionNotFound, message).next("create it with `minds task set`")
    };
    let content = package.section(&section)?.ok_or_else(missing)?;
    Ok(TaskSectionDocument::new(package, &section, content))
}

/// A section in the overview.
struct Row {
    section: Section,
    /// The hash and size of the section; `None` if it does not exist.
    state: Result<Option<(String, u64)>, TaskError>,
    last: Option<Entry>,
    /// Whether the journal records the current contents.
    is_recorded: bool,
}

impl Row {
    fn entry(&self) -> SectionEntry {
        let state = self.state.as_ref().ok().and_then(Option::as_ref);
        SectionEntry {
            category: self.section.category().map(ToOwned::to_owned),
            content_hash: state.map(|(hash, _)| hash.clone()),
            is_recorded: self.is_recorded,
            last_change: self.last.as_ref().map(SectionChangeEntry::from),
            problem: self.state.as_ref().err().map(SectionProblem::from),
            section: self.section.to_string(),
            selector: self.section.selector().to_owned(),
            size_bytes: state.map(|(_, size)| *size),
        }
    }

    fn line(&self, width: usize) -> String {
        let name = self.section.to_string();
        let size = match &self.state {
            Ok(Some((_, size))) => size_text(*size),
            Ok(None) => "missing".to_owned(),
            Err(_) => "unreadable".to_owned(),
        };
        let last = match &self.last {
            _ if self.state.is_err() => String::new(),
            _ if !self.is_recorded => "modified: see `minds task verify`".to_owned(),
            Some(last) => format!("{}  {}", time_text(&last.time), printable(&last.actor)),
            None => String::new(),
        };
        format!("  {name:<width$}  {size:>9}  {last}").trim_end().to_owned() + "\n"
    }
}

/// Returns the standard sections, and all other sections that exist.
fn rows(package: &Package<'_>, journal: &Journal) -> Vec<Row> {
    let latest = journal.latest();
    let mut sections = package.sections().unwrap_or_default();
    let read = |section: &Section| {
        package.section(section).map(|state| state.map(|text| (text.hash, text.text.len() as u64)))
    };
    // A section that is not a regular file is not listed, but must not look like a missing one.
    for section in
        Section::injected_sections().filter(|section| !sections.contains(section)).collect::<Vec<_>>()
    {
        if matches!(section, Section::Top(_)) || read(&section).is_err() {
            sections.push(section);
        }
    }
    sections.sort();
    let row = |section: Section| {
        let state = read(&section);
        let hash = state.as_ref().ok().and_then(|state| state.map(|(hash, _)| hash));
        let changes = latest.get(&section).map(Vec::as_slice).unwrap_or_default();
        let is_recorded = match (&state, changes) {
            (Err(_), _) => false,
            (Ok(state), []) => state.is_none_or(|(_, size)| size == 0),
            (Ok(_), changes) => changes.iter().any(|change| change.after == hash),
        };
        Row {
            last: changes.last().map(|last| (*last).clone()),
            state: state.map(|state| state.map(|(hash, size)| (hash.to_string(), size))),
            section,
            is_recorded,
        }
    };
    sections.into_iter().map(row).collect()
}

/// Renders the overview of a package: a line for each section.
fn overview(package: &Package<'_>, rows: &[Row]) -> String {
    const MAX_WIDTH: usize = 36;
    let width = rows.iter().map(|row| row.section.to_string().len()).max().unwrap_or_default().min(MAX_WIDTH);
    let (name, path) = (printable(package.name().as_str()), printable(package.path().as_str()));
    let mut text = format!("{name} ({path})\n");
    let (injected, extra): (Vec<&Row>, Vec<&Row>) = rows.iter().partition(|row| row.section.is_injected());
    text.push_str("\nIn the task prompt, which agents receive with every message:\n");
    text.extend(injected.iter().map(|row| row.line(width)));
    if !extra.is_empty() {
        text.push_str("\nOther sections, which agents can recall:\n");
        text.extend(extra.iter().map(|row| row.line(width)));
    }
    text
}
