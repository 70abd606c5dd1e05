//! Converting a Markdown file to a package.

use minds_document::{ContentHash, Expected};
use minds_operations::task::{Source, Tasks};
use minds_taskdoc::tools::TASK_MIGRATE as NAME;
use serde_json::{Value, json};

use super::{CONTROL, author, expect_open};
use crate::answer::{Fields, Refusal, Success};
use crate::arguments::{Argument, Kind};
use crate::call::Call;
use crate::file_refusal::{ExpectedKind, quote};
use crate::tool::{Annotations, OutputField, Tool};
use crate::tools::read::MAX_BYTES;
use crate::{Area, Code};

pub(in crate::tools) static TASK_MIGRATE: Tool = Tool {
    name: NAME,
    toolsets: CONTROL,
    area: Area::Workspace,
    description: minds_taskdoc::text!(
        "Convert a Markdown file that you may read to a task package. Its headings, such as `## Goals` or `## Risks`, \
         select the section for the text below them; the rest goes to `progress`. The file stays unless `remove` is true. \
         TASKDOC_EXISTS: choose another `name`. NOT_MAINTAINER: tell a maintainer.",
    ),
    arguments: &[
        Argument::required("path", Kind::Text, "the file, such as `plan.md`"),
        Argument::optional("name", Kind::Text, "the name of the package; default: the name of the file"),
        Argument::optional("remove", Kind::Flag, "remove the file afterwards; default false"),
    ],
    output: &[
        OutputField { name: "task", kind: "string" },
        OutputField { name: "path", kind: "string" },
        OutputField { name: "sections", kind: "array" },
        OutputField { name: "made", kind: "boolean" },
        OutputField { name: "removed", kind: "boolean" },
    ],
    annotations: Annotations::CHANGES,
    run,
};

fn run(call: &Call<'_>) -> Result<Success, Refusal> {
    let path = call.path("path")?;
    let name = match call.arguments.word("name") {
        Some(name) => name,
        None => path.file_name().and_then(|name| name.rsplit_once('.')).map_or("", |(stem, _)| stem),
    };
    if name.is_empty() {
        let message = format!("no task name can be derived from {}", quote(path.as_str()));
        return Err(Refusal::new(Code::InvalidArgs, message).next("pass `name`"));
    }
    expect_open(call, name)?;
    let bytes = call.read(&path, MAX_BYTES)?.bytes;
    let is_removed = call.arguments.flag("remove", false);
    // Everything that could refuse the removal is checked before the package is created.
    let place = if is_removed {
        let place = call.entry(&path)?;
        let found = place.metadata().map_err(|error| call.file_refusal(&error, &path))?;
        let found = found.ok_or_else(|| call.missing(ExpectedKind::File, &path))?;
        call.expect_movable(&place, &found, &path)?;
        Some(place)
    } else {
        None
    };
    let source = Source::read(&bytes)?;
    let tasks = Tasks::open(call.context.root())?;
    let (package, is_new) = if is_removed {
        tasks.migrate_once(name, &source, &author(call))?
    } else {
        (tasks.migrate(name, &source, &author(call))?.package, true)
    };
    let removal = place.map(|place| place.remove_file(Expected::Content(ContentHash::of(&bytes))));
    let sections: Vec<Value> = source
        .sections()
        .iter()
        .map(|(section, size)| json!({"section": section.to_string(), "size_bytes": size}))
        .collect();
    let (task, made) = (package.name().as_str(), package.path().as_str());
    let summary = match &removal {
        None => format!("created the task `{task}` from `{path}`, which was kept"),
        Some(Ok(())) => format!("moved `{path}` to the task `{task}`"),
        Some(Err(error)) => format!(
            "copied `{path}` to the task `{task}`, but could not remove the file: {}; call this again to remove it",
            error.kind()
        ),
    };
    let fields = Fields::new()
        .with("task", task)
        .with("path", made)
        .with("sections", sections)
        .with("made", is_new)
        .with("removed", matches!(removal, Some(Ok(()))));
    Ok(Tool::done(summary, fields))
}
