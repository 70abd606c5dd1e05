//! `minds task show`

use std::path::Path;
use std::process::ExitCode;

use clap::ValueEnum;
use minds_diagnostics::emit::printable;
use minds_operations::task::{Package, Tasks};
use minds_taskdoc::{
    DEFAULT_BUDGET, Entry, Extras, Journal, Language, Section, TaskCode, TaskError, effective,
};
use minds_toolset::ToolContext;
use serde_json::{Value, json};

use super::words::{size_text, time_text};
use super::{TaskArgs, answer_with};
use crate::output::{Failure, Output};

/// Show which sections a package has, one of them, or the text that agents are given
///
/// Without options each section has a line with its size, and when and by whom it was changed last.
///
/// Exits with 1 if something in the package could not be read: everything else is printed, and stderr reports the problem.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  minds task show                        The sections of the only package
  minds task show ship-it --section goals
                                         One section, byte for byte
  minds task show --effective --lang zh  What agents are given")]
pub(super) struct ShowArgs {
    /// The package; by default the only one
    #[arg(value_name = "NAME")]
    name: Option<String>,
    /// Print this section as it is
    #[arg(long, value_name = "SELECTOR", conflicts_with = "effective")]
    section: Option<String>,
    /// The category of the section
    #[arg(long, value_name = "CATEGORY", requires = "section")]
    category: Option<String>,
    /// Print exactly what agents are given
    #[arg(long)]
    effective: bool,
    /// The language of its title; by default that of the settings, else English
    #[arg(long, value_enum)]
    lang: Option<Words>,
    /// How many bytes it has at most
    #[arg(long, value_name = "BYTES", requires = "effective", default_value_t = DEFAULT_BUDGET)]
    budget: usize,
}

/// A language of texts for agents.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Words {
    /// English
    En,
    /// Chinese
    Zh,
}

impl Words {
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::En => "en",
            Self::Zh => "zh",
        }
    }

    /// Returns the words of a language.
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
    let name = args.named(show.name.as_deref())?;
    let shown = Tasks::open(context.root())
        .and_then(|tasks| Ok((tasks.find(name)?, tasks.language())))
        .and_then(|(package, language)| Shown::of(&package, show, language));
    Ok(answer_with(args, out, shown, |shown| (shown.document, shown.text, shown.problems)))
}

/// What is shown, for programs and for people.
struct Shown {
    document: Value,
    text: String,
    /// What could not be read, each with its path in the package or what it is.
    problems: Vec<(String, TaskError)>,
}

