//! Folders of agent homes, which need not be there.

use std::path::Path;

use minds_paths::WorkspacePath;

use super::sites::lobe_mount;
use crate::files::{FileErrorKind, Refusal};
use crate::syscalls::{self, Handle, Wanted};
use crate::{Root, SystemError};

/// A directory that was made on the way.
pub(super) struct Made {
    directory: Handle,
    name: String,
}

impl Made {
    /// Removes it if nothing is in it.
    pub(super) fn remove(&self) {
        let _ = syscalls::remove_directory(&self.directory, &self.name);
    }
}

/// Opens a directory by its absolute path, whatever links lead to it, and makes those above it and itself if they are not there.
pub(super) fn open_or_make(path: &Path, made: &mut Vec<Made>) -> Result<Root, Refusal> {
    if !path.is_absolute() {
        return Err(FileErrorKind::Unnamed.into());
    }
    match Root::open(path, lobe_mount()) {
        Ok(root) => return Ok(root),
        Err(SystemError::NotFound { .. }) => {}
        Err(SystemError::Io { source, .. }) => return Err(source.into()),
        Err(SystemError::NoHome) => return Err(FileErrorKind::NotFound.into()),
    }
    let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else {
        return Err(FileErrorKind::NotFound.into());
    };
    let name = name.to_str().ok_or(FileErrorKind::Unnamed)?;
    // The path has a limited length, and so has this recursion.
    let above = open_or_make(parent, made)?;
    let directory = above.open_exactly(&WorkspacePath::root(), Wanted::Directory)?;
    syscalls::make_directory(&directory, name)?;
    let new = Made { directory, name: name.to_owned() };
    let synced = syscalls::sync_directory(&new.directory);
    made.push(new);
    synced?;
    match Root::open(path, lobe_mount()) {
        Ok(root) => Ok(root),
        Err(SystemError::Io { source, .. }) => Err(source.into()),
        Err(_) => Err(FileErrorKind::NotFound.into()),
    }
}
