//! Removing a file or a directory.

use minds_access_control::Access;
use minds_document::Expected;
use minds_paths::WorkspacePath;
use minds_system::{FileErrorKind, Kind as Entry, Metadata, Place};

use super::{CHANGES, TEAM_MGMT};
use crate::answer::{Fields, Refusal, Success};
use crate::arguments::{Argument, Kind};
use crate::call::Call;
use crate::file_refusal::{Wanted, quote};
use crate::tool::{Annotations, OutputField, Tool};
use crate::{Area, Code};

pub(super) static TEAM_MGMT_RM_FILE: Tool = Tool {
    name: "team_mgmt_rm_file",
    toolsets: TEAM_MGMT,
    area: Area::Minds,
    description: "Remove a file below `.minds/`; a link is removed as a link, and what it leads to stays. It cannot be \
        taken back. NOT_A_FILE: use `team_mgmt_rm_dir`. FILE_NOT_FOUND: list the directory.",
    arguments: &[Argument::required("path", Kind::Text, "the file")],
    output: OUTPUT,
    annotations: Annotations::REMOVES,
    run: rm_file,
};

pub(super) static TEAM_MGMT_RM_DIR: Tool = Tool {
    name: "team_mgmt_rm_dir",
    description: "Remove a directory below `.minds/`, never `.minds` itself. It cannot be taken back. DIR_NOT_EMPTY: look \
        at what it holds, then give `recursive: true`. NOT_A_DIR: use `team_mgmt_rm_file`.",
    arguments: DIR_ARGUMENTS,
    output: DIR_OUTPUT,
    run: rm_dir,
    ..TEAM_MGMT_RM_FILE
};

pub(super) static RM_FILE: Tool = Tool {
    name: "rm_file",
    toolsets: CHANGES,
    area: Area::Workspace,
    description: "Remove a file of the workspace; a link that leads to what you may change is removed as a link. It \
         cannot be taken back. `.minds/**` is refused. NOT_A_FILE: use `rm_dir`. FILE_NOT_FOUND: list the \
         directory. ACCESS_DENIED: your lists do not allow it.",
    ..TEAM_MGMT_RM_FILE
};

pub(super) static RM_DIR: Tool = Tool {
    name: "rm_dir",
    toolsets: CHANGES,
    area: Area::Workspace,
    description: "Remove a directory of the workspace. It cannot be taken back. With `recursive: true` all that it \
         holds must be yours to change: one that holds a task package is refused, and `.minds/**` too. \
         DIR_NOT_EMPTY: look at what it holds first. NOT_A_DIR: use `rm_file`. ACCESS_DENIED: your lists do \
         not allow all of it.",
    arguments: DIR_ARGUMENTS,
    output: DIR_OUTPUT,
    run: rm_dir,
    ..TEAM_MGMT_RM_FILE
};

const DIR_ARGUMENTS: &[Argument] = &[
    Argument::required("path", Kind::Text, "the directory"),
    Argument::optional("recursive", Kind::Flag, "with all that it holds; default false"),
];

const OUTPUT: &[OutputField] = &[OutputField { name: "path", kind: "string" }];

const DIR_OUTPUT: &[OutputField] = &[
    OutputField { name: "path", kind: "string" },
    OutputField { name: "recursive", kind: "boolean" },
    OutputField { name: "removed_entry_count", kind: "integer" },
];

fn rm_file(call: &Call<'_>) -> Result<Success, Refusal> {
    let path = call.path_below("path")?;
    let place = call.entry(&path)?;
    let found = place.metadata().map_err(|error| call.file_refusal(&error, &path))?;
    let found = found.ok_or_else(|| call.missing(Wanted::File, &path))?;
    call.expect_movable(&place, &found, &path)?;
    place.remove_file(Expected::Any).map_err(|error| call.file_refusal(&error, &path))?;
    Ok(Tool::done(format!("removed `{path}`"), Fields::new().with("path", path.as_str())))
}

fn rm_dir(call: &Call<'_>) -> Result<Success, Refusal> {
    let path = call.path_below("path")?;
    let is_recursive = call.arguments.flag("recursive", false);
    let place = call.entry_of(&path, Wanted::Directory)?;
    let found = place.metadata().map_err(|error| call.file_refusal_for(&error, Wanted::Directory, &path))?;
    match found.map(|found| found.kind) {
        None => return Err(call.missing(Wanted::Directory, &path)),
        Some(Entry::Directory) => {}
        Some(_) => {
            let message = format!("{} is no directory", quote(path.as_str()));
            return Err(Refusal::new(Code::NotADir, message).next("use the tool that removes files"));
        }
    }
    let removed = if is_recursive {
        let listing = call.check_subtree_access(&place, &path, &[Access::Write])?;
        place.remove_tree(&listing).map(|()| listing.entries.len())
    } else {
        place.remove_directory().map(|()| 0)
    };
    let count = removed.map_err(|error| match error.kind() {
        FileErrorKind::ReadOnly if is_recursive => {
            let message = format!("something in {} is read-only", quote(path.as_str()));
            Refusal::new(Code::AccessDenied, message)
                .next("remove the rest one by one, or ask whether it may go")
        }
        FileErrorKind::Changed => {
            let message = format!("{} changed while it was judged", quote(path.as_str()));
            Refusal::new(Code::Failed, message).next("look at what it holds, and try again")
        }
        FileErrorKind::Remains => remains(&path),
        _ => call.file_refusal_for(&error, Wanted::Directory, &path),
    })?;
    let fields = Fields::new()
        .with("path", path.as_str())
        .with("recursive", is_recursive)
        .with("removed_entry_count", count);
    let summary = match count {
        0 => format!("removed `{path}`"),
        _ => format!("removed `{path}` with {count} entries"),
    };
    Ok(Tool::done(summary, fields))
}

/// Says what the system did not let go of. The directory has lost its name, so nobody takes it for whole.
fn remains(path: &WorkspacePath) -> Refusal {
    let message = format!("{} is gone, but not all that it held could be cleared away", quote(path.as_str()));
    Refusal::new(Code::Failed, message).next(
        "the rest lies beside it in a directory `.….minds-gone`, and goes with the next change there if it can",
    )
}

impl Call<'_> {
    /// Makes sure that what stands at a place is a file, or a link, that may be moved or removed as such.
    ///
    /// In `.minds` a link is one name among others, whatever it leads to: who repairs a team must be able to remove it. In
    /// the workspace it counts as what it leads to, which must lie inside and be the caller's to change, and a file with
    /// several names is left alone, because the others may lie anywhere.
    pub(crate) fn expect_movable(
        &self,
        place: &Place<'_>,
        found: &Metadata,
        path: &WorkspacePath,
    ) -> Result<(), Refusal> {
        let no_file = |what: &str, next: &str| {
            Err(Refusal::new(Code::NotAFile, format!("{} is {what}", quote(path.as_str()))).next(next))
        };
        match (found.kind, self.tool.area) {
            (Entry::Directory, _) => no_file("a directory", "use the tool for directories"),
            (Entry::Special, _) => no_file("no regular file", "leave it to those who made it"),
            (Entry::File, Area::Workspace) if found.links > 1 => {
                no_file("a file with several names", "leave it: the other names may lie outside")
            }
            (Entry::File, _) | (Entry::Link, Area::Minds) => Ok(()),
            (Entry::Link, Area::Workspace) => {
                let behind =
                    self.view().place(place.real()).map_err(|error| self.file_refusal(&error, path))?;
                self.check_access(Access::Write, behind.real())
            }
        }
    }
}
