//! `minds task show`

use std::path::Path;
use std::process::ExitCode;

use clap::ValueEnum;
use minds_diagnostics::emit::printable;
use minds_operations::task::{Package, Tasks};
use minds_taskdoc::{
    DEFAULT_BUDGET, Entry, Extras, Journal, Language, Section, TaskCode, TaskError, effective_text,
};
use minds_toolset::ToolContext;
use serde_json::{Value, json};

use super::units::{size_text, time_text};
use super::{TaskArgs, answer_with};
use crate::output::{Failure, Output};

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
    pub(super) fn code(self) -> &'static str {
        match self {
            Self::En => "en",
            Self::Zh => "zh",
        }
    }

    pub(super) fn of(language: Language) -> Self {
        match language {
            Language::English => Self::En,
            Language::Chinese => Self::Zh,
        }
    }

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
    let view = Tasks::open(context.root())
        .and_then(|tasks| Ok((tasks.find(name)?, tasks.language())))
        .and_then(|(package, language)| PackageView::of(&package, show, language));
    Ok(answer_with(args, out, view, |view| (view.document, view.text, view.problems)))
}

/// A package as JSON and as text.
struct PackageView {
    document: Value,
    text: String,
    /// The parts that could not be read, by path in the package or by description, with the error.
    problems: Vec<(String, TaskError)>,
}

impl PackageView {
    fn of(package: &Package<'_>, show: &ShowArgs, language: Language) -> Result<Self, TaskError> {
        if let Some(selector) = &show.section {
            let section = Section::parse(selector, show.category.as_deref())?;
            return one_section(package, &section);
        }
        let bodies = package.bodies();
        let effective = effective_text(&bodies, show.lang.map_or(language, Lang::language), show.budget);
        let mut problems: Vec<(String, TaskError)> =
            bodies.unread().into_iter().map(|(path, error)| (path, error.clone())).collect();
        // Everything that follows is not part of the task prompt.
        let mut add_problem = |what: &str, error| problems.push((what.to_owned(), error));
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
        let index: Vec<Value> = extras
            .sections
            .iter()
            .map(|section| json!({"category": section.category(), "selector": section.selector()}))
            .collect();
        let document = json!({
            "name": package.name().as_str(),
            "path": package.path().as_str(),
            "effective": effective.text,
            "sections": rows.iter().map(Row::document).collect::<Vec<_>>(),
            "extra_sections": index,
            "truncated": extras.truncated,
        });
        let text = if show.effective { effective.text } else { overview(package, &rows) };
        Ok(Self { document, text, problems })
    }
}

fn one_section(package: &Package<'_>, section: &Section) -> Result<PackageView, TaskError> {
    let name = package.name().as_str();
    let missing = || {
        let message = format!("task `{name}` has no section `{section}`");
        TaskError::new(TaskCode::SectionNotFound, message).next("create it with `minds task set`")
    };
    let content = package.section(section)?.ok_or_else(missing)?;
    let document = json!({
        "name": name,
        "section": section.to_string(),
        "content": content.text,
        "content_hash": content.hash.to_string(),
    });
    Ok(PackageView { document, text: content.text, problems: Vec::new() })
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
    fn document(&self) -> Value {
        let state = self.state.as_ref().ok().and_then(Option::as_ref);
        let mut document = json!({
            "section": self.section.to_string(),
            "category": self.section.category(),
            "selector": self.section.selector(),
            "content_hash": state.map(|(hash, _)| hash),
            "size_bytes": state.map(|(_, size)| size),
            "last_change": self.last.as_ref().map(|last| json!({
                "id": last.id.to_string(),
                "time": last.time,
                "actor": last.actor,
                "operation": last.operation.as_str(),
            })),
            "is_recorded": self.is_recorded,
        });
        if let (Err(error), Some(document)) = (&self.state, document.as_object_mut()) {
            document
                .insert("problem".to_owned(), json!({"code": error.code.as_str(), "message": error.message}));
        }
        document
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
            _ if !self.is_recorded => "changed outside: `minds task verify`".to_owned(),
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
