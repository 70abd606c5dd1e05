//! `minds task migrate`

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use minds_diagnostics::emit::printable;
use minds_operations::OperationError;
use minds_task_store::documents::{MigratedSectionEntry, TaskMigrateDocument};
use minds_task_store::{Source, Tasks};
use minds_taskdoc::tools::TASK_MIGRATE;
use minds_toolset::{ToolContext, Toolbox};

use super::units::size_text;
use super::{TaskArgs, answer, report_tool_refusal};
use minds_output::{Failure, Output};

/// Create a package from a Markdown file
///
/// Headings in English or Chinese select the section of the text that follows them: goals, constraints, progress, or a
/// section of the category `bearinmind`. All other text is added to the progress. Every line of the file is copied to one
/// section, except headings that consist only of the name of their section.
///
/// The file is kept. `--remove` removes it, at once or later, if the package contains all of it.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  minds task migrate plan.md             Create `tasks/plan.tsk`
  minds task migrate plan.md ship-it     Create `tasks/ship-it.tsk`
  minds task migrate plan.md --remove    Also remove the file")]
pub(super) struct MigrateArgs {
    /// The file
    #[arg(value_name = "FILE.md")]
    file: PathBuf,
    /// The name of the package [default: the name of the file]
    #[arg(value_name = "NAME")]
    name: Option<String>,
    /// Remove the file if the package contains all of it
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
    let author = match Toolbox::new().author(&context, TASK_MIGRATE, &args.caller()) {
        Ok(author) => author,
        Err(refusal) => return Ok(report_tool_refusal(args, out, &refusal)),
    };
    let file = directory.join(&migrate.file);
    let name = match args.package_name(migrate.name.as_deref())? {
        Some(name) => name.to_owned(),
        None => stem(&migrate.file)?,
    };
    let bytes = minds_fs::read_named_file(&file).map_err(OperationError::from)?;
    let created = Source::read(&bytes).and_then(|source| {
        let tasks = Tasks::open(context.root())?;
        let (package, is_new) = if migrate.remove {
            tasks.migrate_once(&name, &source, &author)?
        } else {
            (tasks.migrate(&name, &source, &author)?.package, true)
        };
        Ok((package.path().as_str().to_owned(), source, is_new))
    });
    let removed = match &created {
        Ok(_) if migrate.remove => {
            minds_fs::remove_named_file(&file, &bytes).map_err(OperationError::from)?;
            true
        }
        _ => false,
    };
    let file_name = printable(&migrate.file.display().to_string()).into_owned();
    Ok(answer(args, out, created.as_ref(), |(path, source, is_new)| {
        let sections = MigratedSectionEntry::of_source(source);
        let mut text = String::new();
        if *is_new {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "created `{path}` from `{file_name}`");
            for entry in &sections {
                let _ = writeln!(text, "  {:<24}  {:>9}", entry.section, size_text(entry.size_bytes as u64));
            }
        }
        let _ = if removed {
            writeln!(text, "removed `{file_name}`; `{path}` contains all of it")
        } else {
            writeln!(text, "kept `{file_name}`; `minds task migrate {file_name} {name} --remove` removes it")
        };
        let (path, made) = (path.clone(), *is_new);
        let document = TaskMigrateDocument { file: file_name, made, name, path, removed, sections };
        (document, text)
    }))
}

/// Returns the name of a file without its extension.
fn stem(file: &Path) -> Result<String, Failure> {
    let stem = file.file_stem().and_then(|stem| stem.to_str()).map(ToOwned::to_owned);
    stem.ok_or_else(|| {
        Failure::usage(format!("`{}` has no file name; specify the name of the package", file.display()))
    })
}
