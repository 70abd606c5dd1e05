//! The arguments that select a package, and a change of it.

use minds_task_store::{Package, Tasks};
use minds_taskdoc::{Journal, PackageName, TaskCode, TaskError};

use super::TaskArgs;
use minds_output::Failure;

/// A package and a change; both are optional.
#[derive(Debug, clap::Args)]
pub(super) struct ChangeArgs {
    /// The package [default: the only one]
    #[arg(value_name = "NAME")]
    name: Option<String>,
    /// The id of the change, or at least its first six digits [default: the newest change]
    #[arg(value_name = "CHANGE")]
    change: Option<String>,
}

/// The package and the change that the arguments select.
pub(super) struct ChangeRef<'a> {
    pub(super) name: Option<&'a str>,
    pub(super) change: Option<&'a str>,
}

impl ChangeArgs {
    /// Resolves the arguments. A single argument is a change if it has the form of an id and no package has this name.
    ///
    /// # Errors
    ///
    /// Fails if two packages are named, or if an argument is both the name of a package and the id of a change.
    pub(super) fn resolve<'a>(
        &'a self,
        args: &'a TaskArgs,
        tasks: &Result<Tasks<'_>, TaskError>,
    ) -> Result<Result<ChangeRef<'a>, TaskError>, Failure> {
        let name = self.name.as_deref();
        let single = name.filter(|text| self.change.is_none() && Journal::is_change_id(text));
        let (Some(text), Ok(tasks)) = (single, tasks) else {
            return Ok(Ok(ChangeRef { name: args.package_name(name)?, change: self.change.as_deref() }));
        };
        let change = ChangeRef { name: args.task.as_deref(), change: Some(text) };
        if let Some(task) = args.task.as_deref() {
            let is_name =
                task == text && !tasks.find(Some(task)).is_ok_and(|package| has_change(&package, text));
            return Ok(Ok(if is_name { ChangeRef { name: Some(task), change: None } } else { change }));
        }
        let Ok(packages) = tasks.list() else { return Ok(Ok(change)) };
        let is_named =
            |package: &Package<'_>| PackageName::parse(text).is_ok_and(|name| name == *package.name());
        if !packages.iter().any(is_named) {
            return Ok(Ok(change));
        }
        if tasks.find(None).is_ok_and(|package| has_change(&package, text)) {
            let message =
                format!("`{}` is both the name of a task and an abbreviated change id", text.escape_debug());
            return Ok(Err(TaskError::new(TaskCode::TaskdocAmbiguous, message).next(format!(
                "for the change: `--task {0} {0}`; for the task: `--task {0}`",
                text.escape_debug()
            ))));
        }
        Ok(Ok(ChangeRef { name: Some(text), change: None }))
    }
}

/// Returns whether the journal of a package has this change.
fn has_change(package: &Package<'_>, change: &str) -> bool {
    package.journal().is_ok_and(|journal| journal.resolve_change(change).is_ok())
}
