//! What items consist of, read from a folder, a commit of a repository, or the store.

use std::collections::{BTreeMap, BTreeSet};

use minds_document::{FileMode, SnapshotEntry, Survey, Surveyed};
use minds_paths::WorkspacePath;
use minds_sources::{ItemContent, ItemFile, Refusal, RefusalKind};

use super::SourceError;

/// How many bytes a file of an item has at most.
pub(super) const MOST_FILE: u64 = 1 << 20;
/// How many bytes the files of an item have at most.
const MOST_TOGETHER: u64 = 64 << 20;
/// How many bytes the items that are read at once have at most.
const MOST_AT_ONCE: u64 = 1 << 30;
/// How many entries an item has at most.
const MOST_ENTRIES: usize = 10_000;
/// How many folders lie in each other at most.
const MOST_DEPTH: usize = 64;
/// How many links may lead to each other.
const MOST_LINKS: usize = 8;

/// What looks at places: a folder, or a commit of a repository.
pub(super) type Look<'l> = dyn FnMut(&Survey) -> Result<Surveyed, SourceError> + 'l;

/// What stands at a place that may hold an item: nothing, or its content, or why it has none.
pub(super) type Found = Result<Option<ItemContent>, Refusal>;

/// Reads what stands at some places, of which none lies in another, in their order.
///
/// Only regular files count. A link that leads to a file of the same item is read as that file; any other, and whatever is
/// no regular file, refuses the item. Nothing is read of an item that is too large. Folders of version control are left out.
///
/// # Errors
///
/// Fails as `look` does.
pub(super) fn read(look: &mut Look<'_>, places: &[WorkspacePath]) -> Result<Vec<Found>, SourceError> {
    let mut items: Vec<Item> = places.iter().map(|place| Item::new(place.clone())).collect();
    let mut frontier: Vec<(usize, WorkspacePath)> = places.iter().cloned().enumerate().collect();
    let mut is_first = true;
    while !frontier.is_empty() {
        let directories: Vec<WorkspacePath> = frontier.iter().map(|(_, path)| path.clone()).collect();
        let files = if is_first { directories.clone() } else { Vec::new() };
        let survey = Survey { directories, files, most_bytes: MOST_FILE + 1, most_entries: MOST_ENTRIES };
        let seen = look(&survey)?;
        let children = children(&seen);
        let mut next = Vec::new();
        for (at, path) in frontier {
            let Some(item) = items.get_mut(at) else { continue };
            if is_first {
                item.begin(seen.entries.get(&path));
            }
            if item.is_folder {
                item.name(&path, &seen, &children, |inner| next.push((at, inner)));
            }
        }
        next.retain(|(at, _)| items.get(*at).is_some_and(|item| item.refusal.is_none()));
        (frontier, is_first) = (next, false);
    }
    let files: BTreeSet<WorkspacePath> = items.iter().flat_map(Item::wanted).collect();
    let mut contents = BTreeMap::new();
    // Not all at once: what a source consists of is bounded item by item, and this bounds all of it.
    let mut together = 0;
    for part in files.into_iter().collect::<Vec<_>>().chunks(4_096) {
        let survey = Survey {
            directories: Vec::new(),
            files: part.to_vec(),
            most_bytes: MOST_FILE + 1,
            most_entries: MOST_ENTRIES,
        };
        for (path, entry) in look(&survey)?.entries {
            if let SnapshotEntry::File { bytes, .. } = &entry {
                together += bytes.len() as u64;
            }
            if together > MOST_AT_ONCE {
                contents.insert(path, SnapshotEntry::TooLarge { most: MOST_AT_ONCE });
            } else {
                contents.insert(path, entry);
            }
        }
    }
    Ok(items.into_iter().map(|item| item.finish(&contents)).collect())
}

/// Returns the entries of a survey by the directory that holds them.
fn children(seen: &Surveyed) -> BTreeMap<WorkspacePath, Vec<WorkspacePath>> {
    let mut children: BTreeMap<WorkspacePath, Vec<WorkspacePath>> = BTreeMap::new();
    for path in seen.entries.keys() {
        if let Some(parent) = path.parent() {
            children.entry(parent).or_default().push(path.clone());
        }
    }
    children
}

/// An item that is being read.
struct Item {
    place: WorkspacePath,
    is_folder: bool,
    /// The file that it is, if it is one.
    file: Option<SnapshotEntry>,
    /// Its entries by their paths from the root of what is read, without directories.
    entries: BTreeMap<WorkspacePath, Entry>,
    refusal: Option<String>,
}

enum Entry {
    File,
    Link(String),
}

impl Item {
    fn new(place: WorkspacePath) -> Self {
        Self { place, is_folder: false, file: None, entries: BTreeMap::new(), refusal: None }
    }

    fn refuse(&mut self, reason: String) {
        self.refusal.get_or_insert(reason);
    }

    fn begin(&mut self, entry: Option<&SnapshotEntry>) {
        match entry {
            None => {}
            Some(SnapshotEntry::Directory) => self.is_folder = true,
            Some(entry) => self.file = Some(entry.clone()),
        }
    }

