//! `minds task prompt`

use std::path::Path;
use std::process::ExitCode;

use minds_operations::task::{Package, Tasks};
use minds_taskdoc::{TaskCode, TaskError, guide};
use minds_toolset::ToolContext;
use serde_json::json;

use super::show::Words;
use super::{TaskArgs, answer};
use crate::output::{Failure, Output};

/// Print what the system prompt of an agent says about task packages, and about this one
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  minds task prompt
  minds task prompt ship-it --lang zh")]
pub(super) struct PromptArgs {
    /// The package; by default the only one, if there is one
    #[arg(value_name = "NAME")]
    name: Option<String>,
    /// The language; by default that of the settings, else English
    #[arg(long, value_enum)]
    lang: Option<Words>,
}

pub(super) fn run(
    directory: &Path,
    args: &TaskArgs,
    prompt: &PromptArgs,
    out: &mut Output,
) -> Result<ExitCode, Failure> {
    let context = ToolContext::find(directory)?;
    let name = args.named(prompt.name.as_deref())?;
    let status = Tasks::open(context.root()).and_then(|tasks| {
        let lang = prompt.lang.unwrap_or(Words::of(tasks.language()));
        Ok((lang, package(&tasks, name)?.map(|package| package.status())))
    });
    Ok(answer(args, out, status, |(lang, status)| {
        let language = lang.language();
        let guide = guide(language);
        let text = status
            .as_ref()
            .map_or_else(|| guide.clone(), |status| format!("{guide}\n{}", status.text(language)));
        let name = status.map(|status| status.name);
        (json!({"name": name, "lang": lang.word(), "prompt": text}), text)
    }))
}

/// Returns the package that is meant; none if none is named and there is none.
fn package<'r>(tasks: &Tasks<'r>, name: Option<&str>) -> Result<Option<Package<'r>>, TaskError> {
    match tasks.find(name) {
        Err(error) if name.is_none() && error.code == TaskCode::TaskdocNotFound => Ok(None),
        found => found.map(Some),
    }
}
