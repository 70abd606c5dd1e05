//! The part of the tree of a source that is known so far, and the part that is needed next.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use minds_diagnostics::Contents;
use minds_vfs::{HARD_LINKED, SnapshotEntry, Survey, SurveyResult, WorkspacePath};

/// The maximum number of bytes that are read of the file of an item; more than any front matter has.
pub(crate) const MAX_FRONT_MATTER_BYTES: u64 = 64 << 10;
/// The maximum number of entries of a directory.
pub(crate) const MAX_ENTRIES: usize = 100_000;
/// The maximum total number of paths that are read.
const MAX_PLACES: usize = 400_000;
/// The maximum number of links that are followed for one path.
const MAX_LINKS: usize = 40;
/// The maximum number of pending names while links are followed.
const MAX_LOOKAHEAD: usize = 256;

/// The kind of entry at a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Entry {
    Nothing,
    File,
    Directory,
    Link(String),
    /// Something that is never read, and why.
    Closed(String),
}

/// The result of resolving a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    /// The path does not exist.
    Nothing,
    /// A link on the path is dangling.
    Dangling,
    /// A link on the path has this target, which is outside of the source.
    Outside(String),
    /// The entry is never read, and why.
    Closed(String),
    File(WorkspacePath),
    Directory(WorkspacePath),
}

/// The result of reading a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Text {
    Nothing,
    /// Its real path, and the beginning of its content.
    Found(WorkspacePath, Contents),
    /// It is a link with this target, which is outside of the source.
    Outside(String),
    Closed(String),
}

/// The entries of a directory.
#[derive(Debug)]
pub(crate) enum Listing {
    Entries { named: Vec<(String, Entry)>, unnamed: Vec<String> },
    Closed(String),
}

/// The part of a tree that has been read. A query for an unknown path returns `None` and adds the path to the
/// next request.
#[derive(Debug, Default)]
pub(crate) struct PartialTree {
    directories: BTreeMap<WorkspacePath, Listing>,
    files: BTreeMap<WorkspacePath, (Entry, Option<Contents>)>,
    places: usize,
    requested: RefCell<(BTreeSet<WorkspacePath>, BTreeSet<WorkspacePath>)>,
}

impl PartialTree {
    /// Takes the next request.
    pub(crate) fn take_request(&self, max_bytes: u64) -> Survey {
        let (directories, files) = self.requested.take();
        let (directories, files) = (directories.into_iter().collect(), files.into_iter().collect());
        Survey { directories, files, max_bytes, max_entries: MAX_ENTRIES }
    }

    /// Returns whether more paths were read than the limit allows.
    pub(crate) fn exceeds_limit(&self) -> bool {
        self.places > MAX_PLACES
    }

    /// Adds the answer to a request.
    pub(crate) fn add(&mut self, asked: &Survey, mut answer: SurveyResult) {
        self.places += answer.entries.len() + asked.directories.len() + asked.files.len();
        for file in &asked.files {
            let entry = answer.entries.get(file);
            let contents = match entry {
                Some(SnapshotEntry::File { bytes, .. }) => Some(bytes.clone()),
                _ => None,
            };
            self.files.insert(file.clone(), (entry_of(entry), contents));
        }
        let mut named: BTreeMap<&WorkspacePath, Vec<(String, Entry)>> = BTreeMap::new();
        for directory in &asked.directories {
            match answer.entries.get(directory) {
                Some(SnapshotEntry::Directory) => {
                    named.insert(directory, Vec::new());
                }
                entry => {
                    let reason = match entry_of(entry) {
                        Entry::Closed(reason) => reason,
                        _ => "it is not a directory".to_owned(),
                    };
                    self.directories.insert(directory.clone(), Listing::Closed(reason));
                }
            }
        }
        for (path, entry) in &answer.entries {
            let Some((parent, name)) = path.parent().zip(path.file_name()) else { continue };
            if let Some(named) = named.get_mut(&parent) {
                named.push((name.to_owned(), entry_of(Some(entry))));
            }
        }
        for (directory, mut named) in named {
            named.sort_by(|(a, _), (b, _)| a.cmp(b));
            let unnamed = answer.unnamed.remove(directory).unwrap_or_default();
            self.directories.insert(directory.clone(), Listing::Entries { named, unnamed });
        }
    }

    /// Returns the entries of a directory whose path has no links.
    pub(crate) fn listing(&self, directory: &WorkspacePath) -> Option<&Listing> {
        let known = self.directories.get(directory);
        if known.is_none() {
            self.requested.borrow_mut().0.insert(directory.clone());
        }
        known
    }

    /// Returns the beginning of a file whose path has no links.
    fn beginning(&self, file: &WorkspacePath) -> Option<&(Entry, Option<Contents>)> {
        let known = self.files.get(file);
        if known.is_none() {
            self.requested.borrow_mut().1.insert(file.clone());
        }
        known
    }

