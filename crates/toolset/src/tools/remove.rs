//! Removing a file or a directory.

use minds_access_control::Access;
use minds_fs::{FileErrorKind, Kind as Entry, Metadata, Place};
use minds_vfs::{Expected, WorkspacePath};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{CHANGES, TEAM_MGMT};
use crate::answer::Refusal;
use crate::call::Call;
use crate::file_refusal::{ExpectedKind, quote};
use crate::problems::plural;
use crate::tool::{Annotations, Body, Function, Outcome, Tool};
use crate::{Area, Code};

pub(super) static TEAM_MGMT_RM_FILE: Tool = Tool {
    name: "team_mgmt_rm_file",
    toolsets: TEAM_MGMT,
    area: Area::Minds,
    description: "Remove a file below `.minds/`; a link is removed, not its target. This cannot be \
         undone. NOT_A_FILE: use `team_mgmt_rm_dir`. FILE_NOT_FOUND: list the directory.",
    annotations: Annotations::REMOVES,
    body: Body::of::<RemoveFile>(),
};

pub(super) static TEAM_MGMT_RM_DIR: Tool = Tool {
    name: "team_mgmt_rm_dir",
    description: "Remove a directory below `.minds/`, never `.minds` itself. This cannot be undone. \
         DIR_NOT_EMPTY: list it, then set `recursive: true`. NOT_A_DIR: use `team_mgmt_rm_file`.",
    body: Body::of::<RemoveDirectory>(),
    ..TEAM_MGMT_RM_FILE
};

pub(super) static RM_FILE: Tool = Tool {
    name: "rm_file",
    toolsets: CHANGES,
    area: Area::Workspace,
    description: "Remove a file of the workspace, or a link whose target you may write. This cannot \
         be undone. `.minds/**` is refused. NOT_A_FILE: use `rm_dir`. FILE_NOT_FOUND: list the directory. \
         ACCESS_DENIED: your lists deny it.",
    ..TEAM_MGMT_RM_FILE
};

pub(super) static RM_DIR: Tool = Tool {
    name: "rm_dir",
    toolsets: CHANGES,
    area: Area::Workspace,
    description: "Remove a directory of the workspace. This cannot be undone. With `recursive: true` \
         you must be allowed to write all its contents: a directory that contains a task package is \
         refused, and so is `.minds/**`. DIR_NOT_EMPTY: list it first. NOT_A_DIR: use `rm_file`. \
         ACCESS_DENIED: your lists deny some of it.",
    body: Body::of::<RemoveDirectory>(),
    ..TEAM_MGMT_RM_FILE
};

struct RemoveFile;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct FileArguments {
    /// the file
    path: String,
}

#[derive(Serialize, JsonSchema)]
struct FileOutput {
    path: String,
}

impl Function for RemoveFile {
    type Arguments = FileArguments;
    type Output = FileOutput;

    fn run(call: &Call<'_>, arguments: FileArguments) -> Result<Outcome<FileOutput>, Refusal> {
        let path = call.path_below("path", &arguments.path)?;
        let place = call.entry(&path)?;
        let found = place.metadata().map_err(|error| call.file_refusal(&error, &path))?;
        let found = found.ok_or_else(|| call.missing(ExpectedKind::File, &path))?;
        call.expect_movable(&place, &found, &path)?;
        place.remove_file(Expected::Any).map_err(|error| call.file_refusal(&error, &path))?;
        Ok(Outcome::new(format!("removed `{path}`"), FileOutput { path: path.to_string() }))
    }
}

struct RemoveDirectory;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct DirectoryArguments {
    /// the directory
    path: String,
    /// remove its contents too; default false
    #[serde(default)]
    recursive: bool,
}

#[derive(Serialize, JsonSchema)]
struct DirectoryOutput {
    path: String,
    recursive: bool,
    removed_entry_count: usize,
}

impl Function for RemoveDirectory {
    type Arguments = DirectoryArguments;
    type Output = DirectoryOutput;

    fn run(call: &Call<'_>, arguments: DirectoryArguments) -> Result<Outcome<DirectoryOutput>, Refusal> {
        let path = call.path_below("path", &arguments.path)?;
        let place = call.entry_of(&path, ExpectedKind::Directory)?;
        let refused = |error| call.file_refusal_for(&error, ExpectedKind::Directory, &path);
        match place.metadata().map_err(refused)?.map(|found| found.kind) {
            None => return Err(call.missing(ExpectedKind::Directory, &path)),
            Some(Entry::Directory) => {}
            Some(_) => {
                let message = format!("{} is not a directory", quote(path.as_str()));
                return Err(Refusal::new(Code::NotADir, message).next("use the tool that removes files"));
            }
        }
        let recursive = arguments.recursive;
        let removed = if recursive {
            let listing = call.check_subtree_access(&place, &path, &[Access::Write])?;
            place.remove_tree(&listing).map(|()| listing.entries.len())
        } else {
            place.remove_directory().map(|()| 0)
        };
        let removed_entry_count = removed.map_err(|error| match error.kind() {
            FileErrorKind::ReadOnly if recursive => {
                let message = format!("something in {} is read-only", quote(path.as_str()));
                Refusal::new(Code::AccessDenied, message)
                    .next("remove the other entries one by one, or ask whether it may be removed")
            }
            FileErrorKind::Changed => {
                let message = format!("{} changed during the access check", quote(path.as_str()));
                Refusal::new(Code::FAILED, message).next("list it, and try again")
            }
            FileErrorKind::Remains => remains(&path),
            _ => refused(error),
        })?;
        let summary = match removed_entry_count {
            0 => format!("removed `{path}`"),
            count => format!("removed `{path}` with {}", plural(count, "entry")),
        };
        let output = DirectoryOutput { path: path.to_string(), recursive, removed_entry_count };
        Ok(Outcome::new(summary, output))
    }
}

/// Returns the refusal of a removal that left entries over. The directory was renamed first, so that it cannot be mistaken for a complete one.
fn remains(path: &WorkspacePath) -> Refusal {
    let message =
        format!("{} was removed, but some of its contents could not be deleted", quote(path.as_str()));
    Refusal::new(Code::FAILED, message).next(
        "the rest is in a directory `.….minds-gone` next to it; the next change there tries to delete it",
    )
}

impl Call<'_> {
    /// Checks that an entry is a file or a link that may be moved or removed.
    ///
    /// In `.minds` a link may be removed whatever its target is, so that a team can be repaired. In the workspace its target
    /// must be inside the workspace and writable for the caller. A file with several hard links is refused, because the
    /// other links may be anywhere.
    pub(crate) fn expect_movable(
        &self,
        place: &Place<'_>,
        found: &Metadata,
        path: &WorkspacePath,
    ) -> Result<(), Refusal> {
        let refuse = |what: &str, next: &str| {
            Err(Refusal::new(Code::NOT_A_FILE, format!("{} is {what}", quote(path.as_str()))).next(next))
        };
        match (found.kind, self.tool.area) {
            (Entry::Directory, _) => refuse("a directory", "use the tool for directories"),
            (Entry::Special, _) => refuse("not a regular file", "leave it as it is"),
            (Entry::File, Area::Workspace) if found.links > 1 => refuse(
                "a file with several hard links",
                "leave it: the other links may be outside the workspace",
            ),
            (Entry::File, _) | (Entry::Link, Area::Minds) => Ok(()),
            (Entry::Link, Area::Workspace) => {
                let target =
                    self.view().place(place.real()).map_err(|error| self.file_refusal(&error, path))?;
                self.check_access(Access::Write, target.real())
            }
        }
    }
}
