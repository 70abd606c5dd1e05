//! Clones that are not in their place yet.

use std::collections::BTreeMap;

use minds_paths::WorkspacePath;
use minds_sources::Identity;

use super::{SourceError, SourceErrorKind};

/// Where repositories are fetched to, below the folder in which a transaction stages what it will put in its place.
#[derive(Debug)]
pub(super) struct Clones {
    folder: WorkspacePath,
    count: usize,
    /// Where the last clone of each source is.
    staged: BTreeMap<Identity, WorkspacePath>,
}

impl Clones {
    pub(super) fn below(folder: WorkspacePath) -> Self {
        Self { folder, count: 0, staged: BTreeMap::new() }
    }

    /// Returns a place for a clone of a source, where nothing is yet, from the folder of the program.
    pub(super) fn stage(&mut self, identity: &Identity) -> Result<WorkspacePath, SourceError> {
        let place = self.folder.join(&format!("clone-{}", self.count));
        let place = place.map_err(|error| SourceError::new(SourceErrorKind::System, error.to_string()))?;
        self.count += 1;
        self.staged.insert(identity.clone(), place.clone());
        Ok(place)
    }

    /// Returns where the clone of a source is.
    pub(super) fn staged(&self, identity: &Identity) -> Option<&WorkspacePath> {
        self.staged.get(identity)
    }
}