    /// Returns the entry at a path without links.
    fn entry_at(&self, path: &WorkspacePath) -> Option<Entry> {
        let Some((parent, name)) = path.parent().zip(path.file_name()) else {
            return Some(Entry::Directory);
        };
        Some(match self.listing(&parent)? {
            Listing::Closed(reason) => Entry::Closed(reason.clone()),
            Listing::Entries { named, .. } => {
                let at = named.binary_search_by(|(other, _)| other.as_str().cmp(name)).ok();
                at.and_then(|at| named.get(at)).map_or(Entry::Nothing, |(_, entry)| entry.clone())
            }
        })
    }

    /// Resolves an entry of a directory. Returns `None` if nothing exists, or more of the tree has to be read
    /// first.
    pub(crate) fn real_entry(&self, path: WorkspacePath, entry: &Entry) -> Option<Target> {
        match entry {
            Entry::Nothing => None,
            Entry::File => Some(Target::File(path)),
            Entry::Directory => Some(Target::Directory(path)),
            Entry::Closed(reason) => Some(Target::Closed(reason.clone())),
            Entry::Link(_) => self.real(&path),
        }
    }

    /// Resolves a path through links that stay in the source.
    pub(crate) fn real(&self, path: &WorkspacePath) -> Option<Target> {
        let mut ahead: Vec<String> = path.segments().rev().map(str::to_owned).collect();
        let mut real = WorkspacePath::root();
        let mut last_link: Option<String> = None;
        let mut links = 0;
        let nothing = |link: &Option<String>| if link.is_some() { Target::Dangling } else { Target::Nothing };
        while let Some(name) = ahead.pop() {
            match name.as_str() {
                "" | "." => continue,
                ".." => match real.parent() {
                    Some(parent) => {
                        real = parent;
                        continue;
                    }
                    None => return Some(Target::Outside(last_link.unwrap_or_default())),
                },
                _ => {}
            }
            if name.eq_ignore_ascii_case(".git") {
                return Some(Target::Closed("it belongs to git".to_owned()));
            }
            let Ok(next) = real.join(&name) else { return Some(nothing(&last_link)) };
            match self.entry_at(&next)? {
                Entry::Closed(reason) => return Some(Target::Closed(reason)),
                Entry::Directory => real = next,
                Entry::File if ahead.iter().all(|name| matches!(name.as_str(), "" | ".")) => {
                    return Some(Target::File(next));
                }
                Entry::Nothing | Entry::File => return Some(nothing(&last_link)),
                Entry::Link(target) => {
                    links += 1;
                    if links > MAX_LINKS {
                        return Some(Target::Dangling);
                    }
                    if target.starts_with('/') {
                        return Some(Target::Outside(target));
                    }
                    ahead.extend(target.split('/').rev().map(str::to_owned));
                    if ahead.len() > MAX_LOOKAHEAD {
                        return Some(Target::Dangling);
                    }
                    last_link = Some(target);
                }
            }
        }
        Some(Target::Directory(real))
    }

    /// Reads a file whose folder is known to have no links on its path. The file itself may be a link.
    pub(crate) fn text(&self, file: &WorkspacePath) -> Option<Text> {
        Some(match self.beginning(file)? {
            (Entry::Link(_), _) => match self.real(file)? {
                Target::Nothing | Target::Dangling | Target::Directory(_) => Text::Nothing,
                Target::Outside(target) => Text::Outside(target),
                Target::Closed(reason) => Text::Closed(reason),
                Target::File(real) => match self.beginning(&real)? {
                    (Entry::Closed(reason), _) => Text::Closed(reason.clone()),
                    (_, Some(contents)) => Text::Found(real, contents.clone()),
                    _ => Text::Nothing,
                },
            },
            (Entry::Closed(reason), _) => Text::Closed(reason.clone()),
            (_, Some(contents)) => Text::Found(file.clone(), contents.clone()),
            _ => Text::Nothing,
        })
    }
}

fn entry_of(entry: Option<&SnapshotEntry>) -> Entry {
    match entry {
        None => Entry::Nothing,
        Some(SnapshotEntry::File { .. } | SnapshotEntry::Unread) => Entry::File,
        Some(SnapshotEntry::Directory) => Entry::Directory,
        Some(SnapshotEntry::Link { target }) => Entry::Link(target.clone()),
        Some(SnapshotEntry::Special) => Entry::Closed("it is not a regular file".to_owned()),
        Some(SnapshotEntry::HardLinked) => Entry::Closed(HARD_LINKED.to_owned()),
        Some(SnapshotEntry::TooLarge { limit: most }) => {
            Entry::Closed(format!("it has more than {most} entries"))
        }
        Some(
            SnapshotEntry::Outside { reason }
            | SnapshotEntry::Untrusted { reason }
            | SnapshotEntry::Unreadable { reason },
        ) => Entry::Closed(reason.clone()),
    }
}
