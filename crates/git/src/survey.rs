//! Looking up many paths of a commit without following symbolic links.

use std::collections::BTreeMap;

use minds_vfs::{SnapshotEntry, Survey, SurveyResult, WorkspacePath};

use crate::error::GitError;
use crate::listing::EntryKind;
use crate::tree::Tree;

/// The maximum size of a file of which only the beginning is requested: git returns whole files.
const MAX_PREFIX_SOURCE: u64 = 1 << 20;
const OTHER_REPOSITORY: &str = "it is another repository (a submodule), which is not fetched";

impl Tree {
    /// Looks up the places of `survey`, like [`minds_fs::Root::survey`] in a folder. A file larger than both the
    /// limit of the survey and 1 MiB is [`SnapshotEntry::TooLarge`]; names reserved by git and submodules are
    /// [`SnapshotEntry::Unreadable`].
    ///
    /// # Errors
    ///
    /// Fails if git cannot read an object that it listed.
    pub fn survey(&self, survey: &Survey) -> Result<SurveyResult, GitError> {
        let mut answer = SurveyResult::default();
        for directory in &survey.directories {
            self.list_entries(directory, survey.max_entries, &mut answer);
        }
        let mut wanted = BTreeMap::new();
        let mut files = Vec::new();
        let most = survey.max_bytes.max(MAX_PREFIX_SOURCE);
        for place in &survey.files {
            match self.find(place) {
                Some(EntryKind::File { id, size, mode }) if *size <= most => {
                    wanted.insert(id.clone(), *size);
                    files.push((place, id, *mode));
                }
                Some(kind) => {
                    answer.insert(place.clone(), entry_without_content(kind, survey.max_bytes, true));
                }
                None if self.is_directory(place) => answer.insert(place.clone(), SnapshotEntry::Directory),
                None => {}
            }
        }
        let blobs = self.git.blobs(&self.repository, &wanted)?;
        let wanted_bytes = usize::try_from(survey.max_bytes).unwrap_or(usize::MAX);
        for (place, id, mode) in files {
            if let Some(bytes) = blobs.get(id) {
                let bytes = bytes.get(..wanted_bytes).unwrap_or(bytes);
                answer.insert(place.clone(), SnapshotEntry::File { bytes: bytes.into(), mode });
            }
        }
        Ok(answer)
    }

    fn list_entries(&self, directory: &WorkspacePath, most: usize, answer: &mut SurveyResult) {
        if !self.is_directory(directory) {
            if let Some(kind) = self.find(directory) {
                answer.insert(directory.clone(), entry_without_content(kind, 0, false));
            }
            return;
        }
        let depth = if directory.is_root() { 0 } else { directory.as_str().len() + 1 };
        let mut found: Vec<(WorkspacePath, SnapshotEntry)> = Vec::new();
        for entry in self.entries_below(directory) {
            let inside = entry.path.as_str().get(depth..).unwrap_or_default();
            let (path, entry) = match inside.split_once('/') {
                None => (entry.path.clone(), entry_without_content(&entry.kind, 0, false)),
                Some((folder, _)) => {
                    let Ok(path) = directory.join(folder) else { continue };
                    (path, SnapshotEntry::Directory)
                }
            };
            if found.last().is_none_or(|(last, _)| *last != path) {
                found.push((path, entry));
            }
            if found.len() > most {
                return answer.insert(directory.clone(), SnapshotEntry::TooLarge { limit: most as u64 });
            }
        }
        answer.insert(directory.clone(), SnapshotEntry::Directory);
        for (path, entry) in found {
            answer.insert(path, entry);
        }
    }
}

/// Returns the snapshot entry for an entry, without its content.
fn entry_without_content(kind: &EntryKind, most: u64, is_requested_file: bool) -> SnapshotEntry {
    let unreadable = |reason: &str| SnapshotEntry::Unreadable { reason: reason.to_owned() };
    match kind {
        EntryKind::File { .. } if is_requested_file => SnapshotEntry::TooLarge { limit: most },
        EntryKind::File { .. } => SnapshotEntry::Unread,
        EntryKind::Link { target } => SnapshotEntry::Link { target: target.clone() },
        EntryKind::Submodule => unreadable(OTHER_REPOSITORY),
        EntryKind::Refused { reason } => unreadable(reason),
    }
}
