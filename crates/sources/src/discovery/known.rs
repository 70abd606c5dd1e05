//! What is known of the tree of a source so far, and what has to be known next.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use minds_diagnostics::Contents;
use minds_document::{SEVERAL_NAMES, SnapshotEntry, Survey, Surveyed};
use minds_paths::WorkspacePath;

/// How many bytes are read of an item's file at most: more than any head has.
pub(crate) const MAX_FRONT_MATTER_BYTES: u64 = 64 << 10;
/// How many entries a directory has at most.
pub(crate) const MAX_ENTRIES: usize = 100_000;
/// How many places are looked at in all.
const MAX_PLACES: usize = 400_000;
/// How often links lead on.
const MAX_LINKS: usize = 40;
/// How many names may still be ahead while links are followed.
const MAX_LOOKAHEAD: usize = 256;

/// What stands at a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Standing {
    Nothing,
    File,
    Directory,
    Link(String),
    /// Something that is never read, and why.
    Closed(String),
}

/// Where a path really leads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Real {
    /// To nothing.
    Nothing,
    /// To nothing, through a link.
    Dangling,
    /// Out of the source, through a link with this target.
    Outside(String),
    /// To what is never read, and why.
    Closed(String),
    File(WorkspacePath),
    Directory(WorkspacePath),
}

/// What a file holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Text {
    Nothing,
    /// Its beginning, and where it really lies.
    Found(WorkspacePath, Contents),
    /// It is a link that leads out, with this target.
    Outside(String),
    Closed(String),
}

/// The entries of a directory.
#[derive(Debug)]
pub(crate) enum Listing {
    Entries { named: Vec<(String, Standing)>, unnamed: Vec<String> },
    Closed(String),
}

/// The answers so far. Asking for what is not known gives `None`, and notes that it is wanted.
#[derive(Debug, Default)]
pub(crate) struct Known {
    directories: BTreeMap<WorkspacePath, Listing>,
    files: BTreeMap<WorkspacePath, (Standing, Option<Contents>)>,
    places: usize,
    wanted: RefCell<(BTreeSet<WorkspacePath>, BTreeSet<WorkspacePath>)>,
}

impl Known {
    /// Returns what is wanted, and forgets it.
    pub(crate) fn take_wanted(&self, most_bytes: u64) -> Survey {
        let (directories, files) = self.wanted.take();
        let (directories, files) = (directories.into_iter().collect(), files.into_iter().collect());
        Survey { directories, files, most_bytes, most_entries: MAX_ENTRIES }
    }

    /// Returns whether more was looked at than is reasonable.
    pub(crate) fn is_too_much(&self) -> bool {
        self.places > MAX_PLACES
    }

    /// Learns the answer to a survey.
    pub(crate) fn learn(&mut self, asked: &Survey, mut answer: Surveyed) {
        self.places += answer.entries.len() + asked.directories.len() + asked.files.len();
        for file in &asked.files {
            let entry = answer.entries.get(file);
            let contents = match entry {
                Some(SnapshotEntry::File { bytes, .. }) => Some(bytes.clone()),
                _ => None,
            };
            self.files.insert(file.clone(), (standing(entry), contents));
        }
        let mut named: BTreeMap<&WorkspacePath, Vec<(String, Standing)>> = BTreeMap::new();
        for directory in &asked.directories {
            match answer.entries.get(directory) {
                Some(SnapshotEntry::Directory) => {
                    named.insert(directory, Vec::new());
                }
                entry => {
                    let reason = match standing(entry) {
                        Standing::Closed(reason) => reason,
                        _ => "it is no directory".to_owned(),
                    };
                    self.directories.insert(directory.clone(), Listing::Closed(reason));
                }
            }
        }
        for (path, entry) in &answer.entries {
            let Some((parent, name)) = path.parent().zip(path.file_name()) else { continue };
            if let Some(named) = named.get_mut(&parent) {
                named.push((name.to_owned(), standing(Some(entry))));
            }
        }
        for (directory, mut named) in named {
            named.sort_by(|(a, _), (b, _)| a.cmp(b));
            let unnamed = answer.unnamed.remove(directory).unwrap_or_default();
            self.directories.insert(directory.clone(), Listing::Entries { named, unnamed });
        }
    }

    /// Returns the entries of a directory on whose path there is no link.
    pub(crate) fn listing(&self, directory: &WorkspacePath) -> Option<&Listing> {
        let known = self.directories.get(directory);
        if known.is_none() {
            self.wanted.borrow_mut().0.insert(directory.clone());
        }
        known
    }

    /// Returns the beginning of a file on whose path there is no link.
    fn beginning(&self, file: &WorkspacePath) -> Option<&(Standing, Option<Contents>)> {
        let known = self.files.get(file);
        if known.is_none() {
            self.wanted.borrow_mut().1.insert(file.clone());
        }
        known
    }

