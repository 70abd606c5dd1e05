//! Looking around without following any link.

use std::io;
use std::num::NonZeroUsize;
use std::thread;

use minds_document::{SnapshotEntry, Survey, Surveyed};
use minds_paths::WorkspacePath;

use crate::Root;
use crate::files::{FileErrorKind, Refusal};
use crate::snapshot::{entry, unreadable};
use crate::syscalls::{self, Handle, Kind, Wanted};

/// Fewer places than this are looked at by one thread: starting another costs as much.
const FEW: usize = 256;
/// The most threads that look at once; more only wait for the same disk.
const MAX_THREADS: usize = 8;

impl Root {
    /// Looks at what `survey` names. No link is followed, neither on the way nor at the end; a file with several names is
    /// not read.
    ///
    /// Many places are looked at by several threads. The answer is the same.
    pub fn survey(&self, survey: &Survey) -> Surveyed {
        let mut answer = Surveyed::default();
        for part in in_parts(&survey.directories, |places, part| {
            for place in places {
                self.name_entries(place, survey.most_entries, part);
            }
        }) {
            answer.append(part);
        }
        for part in in_parts(&survey.files, |places, part| {
            let mut parent = None;
            for place in places {
                if let Some(entry) = self.beginning_of(place, survey.most_bytes, &mut parent) {
                    part.insert(place.clone(), entry);
                }
            }
        }) {
            answer.append(part);
        }
        answer
    }

    /// Returns what stands at each of some places, in their order, without reading any file; none where nothing stands. A
    /// link is a link, and a link on the way, or a file, or a directory that cannot be looked into, makes it unreadable. Places
    /// that follow each other in the same directory are looked at through one handle.
    pub fn stand<'p>(
        &self,
        places: impl IntoIterator<Item = &'p WorkspacePath>,
    ) -> Vec<Option<SnapshotEntry>> {
        let mut above: Option<(WorkspacePath, Result<Handle, Refusal>)> = None;
        let mut stand = |place: &WorkspacePath| {
            let (Some(parent), Some(name)) = (place.parent(), place.file_name()) else {
                return Some(SnapshotEntry::Directory);
            };
            if above.as_ref().is_none_or(|(path, _)| *path != parent) {
                let opened = self.open_exactly(&parent, Wanted::Directory);
                above = Some((parent, opened));
            }
            match &above.as_ref()?.1 {
                Ok(directory) => match standing(directory, name) {
                    Err(error) if syscalls::is_absent(&error) => None,
                    Err(error) => Some(unreadable(&error.into())),
                    // What leads to a name that is no text is never what somebody was told before.
                    Ok(SnapshotEntry::Link { target }) if target.contains(char::REPLACEMENT_CHARACTER) => {
                        Some(SnapshotEntry::Special)
                    }
                    Ok(entry) => Some(entry),
                },
                Err(Refusal { kind: FileErrorKind::NotFound, .. }) => None,
                Err(refusal) => Some(unreadable(refusal)),
            }
        };
        places.into_iter().map(&mut stand).collect()
    }

    fn name_entries(&self, place: &WorkspacePath, most: usize, answer: &mut Surveyed) {
        let opened = self.open_exactly(place, Wanted::Directory);
        let entries = opened.and_then(|handle| Ok((syscalls::entries(&handle, most)?, handle)));
        let (entries, handle) = match entries {
            Ok((Some(entries), handle)) => (entries, handle),
            Ok((None, _)) => {
                answer.insert(place.clone(), SnapshotEntry::TooLarge { most: most as u64 });
                return;
            }
            Err(refusal) => {
                if let Some(entry) = self.instead(place, &refusal) {
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

    /// Reads the beginning of a file. `above` is the directory in which the last one was looked for: mostly the next one
    /// lies beside it or near it.
    fn beginning_of(
        &self,
        place: &WorkspacePath,
        most: u64,
        above: &mut Option<(WorkspacePath, Handle)>,
    ) -> Option<SnapshotEntry> {
        let opened = self.open_near(place, above);
        match opened.and_then(|handle| entry(&handle, most)) {
            Ok(entry) => Some(entry),
            Err(refusal) => self.instead(place, &refusal),
        }
    }

    /// Opens a file from the directory two levels above it, which is kept open for the next one: that is the folder of
    /// all skills, of which thousands have one file to be read.
    fn open_near(
        &self,
        place: &WorkspacePath,
        above: &mut Option<(WorkspacePath, Handle)>,
    ) -> Result<Handle, Refusal> {
        let Some(shared) = place.parent().and_then(|parent| parent.parent()).filter(|path| !path.is_root())
        else {
            return self.open_exactly(place, Wanted::Read);
        };
        if above.as_ref().is_none_or(|(path, _)| *path != shared) {
            let handle = self.open_exactly(&shared, Wanted::Directory)?;
            *above = Some((shared, handle));
        }
        let Some((shared, handle)) = above else { return self.open_exactly(place, Wanted::Read) };
        let below = place.as_str().get(shared.as_str().len() + 1..).unwrap_or_default();
        if !self.kernel_resolves() {
            return self.open_exactly(place, Wanted::Read);
        }
        match syscalls::open_beneath(handle, below, Wanted::Read) {
            // Names are moved about, or the kernel cannot do it: the long way knows what to do.
            Err(error) if syscalls::is_disturbed(&error) || syscalls::is_unavailable(&error) => {
                self.open_exactly(place, Wanted::Read)
            }
            opened => Ok(opened?),
        }
    }

    /// Returns what stands at a place that could not be opened as what was wanted; nothing if nothing is there, or only
    /// behind a link.
    fn instead(&self, place: &WorkspacePath, refusal: &Refusal) -> Option<SnapshotEntry> {
        match refusal.kind {
            FileErrorKind::NotFound => return None,
            FileErrorKind::Link | FileErrorKind::NotDirectory => {}
            _ => return Some(unreadable(refusal)),
        }
        let handle = match place.parent() {
            Some(parent) => self.open_exactly(&parent, Wanted::Directory).ok()?,
            None => return Some(unreadable(refusal)),
        };
        standing(&handle, place.file_name().unwrap_or_default()).ok()
    }
}

/// Returns what stands under a name.
fn standing(directory: &Handle, name: &str) -> io::Result<SnapshotEntry> {
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

/// Has the places looked at in as many parts as there is room for, and returns what each found, in their order.
fn in_parts(
    places: &[WorkspacePath],
    look: impl Fn(&[WorkspacePath], &mut Surveyed) + Sync,
) -> Vec<Surveyed> {
    let threads = thread::available_parallelism().map_or(1, NonZeroUsize::get).min(MAX_THREADS);
    let size = places.len().div_ceil(threads).max(FEW);
    let looked = |part: &[WorkspacePath]| {
        let mut answer = Surveyed::default();
        look(part, &mut answer);
        answer
    };
    let mut parts = places.chunks(size);
    let Some(own) = parts.next() else { return Vec::new() };
    let others: Vec<&[WorkspacePath]> = parts.collect();
    if others.is_empty() {
        return vec![looked(own)];
    }
    thread::scope(|scope| {
        let looked = &looked;
        let started: Vec<_> = others
            .iter()
            .map(|part| (thread::Builder::new().spawn_scoped(scope, move || looked(part)).ok(), *part))
            .collect();
        let mut answers = vec![looked(own)];
        for (thread, part) in started {
            // Where no thread could be started, or one died, the part is looked at here.
            answers.push(thread.and_then(|thread| thread.join().ok()).unwrap_or_else(|| looked(part)));
        }
        answers
    })
}