impl Shown {
    fn of(package: &Package<'_>, show: &ShowArgs, language: Language) -> Result<Self, TaskError> {
        if let Some(selector) = &show.section {
            let section = Section::parse(selector, show.category.as_deref())?;
            return one_section(package, &section);
        }
        let bodies = package.bodies();
        let effective = effective(&bodies, show.lang.map_or(language, Words::language), show.budget);
        let mut problems: Vec<(String, TaskError)> =
            bodies.unread().into_iter().map(|(path, error)| (path, error.clone())).collect();
        // The text for agents is made of nothing else.
        let mut found = |what: &str, error| problems.push((what.to_owned(), error));
        let extras = package.extras().unwrap_or_else(|error| {
            found("the list of further sections", error);
            Extras { truncated: true, ..Extras::default() }
        });
        let journal = package.journal().unwrap_or_else(|error| {
            found("journal.jsonl", error);
            Journal::default()
        });
        let rows = rows(package, &journal);
        for row in &rows {
            if let (Err(error), false) = (&row.held, row.section.is_injected()) {
                found(&row.section.path(), error.clone());
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

fn one_section(package: &Package<'_>, section: &Section) -> Result<Shown, TaskError> {
    let name = package.name().as_str();
    let missing = || {
        let message = format!("the task `{name}` has no section `{section}`");
        TaskError::new(TaskCode::SectionNotFound, message).next("`minds task set` writes it")
    };
    let found = package.section(section)?.ok_or_else(missing)?;
    let document = json!({
        "name": name,
        "section": section.to_string(),
        "content": found.text,
        "content_hash": found.hash.to_string(),
    });
    Ok(Shown { document, text: found.text, problems: Vec::new() })
}

/// A section as people see it.
struct Row {
    section: Section,
    /// Its hash and size; none if it does not exist.
    held: Result<Option<(String, u64)>, TaskError>,
    last: Option<Entry>,
    /// Whether it is what the journal says.
    is_recorded: bool,
}

impl Row {
    fn document(&self) -> Value {
        let held = self.held.as_ref().ok().and_then(Option::as_ref);
        let mut document = json!({
            "section": self.section.to_string(),
            "category": self.section.category(),
            "selector": self.section.selector(),
            "content_hash": held.map(|(hash, _)| hash),
            "size_bytes": held.map(|(_, size)| size),
            "last_change": self.last.as_ref().map(|last| json!({
                "id": last.id.to_string(),
                "time": last.time,
                "actor": last.actor,
                "operation": last.operation.as_str(),
            })),
            "is_recorded": self.is_recorded,
        });
        if let (Err(error), Some(document)) = (&self.held, document.as_object_mut()) {
            document
                .insert("problem".to_owned(), json!({"code": error.code.as_str(), "message": error.message}));
        }
        document
    }

    fn line(&self, width: usize) -> String {
        let name = self.section.to_string();
        let size = match &self.held {
            Ok(Some((_, size))) => size_text(*size),
            Ok(None) => "missing".to_owned(),
            Err(_) => "unreadable".to_owned(),
        };
        let last = match &self.last {
            _ if self.held.is_err() => String::new(),
            _ if !self.is_recorded => "by hand: `minds task verify`".to_owned(),
            Some(last) => format!("{}  {}", time_text(&last.time), printable(&last.actor)),
            None => String::new(),
        };
        format!("  {name:<width$}  {size:>9}  {last}").trim_end().to_owned() + "\n"
    }
}

/// Returns the sections that every package has, and the others that exist.
fn rows(package: &Package<'_>, journal: &Journal) -> Vec<Row> {
    let latest = journal.latest();
    let mut sections = package.sections().unwrap_or_default();
    let read = |section: &Section| {
        package.section(section).map(|held| held.map(|held| (held.hash, held.text.len() as u64)))
    };
    // What is not a regular file is not listed, and must not look as if it did not exist.
    for section in Section::injected().filter(|section| !sections.contains(section)).collect::<Vec<_>>() {
        if matches!(section, Section::Top(_)) || read(&section).is_err() {
            sections.push(section);
        }
    }
    sections.sort();
    let row = |section: Section| {
        let held = read(&section);
        let hash = held.as_ref().ok().and_then(|held| held.map(|(hash, _)| hash));
        let changes = latest.get(&section).map(Vec::as_slice).unwrap_or_default();
        let is_recorded = match (&held, changes) {
            (Err(_), _) => false,
            (Ok(held), []) => held.is_none_or(|(_, size)| size == 0),
            (Ok(_), changes) => changes.iter().any(|change| change.after == hash),
        };
        Row {
            last: changes.last().map(|last| (*last).clone()),
            held: held.map(|held| held.map(|(hash, size)| (hash.to_string(), size))),
            section,
            is_recorded,
        }
    };
    sections.into_iter().map(row).collect()
}

/// Returns what a package holds: a line for each section.
fn overview(package: &Package<'_>, rows: &[Row]) -> String {
    const WIDEST: usize = 36;
    let width = rows.iter().map(|row| row.section.to_string().len()).max().unwrap_or_default().min(WIDEST);
    let (name, path) = (printable(package.name().as_str()), printable(package.path().as_str()));
    let mut text = format!("{name} ({path})\n");
    let (injected, extra): (Vec<&Row>, Vec<&Row>) = rows.iter().partition(|row| row.section.is_injected());
    text.push_str("\nAgents are given these with every message:\n");
    text.extend(injected.iter().map(|row| row.line(width)));
    if !extra.is_empty() {
        text.push_str("\nAgents can recall these:\n");
        text.extend(extra.iter().map(|row| row.line(width)));
    }
    text
}
