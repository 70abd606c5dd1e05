//! Opening and creating folders of agent homes.

use std::path::Path;

use minds_process::SystemError;
use minds_vfs::WorkspacePath;

use super::open_directories::lobe_mount;
use crate::Root;
use crate::files::{FileErrorKind, Refusal};
use crate::syscalls::{self, Access, Handle};

/// A directory that was created during opening.
pub(super) struct CreatedDirectory {
    directory: Handle,
    name: String,
}

impl CreatedDirectory {
    /// Removes the directory if it is empty.
    pub(super) fn remove(&self) {
        let _ = syscalls::remove_directory(&self.directory, &self.name);
    }
}

/// Opens a directory by its absolute path, following links, and creates it and its parents if they do not
/// exist.
pub(super) fn open_or_create(path: &Path, created: &mut Vec<CreatedDirectory>) -> Result<Root, Refusal> {
    if !path.is_absolute() {
        return Err(FileErrorKind::Unnamed.into());
    }
    match Root::open(path, lobe_mount()) {
        Ok(root) => return Ok(root),
        Err(SystemError::NotFound { .. }) => {}
        Err(SystemError::Io { source, .. }) => return Err(source.into()),
        Err(_) => return Err(FileErrorKind::NotFound.into()),
    }
    let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else {
        return Err(FileErrorKind::NotFound.into());
    };
    let name = name.to_str().ok_or(FileErrorKind::Unnamed)?;
    // The length of the path is limited, which also limits this recursion.
    let above = open_or_create(parent, created)?;
    let directory = above.open_without_links(&WorkspacePath::root(), Access::Directory)?;
    syscalls::make_directory(&directory, name)?;
    let new = CreatedDirectory { directory, name: name.to_owned() };
    let synced = syscalls::sync_directory(&new.directory);
    created.push(new);
    synced?;
    match Root::open(path, lobe_mount()) {
        Ok(root) => Ok(root),
        Err(SystemError::Io { source, .. }) => Err(source.into()),
        Err(_) => Err(FileErrorKind::NotFound.into()),
    }
}
