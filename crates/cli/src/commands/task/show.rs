//! `minds task show`

use std::path::Path;
use std::process::ExitCode;

use clap::ValueEnum;
use minds_operations::task::{Package, Tasks};
use minds_taskdoc::{DEFAULT_BUDGET, Language, Section, TaskCode, TaskError, effective};
use minds_toolset::Workbench;
use serde_json::{Value, json};

use super::{TaskArgs, answer};
use crate::output::{Failure, Output};

/// Show a package, one of its sections, or the text that agents are given
#[derive(Debug, clap::Args)]
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
    let document = json!({
        "name": name,
        "path": package.path().as_str(),
        "effective": effective.text,
        "extra_sections": index,
        "truncated": extras.truncated,
    });
    Ok((document, effective.text))
}
