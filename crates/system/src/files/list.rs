//! What a directory holds.

use minds_paths::WorkspacePath;

use super::error::{FileErrorKind, Refusal};
use super::temporary;
use crate::syscalls::{self, Handle, Kind};

/// One entry of a directory.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Entry {
    /// The path that leads to it without any link.
    pub real: WorkspacePath,
    /// What it is; a link is a link.
    pub kind: Kind,
}

/// The entries of one directory, or of all below it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Listing {
    /// Those with a name that is a path of the workspace, in the order of their paths.
    pub entries: Vec<Entry>,
    /// How many more there are: their names are no text, or hold characters that no path may have. Whoever judges all of
    /// a directory cannot judge these.
    pub unnamed: usize,
}

/// Returns what an open directory holds, at most `most` entries. Temporary files are left out.
pub(crate) fn list(directory: &Handle, real: &WorkspacePath, most: usize) -> Result<Listing, Refusal> {
    let found = syscalls::entries(directory, most)?.ok_or(FileErrorKind::TooLarge)?;
    let mut listing = Listing::default();
    for (name, kind) in found {
        let name = String::from_utf8(name).ok();
        if name.as_deref().is_some_and(|name| kind == Kind::File && temporary::is_temporary(name)) {
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