    /// Returns what stands at a path, where no link is on it.
    fn standing(&self, path: &WorkspacePath) -> Option<Standing> {
        let Some((parent, name)) = path.parent().zip(path.file_name()) else {
            return Some(Standing::Directory);
        };
        Some(match self.listing(&parent)? {
            Listing::Closed(reason) => Standing::Closed(reason.clone()),
            Listing::Entries { named, .. } => {
                let at = named.binary_search_by(|(other, _)| other.as_str().cmp(name)).ok();
                at.and_then(|at| named.get(at)).map_or(Standing::Nothing, |(_, standing)| standing.clone())
            }
        })
    }

    /// Returns where an entry of a directory leads, by what stands at its path. None if nothing does, or more has to be known
    /// first.
    pub(crate) fn real_entry(&self, path: WorkspacePath, standing: &Standing) -> Option<Real> {
        match standing {
            Standing::Nothing => None,
            Standing::File => Some(Real::File(path)),
            Standing::Directory => Some(Real::Directory(path)),
            Standing::Closed(reason) => Some(Real::Closed(reason.clone())),
            Standing::Link(_) => self.real(&path),
        }
    }

    /// Returns where a path leads, through links that stay in the source.
    pub(crate) fn real(&self, path: &WorkspacePath) -> Option<Real> {
        let mut ahead: Vec<String> = path.segments().rev().map(str::to_owned).collect();
        let mut real = WorkspacePath::root();
        let mut last_link: Option<String> = None;
        let mut links = 0;
        let nothing = |link: &Option<String>| if link.is_some() { Real::Dangling } else { Real::Nothing };
        while let Some(name) = ahead.pop() {
            match name.as_str() {
                "" | "." => continue,
                ".." => match real.parent() {
                    Some(parent) => {
                        real = parent;
                        continue;
                    }
                    None => return Some(Real::Outside(last_link.unwrap_or_default())),
                },
                _ => {}
            }
            if name.eq_ignore_ascii_case(".git") {
                return Some(Real::Closed("it belongs to git".to_owned()));
            }
            let Ok(next) = real.join(&name) else { return Some(nothing(&last_link)) };
            match self.standing(&next)? {
                Standing::Closed(reason) => return Some(Real::Closed(reason)),
                Standing::Directory => real = next,
                Standing::File if ahead.iter().all(|name| matches!(name.as_str(), "" | ".")) => {
                    return Some(Real::File(next));
                }
                Standing::Nothing | Standing::File => return Some(nothing(&last_link)),
                Standing::Link(target) => {
                    links += 1;
                    if links > MAX_LINKS {
                        return Some(Real::Dangling);
                    }
                    if target.starts_with('/') {
                        return Some(Real::Outside(target));
                    }
                    ahead.extend(target.split('/').rev().map(str::to_owned));
                    if ahead.len() > MAX_LOOKAHEAD {
                        return Some(Real::Dangling);
                    }
                    last_link = Some(target);
                }
            }
        }
        Some(Real::Directory(real))
    }

    /// Returns what a file holds whose folder is known to have no link on its path. The file may be a link.
    pub(crate) fn text(&self, file: &WorkspacePath) -> Option<Text> {
        Some(match self.beginning(file)? {
            (Standing::Link(_), _) => match self.real(file)? {
                Real::Nothing | Real::Dangling | Real::Directory(_) => Text::Nothing,
                Real::Outside(target) => Text::Outside(target),
                Real::Closed(reason) => Text::Closed(reason),
                Real::File(real) => match self.beginning(&real)? {
                    (Standing::Closed(reason), _) => Text::Closed(reason.clone()),
                    (_, Some(contents)) => Text::Found(real, contents.clone()),
                    _ => Text::Nothing,
                },
            },
            (Standing::Closed(reason), _) => Text::Closed(reason.clone()),
            (_, Some(contents)) => Text::Found(file.clone(), contents.clone()),
            _ => Text::Nothing,
        })
    }
}

fn standing(entry: Option<&SnapshotEntry>) -> Standing {
    match entry {
        None => Standing::Nothing,
        Some(SnapshotEntry::File { .. } | SnapshotEntry::Unread) => Standing::File,
        Some(SnapshotEntry::Directory) => Standing::Directory,
        Some(SnapshotEntry::Link { target }) => Standing::Link(target.clone()),
        Some(SnapshotEntry::Special) => Standing::Closed("it is no regular file".to_owned()),
        Some(SnapshotEntry::SeveralNames) => Standing::Closed(SEVERAL_NAMES.to_owned()),
        Some(SnapshotEntry::TooLarge { most }) => {
            Standing::Closed(format!("it has more than {most} entries"))
        }
        Some(
            SnapshotEntry::Outside { reason }
            | SnapshotEntry::Untrusted { reason }
            | SnapshotEntry::Unreadable { reason },
        ) => Standing::Closed(reason.clone()),
    }
}
