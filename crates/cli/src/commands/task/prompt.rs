//! `minds task prompt`

use std::path::Path;
use std::process::ExitCode;

use minds_task_store::documents::TaskPromptDocument;
use minds_task_store::{Package, Tasks};
use minds_taskdoc::{TaskCode, TaskError, guide};
use minds_toolset::ToolContext;

use super::show::Lang;
use super::{TaskArgs, answer};
use minds_output::{Failure, Output};

/// Print the part of the system prompt of an agent about task packages
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  minds task prompt
  minds task prompt ship-it --lang zh")]
pub(super) struct PromptArgs {
    /// The package [default: the only one, if it exists]
    #[arg(value_name = "NAME")]
    name: Option<String>,
    /// The language [default: the language of the settings, or English]
    #[arg(long, value_enum)]
    lang: Option<Lang>,
}

pub(super) fn run(
    directory: &Path,
    args: &TaskArgs,
    prompt: &PromptArgs,
    out: &mut Output,
) -> Result<ExitCode, Failure> {
    let context = ToolContext::find(directory)?;
    let name = args.package_name(prompt.name.as_deref())?;
    let status = Tasks::open(context.root()).and_then(|tasks| {
        let language = prompt.lang.map_or(tasks.language(), Lang::language);
        Ok((language, package(&tasks, name)?.map(|package| package.status())))
    });
    Ok(answer(args, out, status.as_ref(), |(language, status)| {
        let language = *language;
        let guide = guide(language);
        let text = status
            .as_ref()
            .map_or_else(|| guide.clone(), |status| format!("{guide}\n{}", status.text(language)));
        let name = status.as_ref().map(|status| status.name.clone());
        (TaskPromptDocument { lang: language, name, prompt: text.clone() }, text)
    }))
}

/// Returns the package, or `None` if no name is given and no package exists.
fn package<'r>(tasks: &Tasks<'r>, name: Option<&str>) -> Result<Option<Package<'r>>, TaskError> {
    match tasks.find(name) {
        Err(error) if name.is_none() && error.code == TaskCode::TaskdocNotFound => Ok(None),
        package => package.map(Some),
    }
}
