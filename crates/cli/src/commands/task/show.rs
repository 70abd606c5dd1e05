//! `minds task show`

use std::path::Path;
use std::process::ExitCode;

use clap::ValueEnum;
use minds_diagnostics::emit::printable;
use minds_operations::task::{Package, Tasks};
use minds_taskdoc::{DEFAULT_BUDGET, Entry, Language, Section, TaskCode, TaskError, effective};
use minds_toolset::Workbench;
use serde_json::{Value, json};

use super::words::{size_text, time_text};
use super::{TaskArgs, answer};
use crate::output::{Failure, Output};

/// Show which sections a package has, one of them, or the text that agents are given
///
/// Without options each section has a line with its size, and when and by whom it was changed last.
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
    /// The language of its title
    #[arg(long, value_enum, default_value_t = Words::En)]
    lang: Words,
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
    let bench = Workbench::find(directory)?;
    let name = args.named(show.name.as_deref())?;
    let shown =
        Tasks::open(bench.root()).and_then(|tasks| tasks.find(name)).and_then(|package| said(&package, show));
    Ok(answer(args, out, shown, |said| said))
}

/// Returns what is shown, for programs and for people.
fn said(package: &Package<'_>, show: &ShowArgs) -> Result<(Value, String), TaskError> {
    let name = package.name().as_str();
    if let Some(selector) = &show.section {
        let section = Section::parse(selector, show.category.as_deref())?;
        let missing = || {
            let message = format!("the task `{name}` has no section `{section}`");
            TaskError::new(TaskCode::SectionNotFound, message).next("`minds task set` writes it")
        };
        let found = package.section(&section)?.ok_or_else(missing)?;
        let document = json!({
            "name": name,
            "section": section.to_string(),
            "content": found.text,
            "content_hash": found.hash.to_string(),
        });
        return Ok((document, found.text));
    }
    let extras = package.extras()?;
    let index: Vec<Value> = extras
        .sections
        .iter()
        .map(|section| json!({"category": section.category(), "selector": section.selector()}))
        .collect();
    let effective = effective(&package.bodies()?, show.lang.language(), show.budget);
    let rows = rows(package)?;
    let document = json!({
        "name": name,
        "path": package.path().as_str(),
        "effective": effective.text,
        "sections": rows.iter().map(Row::document).collect::<Vec<_>>(),
        "extra_sections": index,
        "truncated": extras.truncated,
    });
    let text = if show.effective { effective.text } else { overview(package, &rows) };
    Ok((document, text))
}

/// A section as people see it.
struct Row {
    section: Section,
    /// Its hash and size; none if it is not there.
    held: Option<(String, u64)>,
    last: Option<Entry>,
    /// Whether it is what the journal says.
    is_recorded: bool,
}

impl Row {
    fn document(&self) -> Value {
        json!({
            "section": self.section.to_string(),
            "category": self.section.category(),
            "selector": self.section.selector(),
            "content_hash": self.held.as_ref().map(|(hash, _)| hash),
            "size_bytes": self.held.as_ref().map(|(_, size)| size),
            "last_change": self.last.as_ref().map(|last| json!({
                "id": last.id.to_string(),
                "time": last.time,
                "actor": last.actor,
                "operation": last.operation.as_str(),
            })),
            "is_recorded": self.is_recorded,
        })
    }

    fn line(&self, width: usize) -> String {
        let name = self.section.to_string();
        let size = self.held.as_ref().map_or_else(|| "missing".to_owned(), |(_, size)| size_text(*size));
        let last = match &self.last {
            _ if !self.is_recorded => "by hand: `minds task verify`".to_owned(),
            Some(last) => format!("{}  {}", time_text(&last.time), printable(&last.actor)),
            None => String::new(),
        };
        format!("  {name:<width$}  {size:>9}  {last}").trim_end().to_owned() + "\n"
    }
}

/// Returns the sections of a package that every package has, and those that are there.
fn rows(package: &Package<'_>) -> Result<Vec<Row>, TaskError> {
    let journal = package.journal()?;
    let latest = journal.latest();
    let there = package.sections()?;
    let top = [Section::GOALS, Section::CONSTRAINTS, Section::PROGRESS];
    let mut sections: Vec<Section> = top.iter().filter(|section| !there.contains(section)).cloned().collect();
    sections.extend(there);
    let row = |section: Section| {
        let held = package.section(&section)?;
        let hash = held.as_ref().map(|held| held.hash);
        let changes = latest.get(&section).map(Vec::as_slice).unwrap_or_default();
        let is_empty = held.as_ref().is_none_or(|held| held.text.is_empty());
        let is_recorded =
            if changes.is_empty() { is_empty } else { changes.iter().any(|change| change.after == hash) };
        Ok(Row {
            last: changes.last().map(|last| (*last).clone()),
            held: held.map(|held| (held.hash.to_string(), held.text.len() as u64)),
            section,
            is_recorded,
        })
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
