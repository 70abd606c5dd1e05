//! Staged clones.

use std::collections::BTreeMap;

use minds_sources::Identity;
use minds_vfs::WorkspacePath;

use crate::{SourceError, SourceErrorKind};

/// The clones of a transaction, in the folder in which it stages files.
#[derive(Debug)]
pub(crate) struct Clones {
    folder: WorkspacePath,
    count: usize,
    /// The latest clone of each source.
    staged: BTreeMap<Identity, WorkspacePath>,
}

impl Clones {
    pub(crate) fn new(folder: WorkspacePath) -> Self {
        Self { folder, count: 0, staged: BTreeMap::new() }
    }

    /// Returns a new path for a clone of a source, relative to the data directory.
    pub(crate) fn stage(&mut self, identity: &Identity) -> Result<WorkspacePath, SourceError> {
        let place = self.folder.join(&format!("clone-{}", self.count));
        let place = place.map_err(|error| SourceError::new(SourceErrorKind::System, error.to_string()))?;
        self.count += 1;
        self.staged.insert(identity.clone(), place.clone());
        Ok(place)
    }

    /// Returns the path of the staged clone of a source.
    pub(crate) fn staged_clone(&self, identity: &Identity) -> Option<&WorkspacePath> {
        self.staged.get(identity)
    }
}
