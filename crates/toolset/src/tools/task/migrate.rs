//! Converting a Markdown file to a package.

use minds_fs::Place;
use minds_task_store::{Source, Tasks};
use minds_taskdoc::tools::TASK_MIGRATE as NAME;
use minds_vfs::{ContentHash, Expected, WorkspacePath};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{CONTROL, author, expect_open};
use crate::answer::Refusal;
use crate::call::Call;
use crate::file_refusal::{ExpectedKind, quote};
use crate::tool::{Annotations, Body, Function, Outcome, Tool};
use crate::tools::read::MAX_BYTES;
use crate::{Area, Code};

pub(in crate::tools) static TASK_MIGRATE: Tool = Tool {
    name: NAME,
    toolsets: CONTROL,
    area: Area::Workspace,
    description: minds_taskdoc::text!(
        "Convert a Markdown file that you may read to a task package. Its headings, such as `## Goals` or `## Risks`, \
         select the section for the text below them; the rest goes to `progress`. The file stays unless `remove` is true. \
         TASKDOC_EXISTS: choose another `name`. NOT_MAINTAINER: ask a maintainer.",
    ),
    annotations: Annotations::CHANGES,
    body: Body::of::<Migrate>(),
};

struct Migrate;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    /// the file, such as `plan.md`
    path: String,
    /// the name of the package; default: the name of the file
    name: Option<String>,
    /// remove the file afterwards; default false
    #[serde(default)]
    remove: bool,
}

#[derive(Serialize, JsonSchema)]
struct Output {
    task: String,
    path: String,
    sections: Vec<MigratedSection>,
    /// Whether the package is new.
    made: bool,
    /// Whether the file was removed.
    removed: bool,
}

#[derive(Serialize, JsonSchema)]
struct MigratedSection {
    section: String,
    size_bytes: usize,
}

impl Function for Migrate {
    type Arguments = Arguments;
    type Output = Output;

    fn run(call: &Call<'_>, arguments: Arguments) -> Result<Outcome<Output>, Refusal> {
        let path = call.path("path", &arguments.path)?;
        let name = match arguments.name.as_deref().filter(|name| !name.is_empty()) {
            Some(name) => name,
            None => path.file_name().and_then(|name| name.rsplit_once('.')).map_or("", |(stem, _)| stem),
        };
        if name.is_empty() {
            let message = format!("no task name can be derived from {}", quote(path.as_str()));
            return Err(Refusal::new(Code::InvalidArgs, message).next("pass `name`"));
        }
        expect_open(call, name)?;
        let bytes = call.read(&path, MAX_BYTES)?.bytes;
        // Everything that could refuse the removal is checked before the package is created.
        let place = if arguments.remove { Some(removable(call, &path)?) } else { None };
        let source = Source::read(&bytes)?;
        let tasks = Tasks::open(call.context.root())?;
        let (package, made) = if arguments.remove {
            tasks.migrate_once(name, &source, &author(call)?)?
        } else {
            (tasks.migrate(name, &source, &author(call)?)?.package, true)
        };
        let removal = place.map(|place| place.remove_file(Expected::Content(ContentHash::of(&bytes))));
        let sections = source
            .sections()
            .into_iter()
            .map(|(section, size_bytes)| MigratedSection { section: section.to_string(), size_bytes });
        let task = package.name().as_str();
        let summary = match &removal {
            None => format!("created the task `{task}` from `{path}`, which was kept"),
            Some(Ok(())) => format!("moved `{path}` to the task `{task}`"),
            Some(Err(error)) => format!(
                "copied `{path}` to the task `{task}`, but could not remove the file: {}; call this again to remove it",
                error.kind()
            ),
        };
        let output = Output {
            task: task.to_owned(),
            path: package.path().as_str().to_owned(),
            sections: sections.collect(),
            made,
            removed: matches!(removal, Some(Ok(()))),
        };
        Ok(Outcome::new(summary, output))
    }
}

/// Returns the place of a file that may be removed.
fn removable<'c>(call: &'c Call<'_>, path: &WorkspacePath) -> Result<Place<'c>, Refusal> {
    let place = call.entry(path)?;
    let found = place.metadata().map_err(|error| call.file_refusal(&error, path))?;
    let found = found.ok_or_else(|| call.missing(ExpectedKind::File, path))?;
    call.expect_movable(&place, &found, path)?;
    Ok(place)
}
