//! `minds task migrate`

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use minds_diagnostics::emit::printable;
use minds_operations::OperationError;
use minds_operations::task::{Author, Source, Tasks};
use minds_taskdoc::tools::TASK_MIGRATE;
use minds_toolset::{ToolContext, Toolbox};
use serde_json::{Value, json};

use super::words::size_text;
use super::{TaskArgs, answer, refused_by_tool};
use crate::output::{Failure, Output};

/// Make a package of a Markdown file that says everything about a task
///
/// Headings, English or Chinese, say which section gets what follows them: goals, constraints, progress, and those that are
/// to be borne in mind. Everything else goes to the progress. Every line of the file is in one section, except a heading that
/// says nothing but the name of its section.
///
/// The file stays. `--remove` removes it, at once or later, if all of it is in the package.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  minds task migrate plan.md             Make `tasks/plan.tsk` of it
  minds task migrate plan.md ship-it     Make `tasks/ship-it.tsk` of it
  minds task migrate plan.md --remove    Remove the file, which is in the package")]
pub(super) struct MigrateArgs {
    /// The file
    #[arg(value_name = "FILE.md")]
    file: PathBuf,
    /// The name of the package; by default that of the file
    #[arg(value_name = "NAME")]
    name: Option<String>,
    /// Remove the file when all of it is in the package
    #[arg(long)]
    remove: bool,
}

pub(super) fn run(
    directory: &Path,
    args: &TaskArgs,
    migrate: &MigrateArgs,
    out: &mut Output,
) -> Result<ExitCode, Failure> {
    let context = ToolContext::find(directory)?;
    let caller = args.caller();
    if let Err(refusal) = Toolbox::new().admit_to(&context, TASK_MIGRATE, &caller) {
        return Ok(refused_by_tool(args, out, &refusal));
    }
    let file = directory.join(&migrate.file);
    let name = match args.named(migrate.name.as_deref())? {
        Some(name) => name.to_owned(),
        None => stem(&migrate.file)?,
    };
    let bytes = minds_system::read_named_file(&file).map_err(OperationError::from)?;
    let author = Author { actor: caller.label(), time: context.now() };
    let made = Source::read(&bytes).and_then(|source| {
        let tasks = Tasks::open(context.root())?;
        let (package, is_new) = if migrate.remove {
            tasks.migrate_once(&name, &source, &author)?
        } else {
            (tasks.migrate(&name, &source, &author)?.package, true)
        };
        Ok((package.path().as_str().to_owned(), source, is_new))
    });
    let removed = match &made {
        Ok(_) if migrate.remove => {
            minds_system::remove_named_file(&file, &bytes).map_err(OperationError::from)?;
            true
        }
        _ => false,
    };
    let shown = printable(&migrate.file.display().to_string()).into_owned();
    Ok(answer(args, out, made, |(path, source, is_new)| {
        let sections = source.sections();
        let documents: Vec<Value> = sections
            .iter()
            .map(|(section, size)| json!({"section": section.to_string(), "size_bytes": size}))
            .collect();
        let mut text = String::new();
        if is_new {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "made `{path}` of `{shown}`");
            for (section, size) in &sections {
                let (section, size) = (section.to_string(), size_text(*size as u64));
                let _ = writeln!(text, "  {section:<24}  {size:>9}");
            }
        }
        let _ = if removed {
            writeln!(text, "removed `{shown}`, which is in `{path}`")
        } else {
            writeln!(text, "`{shown}` is as it was; `minds task migrate {shown} {name} --remove` removes it")
        };
        let document = json!({
            "name": name, "path": path, "file": shown, "sections": documents, "made": is_new, "removed": removed,
        });
        (document, text)
    }))
}

/// Returns the name of a file without how it ends.
fn stem(file: &Path) -> Result<String, Failure> {
    let stem = file.file_stem().and_then(|stem| stem.to_str()).map(ToOwned::to_owned);
    stem.ok_or_else(|| Failure::usage(format!("`{}` has no name: give the task one", file.display())))
}
