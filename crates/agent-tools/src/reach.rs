//! The folders of an agent, and the paths in them.

use std::path::Path;

use minds_fleet_protocol::ErrorCode;
use minds_fs::{FileError, FileErrorKind, Root, is_temporary};
use minds_vfs::portable::{is_encapsulated, is_git, is_same_name};
use minds_vfs::{MountId, PathErrorKind, WorkspacePath};

use crate::member::{FileAccess, Members};
use crate::outcome::{Refusal, quote};
use crate::policy::{Policy, find_folder};

/// The folders that no tool writes, at any depth and in every spelling.
const RESERVED: [&str; 3] = [".ateam", ".minds", ".team"];

/// What bounds the files of a call.
#[derive(Debug)]
pub(crate) struct Bounds {
    /// What the accepted policy and the files permit.
    pub(crate) policy: Policy,
    /// The members of the team that must permit it as well.
    pub(crate) members: Members,
}

/// A path in a folder of the agent. The open folder is the permission: no path escapes it.
#[derive(Debug)]
pub(crate) struct Reached<'b> {
    /// What the path is accessed for.
    access: FileAccess,
    members: &'b Members,
    /// The folder.
    pub(crate) root: Root,
    /// The absolute path of the folder.
    pub(crate) folder: String,
    /// The path below it.
    pub(crate) path: WorkspacePath,
    /// The path as the caller wrote it.
    pub(crate) given: String,
}

impl<'b> Reached<'b> {
    /// Finds the folder of a path, which is relative to the working folder or absolute, and opens it. The path as it was asked
    /// for must be permitted; the caller checks the real one with [`Reached::expect_permitted`].
    pub(crate) fn open(bounds: &'b Bounds, given: &str, access: FileAccess) -> Result<Self, Refusal> {
        let Bounds { policy, members } = bounds;
        let absolute = absolute_path(&policy.cwd, given)?;
        let Some(folder) = find_folder(&policy.folders, &absolute) else {
            return Err(Refusal::deny(format!("{} is outside the folders of the agent", quote(given))));
        };
        let below = absolute.get(folder.len()..).unwrap_or_default().trim_start_matches('/');
        let path = WorkspacePath::normalize(below).map_err(|error| invalid_path(given, error.kind()))?;
        members.expect_access(access, &absolute, given)?;
        let root = Root::open_real(Path::new(folder), MountId::WORKSPACE).map_err(|_| {
            Refusal::deny(format!(
                "the folder of {} cannot be opened: it does not exist, is not a directory, or is a symbolic link",
                quote(given)
            ))
        })?;
        Ok(Self { access, members, root, folder: folder.to_owned(), path, given: given.to_owned() })
    }

    /// Checks that the members of the team may access a real path below the folder.
    pub(crate) fn expect_permitted(&self, real: &WorkspacePath) -> Result<(), Refusal> {
        self.members.expect_access(self.access, &self.absolute(real), &self.given)
    }

    /// Returns whether the members of the team may access a real path below the folder.
    pub(crate) fn permits(&self, real: &WorkspacePath) -> bool {
        self.members.permit(self.access, &self.absolute(real))
    }

    fn absolute(&self, real: &WorkspacePath) -> String {
        format!("{}/{}", self.folder.trim_end_matches('/'), real.as_str())
    }

    /// Checks that a path below the folder may be written: the path as it was asked for, or the real one.
    pub(crate) fn expect_writable(&self, below: &WorkspacePath) -> Result<(), Refusal> {
        let above = self.folder.split('/').filter(|segment| !segment.is_empty());
        for segment in above.chain(below.segments()) {
            let is_reserved = RESERVED.iter().any(|reserved| is_same_name(segment, reserved));
            if is_reserved || is_git(segment) || is_encapsulated(segment) {
                let message =
                    "is in `.ateam`, `.minds`, `.team`, `.git` or a task package, which no tool writes";
                return Err(Refusal::deny(format!("{} {message}", quote(&self.given))));
            }
        }
        if below.segments().any(is_temporary) {
            return Err(Refusal::deny(format!("{} is reserved for temporary files", quote(&self.given))));
        }
        Ok(())
    }

    /// Returns the refusal for an error about this path, without absolute paths of the machine.
    pub(crate) fn refuse(&self, error: &FileError) -> Refusal {
        let kind = error.kind();
        let code = match kind {
            FileErrorKind::NotFound
            | FileErrorKind::AlreadyExists
            | FileErrorKind::NotFile(minds_fs::Kind::Directory)
            | FileErrorKind::NotDirectory
            | FileErrorKind::TooLarge
            | FileErrorKind::Changed
            | FileErrorKind::NotEmpty
            | FileErrorKind::Root
            | FileErrorKind::Unportable(_)
            | FileErrorKind::NameTooLong => ErrorCode::ArgsInvalid,
            FileErrorKind::Outside
            | FileErrorKind::Link
            | FileErrorKind::TooManyLinks
            | FileErrorKind::NotFile(_)
            | FileErrorKind::SeveralLinks
            | FileErrorKind::Reserved
            | FileErrorKind::Unnamed
            | FileErrorKind::PermissionDenied
            | FileErrorKind::ReadOnly => ErrorCode::ToolDenied,
            _ => ErrorCode::HandlerError,
        };
        Refusal::new(code, format!("{}: {kind}", quote(&self.given)))
    }
}

/// Returns an absolute path in which `.`, `..` and empty segments are resolved lexically.
pub(crate) fn absolute_path(cwd: &str, given: &str) -> Result<String, Refusal> {
    let start = if given.starts_with('/') { "" } else { cwd.trim_start_matches('/') };
    let relative = format!("{start}/{given}");
    let normal = WorkspacePath::normalize(relative.trim_start_matches('/'))
        .map_err(|error| invalid_path(given, error.kind()))?;
    Ok(format!("/{}", normal.as_str()))
}

fn invalid_path(given: &str, kind: PathErrorKind) -> Refusal {
    if kind.is_outside() {
        return Refusal::deny(format!("{} is outside the folders of the agent", quote(given)));
    }
    Refusal::invalid(format!("{} is not a valid path: {kind}", quote(given)))
}
