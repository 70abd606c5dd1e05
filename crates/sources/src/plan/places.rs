//! What stands in the places that a plan is about.

use std::collections::BTreeMap;

use minds_document::ContentHash;

use crate::AbsolutePath;

/// What stands at a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Occupant {
    /// Nothing.
    Nothing,
    /// A symbolic link with this target, as it says.
    Link(String),
    /// A file, or a folder of regular files, whose hash as the content of an item is this.
    Content(ContentHash),
    /// Anything else: a folder with links in it, something too large, something that cannot be read.
    Other,
}

/// What stands at each place that was looked at. A place that is not in it is not known, and is never changed.
pub type Places = BTreeMap<AbsolutePath, Occupant>;