    /// Notes what a folder of the item holds, and tells the folders in it.
    fn name(
        &mut self,
        folder: &WorkspacePath,
        seen: &Surveyed,
        children: &BTreeMap<WorkspacePath, Vec<WorkspacePath>>,
        mut enter: impl FnMut(WorkspacePath),
    ) {
        let shown = |path: &WorkspacePath| path.as_str().to_owned();
        if let Some(SnapshotEntry::TooLarge { most }) = seen.entries.get(folder) {
            return self.refuse(format!("`{}` has more than {most} entries", shown(folder)));
        }
        if let Some(name) = seen.unnamed.get(folder).and_then(|names| names.first()) {
            return self.refuse(format!("`{}` holds a name that no path can have: `{name}`", shown(folder)));
        }
        if folder.segments().count() > self.place.segments().count() + MOST_DEPTH {
            return self.refuse(format!("more than {MOST_DEPTH} folders lie in each other"));
        }
        for path in children.get(folder).into_iter().flatten() {
            let is_repository = path.file_name().is_some_and(|name| name.eq_ignore_ascii_case(".git"));
            match seen.entries.get(path) {
                _ if is_repository => continue,
                Some(SnapshotEntry::Directory) => enter(path.clone()),
                Some(SnapshotEntry::File { .. } | SnapshotEntry::Unread) => {
                    self.entries.insert(path.clone(), Entry::File);
                }
                Some(SnapshotEntry::Link { target }) => {
                    self.entries.insert(path.clone(), Entry::Link(target.clone()));
                }
                Some(entry) => self.refuse(format!("`{}`: {}", shown(path), why(entry))),
                None => {}
            }
            if self.entries.len() > MOST_ENTRIES {
                return self.refuse(format!("it has more than {MOST_ENTRIES} files"));
            }
        }
    }

    /// Returns the files whose content is wanted.
    fn wanted(&self) -> Vec<WorkspacePath> {
        if self.refusal.is_some() {
            return Vec::new();
        }
        let files = self.entries.iter().filter(|(_, entry)| matches!(entry, Entry::File));
        files.map(|(path, _)| path.clone()).collect()
    }

    /// Returns the file of the item that a link of it leads to.
    fn behind(&self, link: &WorkspacePath, target: &str) -> Option<WorkspacePath> {
        let mut target = target.to_owned();
        let mut at = link.clone();
        for _ in 0..MOST_LINKS {
            if target.starts_with('/') {
                return None;
            }
            let parent = at.parent()?;
            let joined = if parent.is_root() { target.clone() } else { format!("{parent}/{target}") };
            let path =
                WorkspacePath::normalize(&joined).ok().filter(|path| path.is_at_or_below(&self.place))?;
            match self.entries.get(&path)? {
                Entry::File => return Some(path),
                Entry::Link(next) => (target, at) = (next.clone(), path),
            }
        }
        None
    }

    fn finish(self, contents: &BTreeMap<WorkspacePath, SnapshotEntry>) -> Found {
        let bad = |reason: String| Refusal::new(RefusalKind::BadContent, reason);
        if let Some(reason) = self.refusal {
            return Err(bad(reason));
        }
        if let Some(entry) = &self.file {
            return file(&self.place, entry).map(|file| Some(ItemContent::File(file))).map_err(bad);
        }
        if !self.is_folder {
            return Ok(None);
        }
        let mut files = BTreeMap::new();
        let mut together = 0;
        for (path, entry) in &self.entries {
            let real = match entry {
                Entry::File => path.clone(),
                Entry::Link(target) => self.behind(path, target).ok_or_else(|| {
                    bad(format!("`{path}` is a link to `{target}`, which is no file of the same item"))
                })?,
            };
            let missing = || bad(format!("`{path}` went while it was read"));
            let file = file(path, contents.get(&real).ok_or_else(missing)?).map_err(bad)?;
            together += file.bytes.len() as u64;
            if together > MOST_TOGETHER {
                return Err(bad(format!("it has more than {} MiB", MOST_TOGETHER >> 20)));
            }
            let inside = path.as_str().get(self.place.as_str().len()..).unwrap_or_default();
            let inside = WorkspacePath::parse(inside.trim_start_matches('/'));
            files.insert(inside.map_err(|error| bad(error.to_string()))?, file);
        }
        Ok(Some(ItemContent::Folder(files)))
    }
}

fn file(path: &WorkspacePath, entry: &SnapshotEntry) -> Result<ItemFile, String> {
    match entry {
        SnapshotEntry::File { bytes, .. } if bytes.len() as u64 > MOST_FILE => {
            Err(format!("`{path}` has more than {} MiB", MOST_FILE >> 20))
        }
        SnapshotEntry::File { bytes, mode } => {
            Ok(ItemFile { bytes: bytes.clone(), is_executable: *mode == FileMode::Executable })
        }
        entry => Err(format!("`{path}`: {}", why(entry))),
    }
}

/// Returns why something is no part of an item.
fn why(entry: &SnapshotEntry) -> String {
    match entry.bytes() {
        Err(reason) => reason.to_owned(),
        Ok(_) => "it cannot be read".to_owned(),
    }
}
