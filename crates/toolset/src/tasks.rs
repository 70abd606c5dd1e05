//! The task packages of a workspace, for a caller of its tools.

use minds_task_store::{Package, Tasks, TextStamp as FilesStamp};
pub use minds_taskdoc::tools::{ACCESS_NOTE, CHANGE_MIND, GENERAL_TOOLS, RECALL_TASKDOC, TASK_NEW};
use minds_taskdoc::{DEFAULT_BUDGET, Language, TaskCode, TaskError, access_guide, effective_text, guide};

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

/// Returns the packages that a caller may read, by name: all of them, or only the fixed one. Empty if the caller is unknown
/// or the workspace cannot be read.
pub fn tasks(context: &ToolContext, caller: &Caller) -> Vec<Task> {
    packages(context, caller).iter().map(Task::of).collect()
}

/// A stamp that changes whenever the text of a package for agents may have changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextStamp {
    files: FilesStamp,
    language: Language,
}

/// As [`tasks`], with their stamps. No section is read.
pub fn tasks_with_stamps(context: &ToolContext, caller: &Caller) -> Vec<(Task, TextStamp)> {
    let Some(tasks) = open(context, caller) else { return Vec::new() };
    let packages = packages_of(context, &tasks).unwrap_or_default();
    let stamp = |package: &Package<'_>| TextStamp { files: package.text_stamp(), language: tasks.language() };
    packages.iter().map(|package| (Task::of(package), stamp(package))).collect()
}

/// Returns the text of a package for agents; `None` if the caller may not read the package. Unreadable parts are replaced
/// by a line.
pub fn text(context: &ToolContext, caller: &Caller, task: &Task) -> Option<String> {
    let tasks = open(context, caller)?;
    let packages = packages_of(context, &tasks).ok()?;
    let package = packages.iter().find(|package| package.path().as_str() == task.path)?;
    Some(effective_text(&package.bodies(), tasks.language(), DEFAULT_BUDGET).text)
}

/// The tasks of a session, for the instructions of a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Context {
    /// There is no task, and none is fixed.
    Nothing,
    /// The fixed task cannot be opened.
    Missing {
        /// The fixed name.
        name: String,
        /// The reason; `None` if the package does not exist yet.
        reason: Option<String>,
    },
    /// There are several tasks, and none is fixed.
    Several {
        /// All tasks, by name.
        tasks: Vec<Task>,
        /// The rules of task packages.
        guide: String,
    },
    /// The fixed task, or the only one.
    One(Box<ContextTask>),
}

/// The task that is added to the context of a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContextTask {
    /// The package.
    pub task: Task,
    /// A summary that needs no section.
    pub status: String,
    /// The effective text, at most 100 KiB unless goals and constraints are longer.
    pub text: String,
    /// The selector and category of each truncated section, with the number of omitted bytes.
    pub cut: Vec<(String, Option<String>, usize)>,
    /// The files and directories that could not be read.
    pub unread: Vec<String>,
    /// The rules of task packages.
    pub guide: String,
}

/// Returns the tasks of a session of `caller`.
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
        return Context::Several { tasks, guide: access_guide(language) };
    }
    let bodies = package.bodies();
    let effective = effective_text(&bodies, language, DEFAULT_BUDGET);
    let cut = effective.cut.iter().map(|cut| {
        (cut.section.selector().to_owned(), cut.section.category().map(str::to_owned), cut.omitted_bytes)
    });
    Context::One(Box::new(ContextTask {
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

/// Opens the tasks of a workspace for a known caller.
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
