//! Moving a file or a directory.

use minds_access_control::Access;
use minds_fs::{FileError, FileErrorKind, Kind as Entry, Listing, Place};
use minds_vfs::WorkspacePath;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::create::{CreatedDirectories, make_parents};
use super::{CHANGES, TEAM_MGMT};
use crate::answer::Refusal;
use crate::call::Call;
use crate::file_refusal::{ExpectedKind, quote};
use crate::problems::plural;
use crate::tool::{Annotations, Body, Function, Outcome, Tool};
use crate::{Area, Code};

pub(super) static TEAM_MGMT_MOVE_FILE: Tool = Tool {
    name: "team_mgmt_move_file",
    toolsets: TEAM_MGMT,
    area: Area::Minds,
    description: "Move or rename a file below `.minds/`; a link is moved as a link. TO_EXISTS: \
         nothing is overwritten; choose another name. Missing parent directories are created. \
         FROM_NOT_FILE: use `team_mgmt_move_dir`.",
    annotations: Annotations::CHANGES,
    body: Body::of::<MoveFile>(),
};

pub(super) static TEAM_MGMT_MOVE_DIR: Tool = Tool {
    name: "team_mgmt_move_dir",
    description: "Move or rename a directory below `.minds/` with its contents. TO_EXISTS: nothing is \
         overwritten; choose another name. Missing parent directories are created. FROM_NOT_DIR: use \
         `team_mgmt_move_file`.",
    body: Body::of::<MoveDirectory>(),
    ..TEAM_MGMT_MOVE_FILE
};

pub(super) static MOVE_FILE: Tool = Tool {
    name: "move_file",
    toolsets: CHANGES,
    area: Area::Workspace,
    description: "Move or rename a file of the workspace; you must be allowed to read and write it at \
         the old path, and to write at the new one. A link can only be renamed within its directory. \
         `.minds/**` is refused. TO_EXISTS: nothing is overwritten; choose another name. Missing parent \
         directories are created. FROM_NOT_FILE: use `move_dir`. ACCESS_DENIED: your lists deny it.",
    ..TEAM_MGMT_MOVE_FILE
};

pub(super) static MOVE_DIR: Tool = Tool {
    name: "move_dir",
    toolsets: CHANGES,
    area: Area::Workspace,
    description: "Move or rename a directory of the workspace; you must be allowed to read and write \
         all its contents at the old path, and to write them at the new one. A directory that contains a \
         task package is refused, and so is `.minds/**`. TO_EXISTS: choose another name. Missing parent \
         directories are created. FROM_NOT_DIR: use `move_file`. ACCESS_DENIED: your lists deny some of \
         it.",
    body: Body::of::<MoveDirectory>(),
    ..TEAM_MGMT_MOVE_FILE
};

struct MoveFile;
struct MoveDirectory;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    /// the old path
    from: String,
    /// the complete new path
    to: String,
}

#[derive(Serialize, JsonSchema)]
struct FileOutput {
    from: String,
    to: String,
}

#[derive(Serialize, JsonSchema)]
struct DirectoryOutput {
    from: String,
    to: String,
    moved_entry_count: usize,
}

impl Function for MoveFile {
    type Arguments = Arguments;
    type Output = FileOutput;

    fn run(call: &Call<'_>, arguments: Arguments) -> Result<Outcome<FileOutput>, Refusal> {
        move_file(call, &arguments)
    }
}

impl Function for MoveDirectory {
    type Arguments = Arguments;
    type Output = DirectoryOutput;

    fn run(call: &Call<'_>, arguments: Arguments) -> Result<Outcome<DirectoryOutput>, Refusal> {
        move_dir(call, &arguments)
    }
}

fn move_file(call: &Call<'_>, arguments: &Arguments) -> Result<Outcome<FileOutput>, Refusal> {
    let (from, to) = (call.path_below("from", &arguments.from)?, call.path_below("to", &arguments.to)?);
    let source = source(call, &from, ExpectedKind::File)?;
    let found = source.metadata().map_err(|error| call.file_refusal(&error, &from))?;
    let found = found.ok_or_else(|| call.missing(ExpectedKind::File, &from))?;
    call.expect_movable(&source, &found, &from).map_err(|refusal| match refusal.code {
        Code::NOT_A_FILE => Refusal { code: Code::FromNotFile, ..refusal },
        _ => refusal,
    })?;
    let (made, target) = target(call, &to)?;
    if found.kind == Entry::Link
        && call.tool.area == Area::Workspace
        && source.real().parent() != target.real().parent()
    {
        let message = format!("{} is a symbolic link, whose target would change", quote(from.as_str()));
        made.undo();
        return Err(Refusal::new(Code::FromNotFile, message).next("rename a link only within its directory"));
    }
    if let Err(error) = source.rename(&target) {
        made.undo();
        return Err(rename_refusal(call, &error, ExpectedKind::File, &from, &to));
    }
    let summary = format!("moved `{from}` to `{to}`");
    Ok(Outcome::new(summary, FileOutput { from: from.to_string(), to: to.to_string() }))
}

