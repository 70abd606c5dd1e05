//! The task packages of a workspace, as they are shown to whoever may call tools there.

pub use minds_operations::task::TextStamp;
use minds_operations::task::{Package, Tasks};
pub use minds_taskdoc::tools::CHANGE_MIND;
use minds_taskdoc::{DEFAULT_BUDGET, Language, effective};

use crate::{Caller, Toolbox, Workbench};

/// A task package.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Task {
    /// The name of the package.
    pub name: String,
    /// The path of the package in the workspace.
    pub path: String,
}

impl Task {
    fn of(package: &Package<'_>) -> Self {
        Self { name: package.name().as_str().to_owned(), path: package.path().as_str().to_owned() }
    }
}

/// Returns the packages that a caller may read, in the order of their names: all of them, or the one that is fixed. None if
/// the workspace does not know the caller, or cannot be looked through.
pub fn tasks(bench: &Workbench, caller: &Caller) -> Vec<Task> {
    packages(bench, caller).iter().map(Task::of).collect()
}

/// Returns the same, each with what changes when its text does. No section is read.
pub fn stamped(bench: &Workbench, caller: &Caller) -> Vec<(Task, TextStamp)> {
    packages(bench, caller).iter().map(|package| (Task::of(package), package.text_stamp())).collect()
}

/// Returns the text that agents are given of a package; none if it is not one that the caller may read. A line replaces
/// what cannot be read.
pub fn text(bench: &Workbench, caller: &Caller, task: &Task) -> Option<String> {
    let packages = packages(bench, caller);
    let package = packages.iter().find(|package| package.path().as_str() == task.path)?;
    Some(effective(&package.bodies(), Language::English, DEFAULT_BUDGET).text)
}

fn packages<'b>(bench: &'b Workbench, caller: &Caller) -> Vec<Package<'b>> {
    if Toolbox::new().admit(bench, caller).is_err() {
        return Vec::new();
    }
    let Ok(tasks) = Tasks::open(bench.root()) else { return Vec::new() };
    match bench.task() {
        Some(fixed) => tasks.find(Some(fixed)).into_iter().collect(),
        None => tasks.list().unwrap_or_default(),
    }
}
