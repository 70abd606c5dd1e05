//! Which package, and which change of it.

use minds_operations::task::{Package, Tasks};
use minds_taskdoc::{Journal, PackageName, TaskCode, TaskError};

use super::TaskArgs;
use crate::output::Failure;

/// A package and a change, of which either may be left out.
#[derive(Debug, clap::Args)]
pub(super) struct MeantArgs {
    /// The package; by default the only one
    #[arg(value_name = "NAME")]
    name: Option<String>,
    /// The change: its id, or the first digits of it, six at least
    #[arg(value_name = "CHANGE")]
    change: Option<String>,
}

/// What is meant by them.
pub(super) struct Meant<'a> {
    pub(super) name: Option<&'a str>,
    pub(super) change: Option<&'a str>,
}

impl MeantArgs {
    /// Returns what is meant. A single argument is a change if it can be one and no package has this name.
    ///
    /// # Errors
    ///
    /// Fails if two packages are named; refuses what is both a package and a change.
    pub(super) fn read<'a>(
        &'a self,
        args: &'a TaskArgs,
        tasks: &Result<Tasks<'_>, TaskError>,
    ) -> Result<Result<Meant<'a>, TaskError>, Failure> {
        let given = self.name.as_deref();
        let single = given.filter(|text| self.change.is_none() && Journal::can_name_change(text));
        let (Some(text), Ok(tasks)) = (single, tasks) else {
            return Ok(Ok(Meant { name: args.named(given)?, change: self.change.as_deref() }));
        };
        let change = Meant { name: args.task.as_deref(), change: Some(text) };
        if let Some(task) = args.task.as_deref() {
            let is_name = task == text && !tasks.find(Some(task)).is_ok_and(|package| has(&package, text));
            return Ok(Ok(if is_name { Meant { name: Some(task), change: None } } else { change }));
        }
        let Ok(packages) = tasks.list() else { return Ok(Ok(change)) };
        let is_named =
            |package: &Package<'_>| PackageName::parse(text).is_ok_and(|name| name == *package.name());
        if !packages.iter().any(is_named) {
            return Ok(Ok(change));
        }
        if tasks.find(None).is_ok_and(|package| has(&package, text)) {
            let message =
                format!("`{}` is the name of a task and the beginning of a change", text.escape_debug());
            return Ok(Err(TaskError::new(TaskCode::TaskdocAmbiguous, message).next(format!(
                "for the change: `--task {0} {0}`; for the task: `--task {0}`",
                text.escape_debug()
            ))));
        }
        Ok(Ok(Meant { name: Some(text), change: None }))
    }
}

/// Returns whether the journal of a package has a change.
fn has(package: &Package<'_>, change: &str) -> bool {
    package.journal().is_ok_and(|journal| journal.change(change).is_ok())
}
