//! Moving a file or a directory.

use minds_access_control::Access;
use minds_paths::WorkspacePath;
use minds_system::{FileError, FileErrorKind, Kind as Entry, Listing, Place};

use super::create::{CreatedDirectories, make_parents};
use super::{CHANGES, TEAM_MGMT};
use crate::answer::{Fields, Refusal, Success};
use crate::arguments::{Argument, Kind};
use crate::call::Call;
use crate::file_refusal::{Wanted, quote};
use crate::tool::{Annotations, OutputField, Tool};
use crate::{Area, Code};

pub(super) static TEAM_MGMT_MOVE_FILE: Tool = Tool {
    name: "team_mgmt_move_file",
    toolsets: TEAM_MGMT,
    area: Area::Minds,
    description: "Move or rename a file below `.minds/`; a link is moved as a link. TO_EXISTS: nothing is overwritten, \
        choose another name. Directories above the new path are made. FROM_NOT_FILE: use \
        `team_mgmt_move_dir`.",
    arguments: ARGUMENTS,
    output: OUTPUT,
    annotations: Annotations::CHANGES,
    run: move_file,
};

pub(super) static TEAM_MGMT_MOVE_DIR: Tool = Tool {
    name: "team_mgmt_move_dir",
    description: "Move or rename a directory below `.minds/` with all that it holds. TO_EXISTS: nothing is overwritten, \
        choose another name. Directories above the new path are made. FROM_NOT_DIR: use \
        `team_mgmt_move_file`.",
    output: DIR_OUTPUT,
    run: move_dir,
    ..TEAM_MGMT_MOVE_FILE
};

pub(super) static MOVE_FILE: Tool = Tool {
    name: "move_file",
    toolsets: CHANGES,
    area: Area::Workspace,
    description: "Move or rename a file of the workspace; you need to read and change it here, and to change it there. \
         A link is renamed in its directory only. `.minds/**` is refused. TO_EXISTS: nothing is overwritten, \
         choose another name. Directories above the new path are made. FROM_NOT_FILE: use `move_dir`. \
         ACCESS_DENIED: your lists do not allow it.",
    ..TEAM_MGMT_MOVE_FILE
};

pub(super) static MOVE_DIR: Tool = Tool {
    name: "move_dir",
    toolsets: CHANGES,
    area: Area::Workspace,
    description: "Move or rename a directory of the workspace with all that it holds; each thing in it must be yours \
         to read and change here, and to change there. One that holds a task package is refused, and \
         `.minds/**` too. TO_EXISTS: choose another name. Directories above the new path are made. \
         FROM_NOT_DIR: use `move_file`. ACCESS_DENIED: your lists do not allow all of it.",
    output: DIR_OUTPUT,
    run: move_dir,
    ..TEAM_MGMT_MOVE_FILE
};

const ARGUMENTS: &[Argument] = &[
    Argument::required("from", Kind::Text, "the path now"),
    Argument::required("to", Kind::Text, "the whole new path"),
];

const OUTPUT: &[OutputField] =
    &[OutputField { name: "from", kind: "string" }, OutputField { name: "to", kind: "string" }];

const DIR_OUTPUT: &[OutputField] = &[
    OutputField { name: "from", kind: "string" },
    OutputField { name: "to", kind: "string" },
    OutputField { name: "moved_entry_count", kind: "integer" },
];

fn move_file(call: &Call<'_>) -> Result<Success, Refusal> {
    let (from, to) = (call.path_below("from")?, call.path_below("to")?);
    let source = source(call, &from, Wanted::File)?;
    let found = source.metadata().map_err(|error| call.file_refusal(&error, &from))?;
    let found = found.ok_or_else(|| call.missing(Wanted::File, &from))?;
    call.expect_movable(&source, &found, &from).map_err(|refusal| match refusal.code {
        Code::NotAFile => Refusal { code: Code::FromNotFile, ..refusal },
        _ => refusal,
    })?;
    let (made, target) = target(call, &to)?;
    if found.kind == Entry::Link
        && call.tool.area == Area::Workspace
        && source.real().parent() != target.real().parent()
    {
        let message =
            format!("{} is a symbolic link, which leads elsewhere from there", quote(from.as_str()));
        made.undo();
        return Err(Refusal::new(Code::FromNotFile, message).next("a link can be renamed in its directory"));
    }
    if let Err(error) = source.rename(&target) {
        made.undo();
        return Err(rename_refusal(call, &error, Wanted::File, &from, &to));
    }
    let fields = Fields::new().with("from", from.as_str()).with("to", to.as_str());
    Ok(Tool::done(format!("moved `{from}` to `{to}`"), fields))
}