fn move_dir(call: &Call<'_>, arguments: &Arguments) -> Result<Outcome<DirectoryOutput>, Refusal> {
    let (from, to) = (call.path_below("from", &arguments.from)?, call.path_below("to", &arguments.to)?);
    let source = source(call, &from, ExpectedKind::Directory)?;
    let found =
        source.metadata().map_err(|error| call.file_refusal_for(&error, ExpectedKind::Directory, &from))?;
    match found.map(|found| found.kind) {
        None => return Err(call.missing(ExpectedKind::Directory, &from)),
        Some(Entry::Directory) => {}
        Some(_) => {
            let message = format!("{} is not a directory", quote(from.as_str()));
            return Err(Refusal::new(Code::FromNotDir, message).next("use the tool that moves files"));
        }
    }
    let listing = call.check_subtree_access(&source, &from, &[Access::Read, Access::Write])?;
    if to.as_str().strip_prefix(from.as_str()).is_some_and(|below| below.starts_with('/')) {
        let message = format!("{} is in {}", quote(to.as_str()), quote(from.as_str()));
        return Err(Refusal::new(Code::InvalidPath, message).next("choose a path outside it"));
    }
    let (made, target) = target(call, &to)?;
    let moved = call.check_moved_access(&listing, &target, &to).and_then(|()| {
        source
            .rename(&target)
            .map_err(|error| rename_refusal(call, &error, ExpectedKind::Directory, &from, &to))
    });
    if let Err(refusal) = moved {
        made.undo();
        return Err(refusal);
    }
    if !is_same(&listing, &target) {
        // An entry was added before the move, and its access was not checked.
        let back = target.rename(&source);
        let done = if back.is_ok() { "" } else { ", and is now at the new path" };
        let message = format!("{} changed while it was moved{done}", quote(from.as_str()));
        return Err(Refusal::new(Code::FAILED, message).next("list it, and try again"));
    }
    let moved_entry_count = listing.entries.len();
    let summary = format!("moved `{from}` with {} to `{to}`", plural(moved_entry_count, "entry"));
    let output = DirectoryOutput { from: from.to_string(), to: to.to_string(), moved_entry_count };
    Ok(Outcome::new(summary, output))
}

/// Returns the source of a move. A caller could read the file at its new path, so read access is required too.
fn source<'c>(
    call: &'c Call<'_>,
    path: &WorkspacePath,
    expected: ExpectedKind,
) -> Result<Place<'c>, Refusal> {
    call.check_access(Access::Read, path)?;
    let place = call.entry_of(path, expected)?;
    call.check_access(Access::Read, place.real())?;
    Ok(place)
}

/// Returns the target of a move, which must not exist, and the directories that were created for it.
fn target<'c>(
    call: &'c Call<'_>,
    path: &WorkspacePath,
) -> Result<(CreatedDirectories<'c>, Place<'c>), Refusal> {
    let made = make_parents(call, path).map_err(|refusal| match refusal.code {
        Code::NotADir => Refusal { code: Code::ToParentNotDir, ..refusal },
        _ => refusal,
    })?;
    let found = call.entry_of(path, ExpectedKind::Directory).and_then(|place| match place.metadata() {
        Ok(None) => Ok(place),
        Ok(Some(_)) => Err(refuse_existing(path)),
        Err(error) => Err(call.file_refusal(&error, path)),
    });
    match found {
        Ok(place) => Ok((made, place)),
        Err(refusal) => {
            made.undo();
            Err(refusal)
        }
    }
}

fn refuse_existing(path: &WorkspacePath) -> Refusal {
    Refusal::new(Code::ToExists, format!("{} exists", quote(path.as_str())))
        .next("choose another name; nothing is overwritten")
}

fn rename_refusal(
    call: &Call<'_>,
    error: &FileError,
    expected: ExpectedKind,
    from: &WorkspacePath,
    to: &WorkspacePath,
) -> Refusal {
    match error.kind() {
        FileErrorKind::AlreadyExists => refuse_existing(to),
        FileErrorKind::Unportable(_) | FileErrorKind::NameTooLong => call.file_refusal(error, to),
        _ => call.file_refusal_for(error, expected, from),
    }
}

/// Returns whether a moved directory contains exactly the entries whose access was checked.
fn is_same(judged: &Listing, target: &Place<'_>) -> bool {
    let below = |listing: &Listing| -> Vec<(String, Entry)> {
        let top = listing.real.as_str().len();
        let name = |path: &WorkspacePath| path.as_str().get(top..).unwrap_or_default().to_owned();
        listing.entries.iter().map(|entry| (name(&entry.real), entry.kind)).collect()
    };
    target.walk(judged.entries.len()).is_ok_and(|moved| moved.unnamed == 0 && below(&moved) == below(judged))
}
