//! `minds task ls`

use std::path::Path;
use std::process::ExitCode;

use minds_diagnostics::emit::printable;
use minds_operations::task::{Package, Tasks};
use minds_taskdoc::TaskError;
use minds_toolset::ToolContext;
use serde_json::{Value, json};

use super::units::{size_text, time_text};
use super::{TaskArgs, answer_with};
use crate::output::{Failure, Output};

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
    let is_human = !args.wants_json(out);
    Ok(answer_with(args, out, listed, |(packages, home)| {
        if packages.is_empty() && is_human {
            Output::remark(&format!("no task packages in `{home}`; `minds task new NAME` creates one"));
        }
        let rows: Vec<Row> = packages.iter().map(Row::of).collect();
        let width = rows.iter().map(|row| row.path.chars().count()).max().unwrap_or_default().min(MAX_WIDTH);
        let lines = rows.iter().map(|row| row.line(width)).collect();
        let documents: Vec<Value> = rows.iter().map(|row| row.document.clone()).collect();
        let problems = rows.into_iter().filter_map(|row| Some((row.path, row.problem?))).collect();
        (json!({"tasks": documents}), lines, problems)
    }))
}

struct Row {
    path: String,
    details: String,
    document: Value,
    /// Why the package could not be read.
    problem: Option<TaskError>,
}

impl Row {
    /// Reads a package. If that fails, the row says so, and the other packages are still listed.
    fn of(package: &Package<'_>) -> Self {
        let path = printable(package.path().as_str()).into_owned();
        let (name, place) = (package.name().as_str(), package.path().as_str());
        match summary(package) {
            Ok((size, sections, last)) => {
                let when = last.as_ref().map_or_else(
                    || "never changed".to_owned(),
                    |(time, actor, _)| format!("{}  {}", time_text(time), printable(actor)),
                );
                let last = last.map(|(time, actor, id)| json!({"time": time, "actor": actor, "id": id}));
                let details = format!("{:>9}  {when}", size_text(size));
                let document = json!({"name": name, "path": place, "size_bytes": size, "sections": sections, "last_change": last});
                Self { path, details, document, problem: None }
            }
            Err(error) => {
                let document = json!({"name": name, "path": place, "code": error.code.as_str(), "message": error.message});
                let details = format!("unreadable: {}", error.code);
                Self { path, details, document, problem: Some(error) }
            }
        }
    }

    fn line(&self, width: usize) -> String {
        format!("{:<width$}  {}\n", self.path, self.details)
    }
}

/// The time, the author and the id of the last change of a package.
type LastChange = (String, String, String);

/// Returns the total size of all sections in bytes, the number of sections, and the last change.
fn summary(package: &Package<'_>) -> Result<(u64, usize, Option<LastChange>), TaskError> {
    let sections = package.sections()?;
    let mut size = 0_u64;
    for section in &sections {
        size += package.section(section)?.map_or(0, |section| section.text.len() as u64);
    }
    let journal = package.journal()?;
    let last =
        journal.in_order().pop().map(|last| (last.time.clone(), last.actor.clone(), last.id.to_string()));
    Ok((size, sections.len(), last))
}
