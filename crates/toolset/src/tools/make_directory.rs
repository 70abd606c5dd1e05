//! Creating a directory.

use minds_access_control::Access;
use minds_paths::WorkspacePath;
use minds_system::{FileErrorKind, Kind as Entry};

use super::create::{make_parents, not_a_directory};
use super::{CHANGES, TEAM_MGMT};
use crate::answer::{Fields, Refusal, Success};
use crate::arguments::{Argument, Kind};
use crate::call::Call;
use crate::file_refusal::ExpectedKind;
use crate::tool::{Annotations, OutputField, Tool};
use crate::{Area, Code};

pub(super) static TEAM_MGMT_MK_DIR: Tool = Tool {
    name: "team_mgmt_mk_dir",
    toolsets: TEAM_MGMT,
    area: Area::Minds,
    description: "Create a directory at or below `.minds/` unless it exists; `created` says whether \
         it is new. PATH_EXISTS_NOT_DIR: the name is taken by something else. DIR_NOT_FOUND: with \
         `parents: false` the parent directory must exist. `team_mgmt_create_new_file` creates directories \
         itself.",
    arguments: ARGUMENTS,
    output: OUTPUT,
    annotations: Annotations::ENSURES,
    run,
};

pub(super) static MK_DIR: Tool = Tool {
    name: "mk_dir",
    toolsets: CHANGES,
    area: Area::Workspace,
    description: "Create a directory of the workspace unless it exists; `created` says whether it is \
         new. `.minds/**` is refused. PATH_EXISTS_NOT_DIR: the name is taken by something else. \
         DIR_NOT_FOUND: with `parents: false` the parent directory must exist. ACCESS_DENIED: your lists \
         deny it.",
    ..TEAM_MGMT_MK_DIR
};

const ARGUMENTS: &[Argument] = &[
    Argument::required("path", Kind::Text, "the directory"),
    Argument::optional("parents", Kind::Flag, "create missing parent directories; default true"),
];

const OUTPUT: &[OutputField] =
    &[OutputField { name: "path", kind: "string" }, OutputField { name: "created", kind: "boolean" }];

fn run(call: &Call<'_>) -> Result<Success, Refusal> {
    let path = call.path("path")?;
    call.check_access(Access::Write, &path)?;
    let has_parents = call.arguments.flag("parents", true);
    let created = match call.metadata(&path)? {
        Some(found) if found.kind == Entry::Directory => {
            call.check_access(Access::Write, &found.real)?;
            false
        }
        Some(found) => return Err(refuse_existing(&path, found.kind)),
        None => {
            make(call, &path, has_parents)?;
            true
        }
    };
    let summary = if created { format!("created `{path}`") } else { format!("`{path}` already exists") };
    Ok(Tool::done(summary, Fields::new().with("path", path.to_string()).with("created", created)))
}

fn make(call: &Call<'_>, path: &WorkspacePath, has_parents: bool) -> Result<(), Refusal> {
    let parent = path.parent().unwrap_or_default();
    if !has_parents && call.metadata(&parent)?.is_none() {
        return Err(call.missing(ExpectedKind::Directory, &parent).next("omit `parents` to create it too"));
    }
    let made = make_parents(call, path)?;
    let done = call.entry_of(path, ExpectedKind::Directory).and_then(|place| {
        place.make_directory().map_err(|error| match error.kind() {
            FileErrorKind::AlreadyExists => {
                let found = place.metadata().ok().flatten();
                refuse_existing(path, found.map_or(Entry::Special, |found| found.kind))
            }
            _ => call.file_refusal_for(&error, ExpectedKind::Directory, path),
        })
    });
    if done.is_err() {
        made.undo();
    }
    done
}

fn refuse_existing(path: &WorkspacePath, kind: Entry) -> Refusal {
    Refusal { code: Code::PathExistsNotDir, ..not_a_directory(path, kind) }.next("choose another name")
}
