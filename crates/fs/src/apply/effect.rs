//! One step of a change set: executing, detecting and undoing it.
//!
//! Whether a step was made is determined from the file system alone, so another process can complete or undo
//! the steps of this one.

use minds_vfs::{ContentHash, Expected, FileMode, WorkspacePath};

use super::hash_of;
use crate::Root;
use crate::files::{FileErrorKind, Place, Refusal, mode_of};
use crate::syscalls::{self, Kind};

/// One step. All paths are real paths.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Effect {
    /// The content staged at `stage` becomes the file; a previous file with content `old` is at `stage`
    /// afterwards.
    Write {
        path: WorkspacePath,
        stage: WorkspacePath,
        new: ContentHash,
        mode: FileMode,
        old: Option<ContentHash>,
    },
    /// Creates a directory.
    Directory { path: WorkspacePath },
    /// Renames an entry.
    Move { from: WorkspacePath, to: WorkspacePath },
    /// Creates a symbolic link.
    Link { path: WorkspacePath, target: String },
    /// Moves an entry aside; it is deleted when all steps are done. A regular file has the content `old`.
    Remove { path: WorkspacePath, aside: WorkspacePath, old: Option<ContentHash> },
}

impl Effect {
    /// Makes the step.
    pub(super) fn perform(&self, root: &Root) -> Result<(), Refusal> {
        match self {
            Self::Write { path, stage, old, .. } => {
                let (place, stage) = (entry_at(root, path)?, entry_at(root, stage)?);
                let Some(old) = old else { return rename_to_new(&stage, &place) };
                // Other processes cannot replace the file or append to it meanwhile.
                let claim = place.claim()?;
                let exchanged = place.open_expected(Expected::Content(*old)).and_then(|_| {
                    Ok(syscalls::exchange((&place.directory, &place.name), (&stage.directory, &stage.name))?)
                });
                claim.drop_file();
                exchanged
            }
            Self::Directory { path } => {
                let place = entry_at(root, path)?;
                Ok(syscalls::make_directory(&place.directory, &place.name)?)
            }
            Self::Move { from, to } => rename_to_new(&entry_at(root, from)?, &entry_at(root, to)?),
            Self::Link { path, target } => {
                let place = entry_at(root, path)?;
                Ok(syscalls::symlink(target, &place.directory, &place.name)?)
            }
            Self::Remove { path, aside, old } => {
                let (place, aside) = (entry_at(root, path)?, entry_at(root, aside)?);
                let claim = place.claim()?;
                let expected = match old {
                    Some(old) => place.open_expected(Expected::Content(*old)).map(|_| ()),
                    None => Ok(()),
                };
                let removed = expected.and_then(|()| rename_to_new(&place, &aside));
                claim.drop_file();
                removed
            }
        }
    }

    /// Returns whether the step was made, or can no longer be made.
    pub(super) fn is_done(&self, root: &Root) -> Result<bool, Refusal> {
        match self {
            Self::Write { stage, new, mode, old, .. } => {
                Ok(!exists(root, stage)?
                    || old.is_some() && !has_new_content(root, stage, *new, *mode, *old)?)
            }
            Self::Directory { path } | Self::Link { path, .. } => exists(root, path),
            Self::Move { from, to } => Ok(exists(root, to)? || !exists(root, from)?),
            Self::Remove { path, aside, .. } => Ok(exists(root, aside)? || !exists(root, path)?),
        }
    }

