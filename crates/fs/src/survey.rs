//! Looking up many paths without following symbolic links.

use std::io;
use std::num::NonZeroUsize;
use std::thread;

use minds_vfs::{SnapshotEntry, Survey, SurveyResult, WorkspacePath};

use crate::Root;
use crate::files::{FileErrorKind, Refusal};
use crate::snapshot::{read_entry, unreadable};
use crate::syscalls::{self, Access, Handle, Kind};

/// Surveys of fewer places use one thread: starting another one would cost as much.
const FEW: usize = 256;
/// The maximum number of threads; more would only wait for the same disk.
const MAX_THREADS: usize = 8;

impl Root {
    /// Looks up the places of `survey`. Symbolic links are not followed, neither on the way nor at the end; a
    /// file with several hard links is not read.
    ///
    /// Many places are divided among several threads; the result does not depend on the number of threads.
    pub fn survey(&self, survey: &Survey) -> SurveyResult {
        let mut answer = SurveyResult::default();
        for part in survey_in_parallel(&survey.directories, |places, part| {
            for place in places {
                self.list_entries(place, survey.max_entries, part);
            }
        }) {
            answer.append(part);
        }
        for part in survey_in_parallel(&survey.files, |places, part| {
            let mut parent = None;
            for place in places {
                if let Some(entry) = self.read_beginning(place, survey.max_bytes, &mut parent) {
                    part.insert(place.clone(), entry);
                }
            }
        }) {
            answer.append(part);
        }
        answer
    }

    /// Returns the entry at each of some places, in their order, without reading any file; none where nothing
    /// exists. A link is reported as a link. A place below a link, below a file, or in an inaccessible
    /// directory is unreadable. Consecutive places in the same directory share one handle.
    pub fn entries_at<'p>(
        &self,
        places: impl IntoIterator<Item = &'p WorkspacePath>,
    ) -> Vec<Option<SnapshotEntry>> {
        let mut above: Option<(WorkspacePath, Result<Handle, Refusal>)> = None;
        let mut look_up = |place: &WorkspacePath| {
            let (Some(parent), Some(name)) = (place.parent(), place.file_name()) else {
                return Some(SnapshotEntry::Directory);
            };
            if above.as_ref().is_none_or(|(path, _)| *path != parent) {
                let opened = self.open_without_links(&parent, Access::Directory);
                above = Some((parent, opened));
            }
            match &above.as_ref()?.1 {
                Ok(directory) => match look_up_entry(directory, name) {
                    Err(error) if syscalls::is_absent(&error) => None,
                    Err(error) => Some(unreadable(&error.into())),
                    // A target with invalid UTF-8 was replaced lossily and cannot be compared with a recorded
                    // target.
                    Ok(SnapshotEntry::Link { target }) if target.contains(char::REPLACEMENT_CHARACTER) => {
                        Some(SnapshotEntry::Special)
                    }
                    Ok(entry) => Some(entry),
                },
                Err(Refusal { kind: FileErrorKind::NotFound, .. }) => None,
                Err(refusal) => Some(unreadable(refusal)),
            }
        };
        places.into_iter().map(&mut look_up).collect()
    }

    fn list_entries(&self, place: &WorkspacePath, most: usize, answer: &mut SurveyResult) {
        let opened = self.open_without_links(place, Access::Directory);
        let entries = opened.and_then(|handle| Ok((syscalls::entries(&handle, most)?, handle)));
        let (entries, handle) = match entries {
            Ok((Some(entries), handle)) => (entries, handle),
            Ok((None, _)) => {
                answer.insert(place.clone(), SnapshotEntry::TooLarge { limit: most as u64 });
                return;
            }
            Err(refusal) => {
                if let Some(entry) = self.unopened_entry(place, &refusal) {
                    answer.insert(place.clone(), entry);
                }
                return;
            }
        };
        answer.insert(place.clone(), SnapshotEntry::Directory);
        for (name, kind) in entries {
            let path = std::str::from_utf8(&name).ok().and_then(|name| place.join(name).ok());
            let Some(path) = path else {
                let name = String::from_utf8_lossy(&name).into_owned();
                answer.unnamed.entry(place.clone()).or_default().push(name);
                continue;
            };
            let entry = match kind {
                Kind::File => SnapshotEntry::Unread,
                Kind::Directory => SnapshotEntry::Directory,
                Kind::Special => SnapshotEntry::Special,
                Kind::Link => link(&handle, path.file_name().unwrap_or_default()),
            };
            answer.insert(path, entry);
        }
        if let Some(names) = answer.unnamed.get_mut(place) {
            names.sort();
        }
    }

    /// Reads the beginning of a file. `above` is the directory of the previous lookup: the next file is
    /// usually in or near it.
    fn read_beginning(
        &self,
        place: &WorkspacePath,
        most: u64,
        above: &mut Option<(WorkspacePath, Handle)>,
    ) -> Option<SnapshotEntry> {
        let opened = self.open_near(place, above);
        match opened.and_then(|handle| read_entry(&handle, most)) {
            Ok(entry) => Some(entry),
            Err(refusal) => self.unopened_entry(place, &refusal),
        }
    }

    /// Opens a file relative to the directory two levels above it, which stays open for the next file: this
    /// is the folder of all skills, where thousands of directories have one file each.
    fn open_near(
        &self,
        place: &WorkspacePath,
        above: &mut Option<(WorkspacePath, Handle)>,
    ) -> Result<Handle, Refusal> {
        let Some(shared) = place.parent().and_then(|parent| parent.parent()).filter(|path| !path.is_root())
        else {
            return self.open_without_links(place, Access::Read);
        };
        if above.as_ref().is_none_or(|(path, _)| *path != shared) {
            let handle = self.open_without_links(&shared, Access::Directory)?;
            *above = Some((shared, handle));
        }
        let Some((shared, handle)) = above else { return self.open_without_links(place, Access::Read) };
        let below = place.as_str().get(shared.as_str().len() + 1..).unwrap_or_default();
        if !self.kernel_resolves() {
            return self.open_without_links(place, Access::Read);
        }
        match syscalls::open_beneath(handle, below, Access::Read) {
            // Names are being moved concurrently, or the kernel does not support the call: use the general
            // method.
            Err(error) if syscalls::is_concurrent_rename(&error) || syscalls::is_unavailable(&error) => {
                self.open_without_links(place, Access::Read)
            }
            opened => Ok(opened?),
        }
    }

    /// Returns the entry at a place that could not be opened as requested; none if nothing exists there, or
    /// only below a symbolic link.
    fn unopened_entry(&self, place: &WorkspacePath, refusal: &Refusal) -> Option<SnapshotEntry> {
        match refusal.kind {
            FileErrorKind::NotFound => return None,
            FileErrorKind::Link | FileErrorKind::NotDirectory => {}
            _ => return Some(unreadable(refusal)),
        }
        let handle = match place.parent() {
            Some(parent) => self.open_without_links(&parent, Access::Directory).ok()?,
            None => return Some(unreadable(refusal)),
        };
        look_up_entry(&handle, place.file_name().unwrap_or_default()).ok()
    }
}