fn move_dir(call: &Call<'_>) -> Result<Success, Refusal> {
    let (from, to) = (call.path_below("from")?, call.path_below("to")?);
    let source = source(call, &from, Wanted::Directory)?;
    let found = source.metadata().map_err(|error| call.file_refusal_for(&error, Wanted::Directory, &from))?;
    match found.map(|found| found.kind) {
        None => return Err(call.missing(Wanted::Directory, &from)),
        Some(Entry::Directory) => {}
        Some(_) => {
            let message = format!("{} is no directory", quote(from.as_str()));
            return Err(Refusal::new(Code::FromNotDir, message).next("use the tool that moves files"));
        }
    }
    let listing = call.check_subtree_access(&source, &from, &[Access::Read, Access::Write])?;
    if to.as_str().strip_prefix(from.as_str()).is_some_and(|below| below.starts_with('/')) {
        let message = format!("{} is in {}", quote(to.as_str()), quote(from.as_str()));
        return Err(Refusal::new(Code::InvalidPath, message).next("choose a place outside of it"));
    }
    let (made, target) = target(call, &to)?;
    let moved = call.check_moved_access(&listing, &target, &to).and_then(|()| {
        source.rename(&target).map_err(|error| rename_refusal(call, &error, Wanted::Directory, &from, &to))
    });
    if let Err(refusal) = moved {
        made.undo();
        return Err(refusal);
    }
    if !is_same(&listing, &target) {
        // Something came before it was moved, and nobody judged that.
        let back = target.rename(&source);
        let done = if back.is_ok() { "" } else { ", and it is at its new place" };
        let message = format!("{} changed while it was moved{done}", quote(from.as_str()));
        return Err(Refusal::new(Code::Failed, message).next("look at what is there, and try again"));
    }
    let count = listing.entries.len();
    let fields =
        Fields::new().with("from", from.as_str()).with("to", to.as_str()).with("moved_entry_count", count);
    Ok(Tool::done(format!("moved `{from}` with {count} entries to `{to}`"), fields))
}

/// Returns the place from which something moves: who moves it away could read it there, so that needs both rights.
fn source<'c>(call: &'c Call<'_>, path: &WorkspacePath, wanted: Wanted) -> Result<Place<'c>, Refusal> {
    call.check_access(Access::Read, path)?;
    let place = call.entry_of(path, wanted)?;
    call.check_access(Access::Read, place.real())?;
    Ok(place)
}

/// Returns the place to which something moves, where nothing is, and the directories that were made for it.
fn target<'c>(
    call: &'c Call<'_>,
    path: &WorkspacePath,
) -> Result<(CreatedDirectories<'c>, Place<'c>), Refusal> {
    let made = make_parents(call, path).map_err(|refusal| match refusal.code {
        Code::NotADir => Refusal { code: Code::ToParentNotDir, ..refusal },
        _ => refusal,
    })?;
    let found = call.entry_of(path, Wanted::Directory).and_then(|place| match place.metadata() {
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
    wanted: Wanted,
    from: &WorkspacePath,
    to: &WorkspacePath,
) -> Refusal {
    match error.kind() {
        FileErrorKind::AlreadyExists => refuse_existing(to),
        FileErrorKind::Unportable(_) | FileErrorKind::NameTooLong => call.file_refusal(error, to),
        _ => call.file_refusal_for(error, wanted, from),
    }
}

/// Returns whether a directory holds at its new place what was judged at the old one.
fn is_same(judged: &Listing, target: &Place<'_>) -> bool {
    let below = |listing: &Listing| -> Vec<(String, Entry)> {
        let top = listing.real.as_str().len();
        let name = |path: &WorkspacePath| path.as_str().get(top..).unwrap_or_default().to_owned();
        listing.entries.iter().map(|entry| (name(&entry.real), entry.kind)).collect()
    };
    target.walk(judged.entries.len()).is_ok_and(|moved| moved.unnamed == 0 && below(&moved) == below(judged))
}
