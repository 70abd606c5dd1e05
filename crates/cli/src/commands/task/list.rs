//! `minds task ls`

use std::borrow::Cow;
use std::path::Path;
use std::process::ExitCode;

use minds_diagnostics::emit::printable;
use minds_task_store::Tasks;
use minds_task_store::documents::{ListedTask, ReadableTask, TaskListDocument, TaskProblem, UnreadableTask};
use minds_toolset::ToolContext;

use super::units::{size_text, time_text};
use super::{TaskArgs, print, report_error};
use minds_output::{Failure, Output};

/// Longer paths do not widen the column of paths, in characters.
const MAX_WIDTH: usize = 36;

pub(super) fn run(directory: &Path, args: &TaskArgs, out: &mut Output) -> Result<ExitCode, Failure> {
    let context = ToolContext::find(directory)?;
    let listed = Tasks::open(context.root()).and_then(|tasks| {
        let packages = match args.task.as_deref() {
            Some(name) => vec![tasks.find(Some(name))?],
            None => tasks.list()?,
        };
        Ok((packages, tasks.home().clone()))
    });
    let (packages, home) = match listed {
        Ok(listed) => listed,
        Err(error) => return Ok(report_error(args, out, &error)),
    };
    if packages.is_empty() && !args.wants_json(out) {
        Output::remark(&format!("no task packages in `{home}`; `minds task new NAME` creates one"));
    }
    let mut problems = Vec::new();
    let mut tasks = Vec::new();
    // If a package cannot be read, its row shows the error, and the other packages are still listed.
    for package in &packages {
        match ReadableTask::read(package) {
            Ok(task) => tasks.push(ListedTask::Readable(task)),
            Err(error) => {
                tasks.push(ListedTask::Unreadable(UnreadableTask::new(package, &error)));
                problems.push(TaskProblem::new(printable(package.path().as_str()), error));
            }
        }
    }
    let text = table(&tasks);
    let document = TaskListDocument { problems, tasks };
    Ok(print(args, out, &document, &text, &document.problems))
}

/// Renders the packages as text, one line each.
fn table(tasks: &[ListedTask]) -> String {
    let rows: Vec<(Cow<'_, str>, String)> = tasks.iter().map(row).collect();
    let width = rows.iter().map(|(path, _)| path.chars().count()).max().unwrap_or_default().min(MAX_WIDTH);
    let line = |(path, details): &(Cow<'_, str>, String)| format!("{path:<width$}  {details}\n");
    rows.iter().map(line).collect()
}

/// Returns the path of a package, and its details.
fn row(task: &ListedTask) -> (Cow<'_, str>, String) {
    match task {
        ListedTask::Readable(task) => {
            let when = task.last_change.as_ref().map_or_else(
                || "never changed".to_owned(),
                |last| format!("{}  {}", time_text(&last.time), printable(&last.actor)),
            );
            (printable(&task.path), format!("{:>9}  {when}", size_text(task.size_bytes)))
        }
        ListedTask::Unreadable(task) => (printable(&task.path), format!("unreadable: {}", task.code)),
    }
}
