//! What a directory holds.

use minds_paths::WorkspacePath;

use super::error::{FileErrorKind, Refusal};
use super::temporary;
use crate::syscalls::{self, Handle, Kind, Wanted};

/// One entry of a directory.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Entry {
    /// The path that leads to it without any link.
    pub real: WorkspacePath,
    /// What it is; a link is a link.
    pub kind: Kind,
}

/// The entries of one directory, or of all below it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listing {
    /// The path that leads to the directory itself without any link.
    pub real: WorkspacePath,
    /// Those with a name that is a path of the workspace, in the order of their paths.
    pub entries: Vec<Entry>,
    /// How many more there are: their names are no text, or hold characters that no path may have. Whoever judges all of
    /// a directory cannot judge these.
    pub unnamed: usize,
}

/// Returns what an open directory holds, at most `most` entries. Temporary files are left out.
pub(crate) fn list(directory: &Handle, real: &WorkspacePath, most: usize) -> Result<Listing, Refusal> {
    let found = syscalls::entries(directory, most)?.ok_or(FileErrorKind::TooLarge)?;
    let mut listing = Listing { real: real.clone(), entries: Vec::with_capacity(found.len()), unnamed: 0 };
    for (name, kind) in found {
        let name = String::from_utf8(name).ok();
        if name.as_deref().is_some_and(|name| is_ours(name, kind)) {
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

fn is_ours(name: &str, kind: Kind) -> bool {
    match kind {
        Kind::File => temporary::is_temporary(name),
        Kind::Directory => temporary::is_gone(name),
        Kind::Link | Kind::Special => false,
    }
}

/// Returns all that lies below an open directory, at most `most` entries. Each directory is opened from the one that holds
/// it; no link is followed.
pub(crate) fn walk(directory: &Handle, real: &WorkspacePath, most: usize) -> Result<Listing, Refusal> {
    let mut all = Listing { real: real.clone(), entries: Vec::new(), unnamed: 0 };
    enter(directory, real, most, &mut all)?;
    Ok(all)
}

fn enter(directory: &Handle, real: &WorkspacePath, most: usize, all: &mut Listing) -> Result<(), Refusal> {
    let left = most.saturating_sub(all.entries.len() + all.unnamed);
    let listing = list(directory, real, left)?;
    all.unnamed += listing.unnamed;
    // A path has a limited number of segments, and so has this recursion.
    for entry in listing.entries {
        let inner = (entry.kind == Kind::Directory).then(|| entry.real.clone());
        if all.entries.len() + all.unnamed >= most {
            return Err(FileErrorKind::TooLarge.into());
        }
        all.entries.push(entry);
        if let Some(real) = inner {
            let name = real.file_name().unwrap_or_default();
            let inner = syscalls::open_entry(directory, name, Wanted::Directory)?;
            enter(&inner, &real, most, all)?;
        }
    }
    Ok(())
}
