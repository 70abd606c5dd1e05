//! Looking around in a commit without following any link.

use std::collections::BTreeMap;

use minds_document::{SnapshotEntry, Survey, Surveyed};
use minds_paths::WorkspacePath;

use super::error::GitError;
use super::listing::What;
use super::tree::Tree;

/// How many bytes a file has at most of which the beginning is given: git gives files whole.
const MAX_WHOLE: u64 = 1 << 20;
const OTHER_REPOSITORY: &str = "it is another repository (a submodule), which is not fetched";

impl Tree {
    /// Looks at what `survey` names, as [`crate::Root::survey`] does in a folder. A file of more than the survey wants and
    /// 1 MiB is [`SnapshotEntry::TooLarge`]; what git keeps for itself, and other repositories, are
    /// [`SnapshotEntry::Unreadable`].
    ///
    /// # Errors
    ///
    /// Fails if git cannot read what it listed.
    pub fn survey(&self, survey: &Survey) -> Result<Surveyed, GitError> {
        let mut answer = Surveyed::default();
        for directory in &survey.directories {
            self.name_entries(directory, survey.most_entries, &mut answer);
        }
        let mut wanted = BTreeMap::new();
        let mut files = Vec::new();
        let most = survey.most_bytes.max(MAX_WHOLE);
        for place in &survey.files {
            match self.find(place) {
                Some(What::File { id, size, mode }) if *size <= most => {
                    wanted.insert(id.clone(), *size);
                    files.push((place, id, *mode));
                }
                Some(what) => answer.insert(place.clone(), named(what, survey.most_bytes, true)),
                None if self.is_directory(place) => answer.insert(place.clone(), SnapshotEntry::Directory),
                None => {}
            }
        }
        let blobs = self.git.blobs(&self.repository, &wanted)?;
        let wanted_bytes = usize::try_from(survey.most_bytes).unwrap_or(usize::MAX);
        for (place, id, mode) in files {
            if let Some(bytes) = blobs.get(id) {
                let bytes = bytes.get(..wanted_bytes).unwrap_or(bytes);
                answer.insert(place.clone(), SnapshotEntry::File { bytes: bytes.into(), mode });
            }
        }
        Ok(answer)
    }

    fn name_entries(&self, directory: &WorkspacePath, most: usize, answer: &mut Surveyed) {
        if !self.is_directory(directory) {
            if let Some(what) = self.find(directory) {
                answer.insert(directory.clone(), named(what, 0, false));
            }
            return;
        }
        let depth = if directory.is_root() { 0 } else { directory.as_str().len() + 1 };
        let mut found: Vec<(WorkspacePath, SnapshotEntry)> = Vec::new();
        for entry in self.below(directory) {
            let inside = entry.path.as_str().get(depth..).unwrap_or_default();
            let (path, entry) = match inside.split_once('/') {
                None => (entry.path.clone(), named(&entry.what, 0, false)),
                Some((folder, _)) => {
                    let Ok(path) = directory.join(folder) else { continue };
                    (path, SnapshotEntry::Directory)
                }
            };
            if found.last().is_none_or(|(last, _)| *last != path) {
                found.push((path, entry));
            }
            if found.len() > most {
                return answer.insert(directory.clone(), SnapshotEntry::TooLarge { most: most as u64 });
            }
        }
        answer.insert(directory.clone(), SnapshotEntry::Directory);
        for (path, entry) in found {
            answer.insert(path, entry);
        }
    }
}

/// Returns what stands at a place, without its content.
fn named(what: &What, most: u64, is_asked_for: bool) -> SnapshotEntry {
    let unreadable = |reason: &str| SnapshotEntry::Unreadable { reason: reason.to_owned() };
    match what {
        What::File { .. } if is_asked_for => SnapshotEntry::TooLarge { most },
        What::File { .. } => SnapshotEntry::Unread,
        What::Link { target } => SnapshotEntry::Link { target: target.clone() },
        What::Submodule => unreadable(OTHER_REPOSITORY),
        What::Refused { reason } => unreadable(reason),
    }
}
