//! The occupants of the paths that a plan is about.

use std::collections::BTreeMap;

use minds_vfs::ContentHash;

use crate::AbsolutePath;

/// The occupant of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Occupant {
    /// Nothing.
    Nothing,
    /// A symbolic link with exactly this target.
    Link(String),
    /// A file or a folder of regular files, with this content hash.
    Content(ContentHash),
    /// Anything else: a folder with links in it, something too large or unreadable.
    Other,
}

/// The occupant of each path that was read. A path that is missing here is unknown and is never changed.
pub type Places = BTreeMap<AbsolutePath, Occupant>;
