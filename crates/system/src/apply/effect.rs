//! One step of a change set: made, found made, and taken back.
//!
//! Whether a step was made is told from the disk alone, so that another process can finish or take back what this one
//! began.

use minds_document::{ContentHash, Expected, FileMode};
use minds_paths::WorkspacePath;

use super::hash_of;
use crate::Root;
use crate::files::{FileErrorKind, Place, Refusal, mode_of};
use crate::syscalls::{self, Kind};

/// One step. All paths are real.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Effect {
    /// What is written down at `stage` becomes the file; an old one with the content `old` is there afterwards.
    Write {
        path: WorkspacePath,
        stage: WorkspacePath,
        new: ContentHash,
        mode: FileMode,
        old: Option<ContentHash>,
    },
    /// A directory is made.
    Directory { path: WorkspacePath },
    /// Something gets another name.
    Move { from: WorkspacePath, to: WorkspacePath },
    /// A symbolic link is made.
    Link { path: WorkspacePath, target: String },
    /// Something is put aside, to be removed when all is done. A regular file has the content `old`.
    Remove { path: WorkspacePath, aside: WorkspacePath, old: Option<ContentHash> },
}

impl Effect {
    /// Makes the step.
    pub(super) fn perform(&self, root: &Root) -> Result<(), Refusal> {
        match self {
            Self::Write { path, stage, old, .. } => {
                let (place, stage) = (at(root, path)?, at(root, stage)?);
                let Some(old) = old else { return become_new(&stage, &place) };
                // Nobody else replaces the file or appends to it meanwhile.
                let claim = place.claim()?;
                let exchanged = place.expect(Expected::Content(*old)).and_then(|_| {
                    Ok(syscalls::exchange((&place.directory, &place.name), (&stage.directory, &stage.name))?)
                });
                claim.drop_file();
                exchanged
            }
            Self::Directory { path } => {
                let place = at(root, path)?;
                Ok(syscalls::make_directory(&place.directory, &place.name)?)
            }
            Self::Move { from, to } => become_new(&at(root, from)?, &at(root, to)?),
            Self::Link { path, target } => {
                let place = at(root, path)?;
                Ok(syscalls::symlink(target, &place.directory, &place.name)?)
            }
            Self::Remove { path, aside, old } => {
                let (place, aside) = (at(root, path)?, at(root, aside)?);
                let claim = place.claim()?;
                let expected = match old {
                    Some(old) => place.expect(Expected::Content(*old)).map(|_| ()),
                    None => Ok(()),
                };
                let removed = expected.and_then(|()| become_new(&place, &aside));
                claim.drop_file();
                removed
            }
        }
    }

    /// Returns whether the step was made, or cannot be made any more.
    pub(super) fn is_done(&self, root: &Root) -> Result<bool, Refusal> {
        match self {
            Self::Write { stage, new, mode, old, .. } => {
                Ok(!is_there(root, stage)? || old.is_some() && !is_new(root, stage, *new, *mode, *old)?)
            }
            Self::Directory { path } | Self::Link { path, .. } => is_there(root, path),
            Self::Move { from, to } => Ok(is_there(root, to)? || !is_there(root, from)?),
            Self::Remove { path, aside, .. } => Ok(is_there(root, aside)? || !is_there(root, path)?),
        }
    }

    /// Takes the step back, if it was made.
    pub(super) fn take_back(&self, root: &Root) -> Result<(), Refusal> {
        match self {
            Self::Write { path, stage, new, mode, old } => {
                let is_staged = is_there(root, stage)?;
                if old.is_some() && is_staged && !is_new(root, stage, *new, *mode, *old)? {
                    let (place, stage) = (at(root, path)?, at(root, stage)?);
                    let (place, stage) = ((&place.directory, &*place.name), (&stage.directory, &*stage.name));
                    return Ok(syscalls::exchange(place, stage)?);
                }
                if old.is_none() && !is_staged && is_new(root, path, *new, *mode, None)? {
                    let place = at(root, path)?;
                    syscalls::unlink(&place.directory, &place.name)?;
                }
                Ok(())
            }
            Self::Directory { path } => {
                if !is_there(root, path)? {
                    return Ok(());
                }
                let place = at(root, path)?;
                // What somebody else put there keeps it.
                match syscalls::remove_directory(&place.directory, &place.name).map_err(Refusal::from) {
                    Err(Refusal {
                        kind: FileErrorKind::NotEmpty | FileErrorKind::NotFound | FileErrorKind::NotDirectory,
                        ..
                    }) => Ok(()),
                    taken_back => taken_back,
                }
            }
            Self::Move { from, to } if is_there(root, to)? && !is_there(root, from)? => {
                become_new(&at(root, to)?, &at(root, from)?)
            }
            Self::Link { path, target } if is_there(root, path)? => {
                let place = at(root, path)?;
                match syscalls::read_link(&place.directory, &place.name) {
                    Ok(found) if found == target.as_bytes() => {
                        Ok(syscalls::unlink(&place.directory, &place.name)?)
                    }
                    _ => Ok(()),
                }
            }
            Self::Remove { path, aside, .. } if is_there(root, aside)? => {
                become_new(&at(root, aside)?, &at(root, path)?)
            }
            Self::Move { .. } | Self::Link { .. } | Self::Remove { .. } => Ok(()),
        }
    }

    /// Removes the temporary file of the step, which nothing needs any more.
    pub(super) fn clear(&self, root: &Root) -> Result<(), Refusal> {
        let (Self::Write { stage: temporary, .. } | Self::Remove { aside: temporary, .. }) = self else {
            return Ok(());
        };
        match at(root, temporary).and_then(|place| Ok(syscalls::unlink(&place.directory, &place.name)?)) {
            Err(Refusal {
                kind: FileErrorKind::NotFound | FileErrorKind::NotDirectory | FileErrorKind::Link,
                ..
            }) => Ok(()),
            cleared => cleared,
        }
    }

    /// Returns what the step changes.
    pub(super) fn target(&self) -> &WorkspacePath {
        match self {
            Self::Write { path, .. }
            | Self::Directory { path }
            | Self::Move { from: path, .. }
            | Self::Link { path, .. }
            | Self::Remove { path, .. } => path,
        }
    }

    /// Returns the directories whose names the step changes.
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

fn at<'r>(root: &'r Root, path: &WorkspacePath) -> Result<Place<'r>, Refusal> {
    root.scoped().entry_at(path)
}

fn become_new(from: &Place<'_>, to: &Place<'_>) -> Result<(), Refusal> {
    Ok(syscalls::rename_new((&from.directory, &from.name), (&to.directory, &to.name))?)
}

fn is_there(root: &Root, path: &WorkspacePath) -> Result<bool, Refusal> {
    match at(root, path).and_then(|place| place.stat()) {
        Ok(stat) => Ok(stat.is_some()),
        Err(Refusal {
            kind: FileErrorKind::NotFound | FileErrorKind::NotDirectory | FileErrorKind::Link,
            ..
        }) => Ok(false),
        Err(refusal) => Err(refusal),
    }
}

/// Returns whether a file is the new one. Where the old one had the same content, the permissions tell.
fn is_new(
    root: &Root,
    path: &WorkspacePath,
    new: ContentHash,
    mode: FileMode,
    old: Option<ContentHash>,
) -> Result<bool, Refusal> {
    if !is_there(root, path)? {
        return Ok(false);
    }
    let place = at(root, path)?;
    let Some(stat) = place.stat()?.filter(|stat| stat.kind == Kind::File) else { return Ok(false) };
    Ok((old != Some(new) || mode_of(&stat) == mode) && hash_of(&place)? == new)
}
