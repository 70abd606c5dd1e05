//! Listing directories.

use minds_vfs::WorkspacePath;

use super::error::{FileErrorKind, Refusal};
use super::temporary;
use crate::syscalls::{self, Access, Handle, Kind};

/// An entry of a directory.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Entry {
    /// The path that leads to it without symbolic links.
    pub real: WorkspacePath,
    /// Its type; a symbolic link is not followed.
    pub kind: Kind,
}

/// The entries of a directory, or of a whole directory tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listing {
    /// The path that leads to the directory without symbolic links.
    pub real: WorkspacePath,
    /// The entries with valid workspace paths, sorted by path.
    pub entries: Vec<Entry>,
    /// The number of further entries: their names are not valid UTF-8, or contain characters that are not
    /// valid in a path. A caller that checks permission for every entry cannot check these.
    pub unnamed: usize,
}

/// Returns the entries of an open directory, at most `most`. Temporary files are left out.
pub(crate) fn list(directory: &Handle, real: &WorkspacePath, most: usize) -> Result<Listing, Refusal> {
    let found = syscalls::entries(directory, most)?.ok_or(FileErrorKind::TooLarge)?;
    let mut listing = Listing { real: real.clone(), entries: Vec::with_capacity(found.len()), unnamed: 0 };
    for (name, kind) in found {
        let name = String::from_utf8(name).ok();
        if name.as_deref().is_some_and(|name| is_own_temporary(name, kind)) {
            continue;
        }
        match name.and_then(|name| real.join(&name).ok()) {
            Some(real) => listing.entries.push(Entry { real, kind }),
            None => listing.unnamed += 1,
        }
    }
    listing.entries.sort();
    Ok(listing)
}

fn is_own_temporary(name: &str, kind: Kind) -> bool {
    match kind {
        Kind::File => temporary::is_temporary(name),
        Kind::Directory => temporary::is_removal_name(name),
        Kind::Link | Kind::Special => false,
    }
}

/// Returns all entries below an open directory, at most `most`. Each directory is opened relative to its
/// parent; symbolic links are not followed.
pub(crate) fn walk(directory: &Handle, real: &WorkspacePath, most: usize) -> Result<Listing, Refusal> {
    let mut all = Listing { real: real.clone(), entries: Vec::new(), unnamed: 0 };
    enter(directory, real, most, &mut all)?;
    Ok(all)
}

fn enter(directory: &Handle, real: &WorkspacePath, most: usize, all: &mut Listing) -> Result<(), Refusal> {
    let left = most.saturating_sub(all.entries.len() + all.unnamed);
    let listing = list(directory, real, left)?;
    all.unnamed += listing.unnamed;
    // The number of segments of a path is limited, which also limits this recursion.
    for entry in listing.entries {
        let inner = (entry.kind == Kind::Directory).then(|| entry.real.clone());
        if all.entries.len() + all.unnamed >= most {
            return Err(FileErrorKind::TooLarge.into());
        }
        all.entries.push(entry);
        if let Some(real) = inner {
            let name = real.file_name().unwrap_or_default();
            let inner = syscalls::open_entry(directory, name, Access::Directory)?;
            enter(&inner, &real, most, all)?;
        }
    }
    Ok(())
}
