//! The task packages of a workspace, as they are shown to whoever may call tools there.

use minds_operations::task::{Package, Tasks, TextStamp as FilesStamp};
pub use minds_taskdoc::tools::{CHANGE_MIND, GENERAL_TOOLS, RECALL_TASKDOC, REFUSED, TASK_NEW};
use minds_taskdoc::{DEFAULT_BUDGET, Language, TaskCode, TaskError, effective, guide, guide_to_access};

use crate::{Caller, ToolContext, Toolbox};

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
pub fn tasks(context: &ToolContext, caller: &Caller) -> Vec<Task> {
    packages(context, caller).iter().map(Task::of).collect()
}

/// Changes whenever the text that agents are given of a package may have changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextStamp {
    files: FilesStamp,
    language: Language,
}

/// Returns the same, each with what changes when its text does. No section is read.
pub fn tasks_with_stamps(context: &ToolContext, caller: &Caller) -> Vec<(Task, TextStamp)> {
    let Some(tasks) = open(context, caller) else { return Vec::new() };
    let packages = packages_of(context, &tasks).unwrap_or_default();
    let stamp = |package: &Package<'_>| TextStamp { files: package.text_stamp(), language: tasks.language() };
    packages.iter().map(|package| (Task::of(package), stamp(package))).collect()
}

/// Returns the text that agents are given of a package; none if it is not one that the caller may read. A line replaces
/// what cannot be read.
pub fn text(context: &ToolContext, caller: &Caller, task: &Task) -> Option<String> {
    let tasks = open(context, caller)?;
    let packages = packages_of(context, &tasks).ok()?;
    let package = packages.iter().find(|package| package.path().as_str() == task.path)?;
    Some(effective(&package.bodies(), tasks.language(), DEFAULT_BUDGET).text)
}

/// What a model has to know about tasks before its first call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Context {
    /// There is no task, and none was fixed.
    Nothing,
    /// The task that was fixed cannot be opened.
    Missing {
        /// The name that was fixed.
        name: String,
        /// The reason, unless there just is no such package yet.
        reason: Option<String>,
    },
    /// There are several tasks, and none was fixed.
    Several {
        /// All of them, in the order of their names.
        tasks: Vec<Task>,
        /// The rules of task packages.
        guide: String,
    },
    /// The task that was fixed, or the only one.
    One(Box<InContext>),
}

/// A task as it is put into the context of a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InContext {
    /// The package.
    pub task: Task,
    /// What is known of it without reading its sections.
    pub status: String,
    /// The effective text, of 100 KiB at most where goals and constraints leave room.
    pub text: String,
    /// The selector and the category of each section that is not whole in it, with the number of bytes left out.
    pub cut: Vec<(String, Option<String>, usize)>,
    /// The files and directories that could not be read.
    pub unread: Vec<String>,
    /// The rules of task packages.
    pub guide: String,
}

/// Returns what a model that calls tools as `caller` has to know about tasks.
pub fn load_context(context: &ToolContext, caller: &Caller) -> Context {
    let Some(tasks) = open(context, caller) else { return Context::Nothing };
    let language = tasks.language();
    let mut packages = match packages_of(context, &tasks) {
        Ok(packages) => packages,
        Err(error) => {
            let Some(name) = context.task() else { return Context::Nothing };
            let reason = (error.code != TaskCode::TaskdocNotFound).then_some(error.message);
            return Context::Missing { name: name.to_owned(), reason };
        }
    };
    let Some(package) = packages.pop() else { return Context::Nothing };
    if !packages.is_empty() {
        packages.push(package);
        let tasks = packages.iter().map(Task::of).collect();
        return Context::Several { tasks, guide: guide_to_access(language) };
    }
    let bodies = package.bodies();
    let effective = effective(&bodies, language, DEFAULT_BUDGET);
    let cut = effective.cut.iter().map(|cut| {
        (cut.section.selector().to_owned(), cut.section.category().map(str::to_owned), cut.left_out)
    });
    Context::One(Box::new(InContext {
        task: Task::of(&package),
        status: package.status().text(language),
        guide: guide(language),
        cut: cut.collect(),
        unread: bodies.unread().into_iter().map(|(path, _)| path).collect(),
        text: effective.text,
    }))
}

fn packages<'b>(context: &'b ToolContext, caller: &Caller) -> Vec<Package<'b>> {
    open(context, caller).and_then(|tasks| packages_of(context, &tasks).ok()).unwrap_or_default()
}

/// Opens the tasks of a workspace for a caller whom the workspace knows.
fn open<'b>(context: &'b ToolContext, caller: &Caller) -> Option<Tasks<'b>> {
    Toolbox::new().admit(context, caller).ok()?;
    Tasks::open(context.root()).ok()
}

fn packages_of<'b>(context: &ToolContext, tasks: &Tasks<'b>) -> Result<Vec<Package<'b>>, TaskError> {
    match context.task() {
        Some(fixed) => tasks.find(Some(fixed)).map(|package| vec![package]),
        None => tasks.list(),
    }
}