/// Returns the entry with this name, without its content.
fn look_up_entry(directory: &Handle, name: &str) -> io::Result<SnapshotEntry> {
    Ok(match syscalls::stat_entry(directory, name)?.kind {
        Kind::File => SnapshotEntry::Unread,
        Kind::Directory => SnapshotEntry::Directory,
        Kind::Special => SnapshotEntry::Special,
        Kind::Link => link(directory, name),
    })
}

fn link(directory: &Handle, name: &str) -> SnapshotEntry {
    let target = syscalls::read_link(directory, name).unwrap_or_default();
    SnapshotEntry::Link { target: String::from_utf8_lossy(&target).into_owned() }
}

/// Divides the places among the available threads, and returns the result of each part in order.
fn survey_in_parallel(
    places: &[WorkspacePath],
    survey_part: impl Fn(&[WorkspacePath], &mut SurveyResult) + Sync,
) -> Vec<SurveyResult> {
    let threads = thread::available_parallelism().map_or(1, NonZeroUsize::get).min(MAX_THREADS);
    let size = places.len().div_ceil(threads).max(FEW);
    let survey_part = |part: &[WorkspacePath]| {
        let mut answer = SurveyResult::default();
        survey_part(part, &mut answer);
        answer
    };
    let mut parts = places.chunks(size);
    let Some(own) = parts.next() else { return Vec::new() };
    let others: Vec<&[WorkspacePath]> = parts.collect();
    if others.is_empty() {
        return vec![survey_part(own)];
    }
    thread::scope(|scope| {
        let survey_part = &survey_part;
        let started: Vec<_> = others
            .iter()
            .map(|part| (thread::Builder::new().spawn_scoped(scope, move || survey_part(part)).ok(), *part))
            .collect();
        let mut answers = vec![survey_part(own)];
        for (thread, part) in started {
            // If a thread could not be started or panicked, its part is surveyed here.
            answers.push(thread.and_then(|thread| thread.join().ok()).unwrap_or_else(|| survey_part(part)));
        }
        answers
    })
}
