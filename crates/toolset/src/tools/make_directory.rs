//! Creating a directory.

use minds_access_control::Access;
use minds_fs::{FileErrorKind, Kind as Entry};
use minds_vfs::WorkspacePath;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::create::{make_parents, not_a_directory};
use super::{CHANGES, TEAM_MGMT};
use crate::answer::Refusal;
use crate::call::Call;
use crate::file_refusal::ExpectedKind;
use crate::tool::{Annotations, Body, Function, Outcome, Tool};
use crate::{Area, Code};

pub(super) static TEAM_MGMT_MK_DIR: Tool = Tool {
    name: "team_mgmt_mk_dir",
    toolsets: TEAM_MGMT,
    area: Area::Minds,
    description: "Create a directory at or below `.minds/` unless it exists; `created` is true if \
         it is new. PATH_EXISTS_NOT_DIR: the name is taken by something else. DIR_NOT_FOUND: with \
         `parents: false` the parent directory must exist. `team_mgmt_create_new_file` creates directories \
         itself.",
    annotations: Annotations::ENSURES,
    body: Body::of::<MakeDirectory>(),
};

pub(super) static MK_DIR: Tool = Tool {
    name: "mk_dir",
    toolsets: CHANGES,
    area: Area::Workspace,
    description: "Create a directory of the workspace unless it exists; `created` is true if it is \
         new. `.minds/**` is refused. PATH_EXISTS_NOT_DIR: the name is taken by something else. \
         DIR_NOT_FOUND: with `parents: false` the parent directory must exist. ACCESS_DENIED: your lists \
         deny it.",
    ..TEAM_MGMT_MK_DIR
};

struct MakeDirectory;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    /// the directory
    path: String,
    /// create missing parent directories; default true
    parents: Option<bool>,
}

#[derive(Serialize, JsonSchema)]
struct Output {
    path: String,
    created: bool,
}

impl Function for MakeDirectory {
    type Arguments = Arguments;
    type Output = Output;

    fn run(call: &Call<'_>, arguments: Arguments) -> Result<Outcome<Output>, Refusal> {
        let path = call.path("path", &arguments.path)?;
        call.check_access(Access::Write, &path)?;
        let has_parents = arguments.parents.unwrap_or(true);
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
        Ok(Outcome::new(summary, Output { path: path.to_string(), created }))
    }
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