    /// Undoes the step, if it was made.
    pub(super) fn undo(&self, root: &Root) -> Result<(), Refusal> {
        match self {
            Self::Write { path, stage, new, mode, old } => {
                let is_staged = exists(root, stage)?;
                if old.is_some() && is_staged && !has_new_content(root, stage, *new, *mode, *old)? {
                    let (place, stage) = (entry_at(root, path)?, entry_at(root, stage)?);
                    let (place, stage) = ((&place.directory, &*place.name), (&stage.directory, &*stage.name));
                    return Ok(syscalls::exchange(place, stage)?);
                }
                if old.is_none() && !is_staged && has_new_content(root, path, *new, *mode, None)? {
                    let place = entry_at(root, path)?;
                    syscalls::unlink(&place.directory, &place.name)?;
                }
                Ok(())
            }
            Self::Directory { path } => {
                if !exists(root, path)? {
                    return Ok(());
                }
                let place = entry_at(root, path)?;
                // Entries created externally in the directory are kept.
                match syscalls::remove_directory(&place.directory, &place.name).map_err(Refusal::from) {
                    Err(Refusal {
                        kind: FileErrorKind::NotEmpty | FileErrorKind::NotFound | FileErrorKind::NotDirectory,
                        ..
                    }) => Ok(()),
                    undone => undone,
                }
            }
            Self::Move { from, to } if exists(root, to)? && !exists(root, from)? => {
                rename_to_new(&entry_at(root, to)?, &entry_at(root, from)?)
            }
            Self::Link { path, target } if exists(root, path)? => {
                let place = entry_at(root, path)?;
                match syscalls::read_link(&place.directory, &place.name) {
                    Ok(found) if found == target.as_bytes() => {
                        Ok(syscalls::unlink(&place.directory, &place.name)?)
                    }
                    _ => Ok(()),
                }
            }
            Self::Remove { path, aside, .. } if exists(root, aside)? => {
                rename_to_new(&entry_at(root, aside)?, &entry_at(root, path)?)
            }
            Self::Move { .. } | Self::Link { .. } | Self::Remove { .. } => Ok(()),
        }
    }

    /// Removes the temporary file of the step, which is no longer needed.
    pub(super) fn clear(&self, root: &Root) -> Result<(), Refusal> {
        let (Self::Write { stage: temporary, .. } | Self::Remove { aside: temporary, .. }) = self else {
            return Ok(());
        };
        match entry_at(root, temporary).and_then(|place| Ok(syscalls::unlink(&place.directory, &place.name)?))
        {
            Err(Refusal {
                kind: FileErrorKind::NotFound | FileErrorKind::NotDirectory | FileErrorKind::Link,
                ..
            }) => Ok(()),
            cleared => cleared,
        }
    }

    /// Returns the path that the step changes.
    pub(super) fn target(&self) -> &WorkspacePath {
        match self {
            Self::Write { path, .. }
            | Self::Directory { path }
            | Self::Move { from: path, .. }
            | Self::Link { path, .. }
            | Self::Remove { path, .. } => path,
        }
    }

    /// Returns the directories whose entries the step changes.
    pub(super) fn directories(&self) -> impl Iterator<Item = WorkspacePath> {
        let (one, other) = match self {
            Self::Write { path, stage, .. } => (path, Some(stage)),
            Self::Directory { path } | Self::Link { path, .. } => (path, None),
            Self::Move { from, to } => (from, Some(to)),
            Self::Remove { path, aside, .. } => (path, Some(aside)),
        };
        std::iter::once(one).chain(other).filter_map(WorkspacePath::parent).collect::<Vec<_>>().into_iter()
    }
}

fn entry_at<'r>(root: &'r Root, path: &WorkspacePath) -> Result<Place<'r>, Refusal> {
    root.no_follow().entry_at(path)
}

fn rename_to_new(from: &Place<'_>, to: &Place<'_>) -> Result<(), Refusal> {
    Ok(syscalls::rename_new((&from.directory, &from.name), (&to.directory, &to.name))?)
}

fn exists(root: &Root, path: &WorkspacePath) -> Result<bool, Refusal> {
    match entry_at(root, path).and_then(|place| place.stat()) {
        Ok(stat) => Ok(stat.is_some()),
        Err(Refusal {
            kind: FileErrorKind::NotFound | FileErrorKind::NotDirectory | FileErrorKind::Link,
            ..
        }) => Ok(false),
        Err(refusal) => Err(refusal),
    }
}

/// Returns whether a file is the new one. If the old file had the same content, the permissions decide.
fn has_new_content(
    root: &Root,
    path: &WorkspacePath,
    new: ContentHash,
    mode: FileMode,
    old: Option<ContentHash>,
) -> Result<bool, Refusal> {
    if !exists(root, path)? {
        return Ok(false);
    }
    let place = entry_at(root, path)?;
    let Some(stat) = place.stat()?.filter(|stat| stat.kind == Kind::File) else { return Ok(false) };
    Ok((old != Some(new) || mode_of(&stat) == mode) && hash_of(&place)? == new)
}
