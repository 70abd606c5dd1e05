//! Reading the content of items from a folder, a commit of a repository, or the store.

use std::collections::{BTreeMap, BTreeSet};

use minds_sources::{ItemContent, ItemFile, Refusal, RefusalKind};
use minds_vfs::{FileMode, SnapshotEntry, Survey, SurveyResult, WorkspacePath};

use crate::SourceError;

/// The maximum size of a file of an item in bytes.
pub(crate) const MAX_FILE: u64 = 1 << 20;
/// The maximum total size of the files of an item in bytes.
const MAX_TOTAL: u64 = 64 << 20;
/// The maximum total size of the items that are read in one step, in bytes.
const MAX_CONCURRENT: u64 = 1 << 30;
/// The maximum number of entries of an item.
const MAX_ENTRIES: usize = 10_000;
/// The maximum depth of folders.
const MAX_DEPTH: usize = 64;
/// The maximum number of links that are followed for one file.
const MAX_LINKS: usize = 8;

/// A function that reads paths, of a folder or of a commit.
pub(crate) type SurveyFn<'l> = dyn FnMut(&Survey) -> Result<SurveyResult, SourceError> + 'l;

/// The result of reading an item: `None` if nothing exists, its content, or why it has none.
pub(crate) type ItemResult = Result<Option<ItemContent>, Refusal>;

/// The path of an item, and whether it is expected to be a folder. Unexpected entries are read too.
pub(crate) type Expected = (WorkspacePath, bool);

/// Reads the items at some paths, none of which is inside another, in the same order.
///
/// Only regular files are read. A link to a file of the same item is replaced by that file; any other link or
/// special file refuses the item. Items that are too large are not read. Folders of version control systems
/// are skipped.
///
/// # Errors
///
/// Returns the first error of `survey_files`.
pub(crate) fn read(
    survey_files: &mut SurveyFn<'_>,
    places: &[Expected],
) -> Result<Vec<ItemResult>, SourceError> {
    let mut items: Vec<Item> = places.iter().map(|(place, _)| Item::new(place.clone())).collect();
    let (mut folders, mut files) = (Vec::new(), Vec::new());
    for (at, (place, is_folder)) in places.iter().enumerate() {
        if *is_folder { &mut folders } else { &mut files }.push((at, place.clone()));
    }
    while !folders.is_empty() || !files.is_empty() {
        let paths = |of: &[(usize, WorkspacePath)]| of.iter().map(|(_, path)| path.clone()).collect();
        let (directories, single) = (paths(&folders), paths(&files));
        let survey = Survey { directories, files: single, max_bytes: MAX_FILE + 1, max_entries: MAX_ENTRIES };
        let seen = survey_files(&survey)?;
        let children = children(&seen);
        let (mut next_folders, mut next_files) = (Vec::new(), Vec::new());
        for (at, path) in folders {
            let Some(item) = items.get_mut(at) else { continue };
            if path == item.place && item.begin(seen.entries.get(&path), true) {
                next_files.push((at, path));
            } else if item.is_folder {
                item.add_entries(&path, &seen, &children, |inner| next_folders.push((at, inner)));
            }
        }
        for (at, path) in files {
            let Some(item) = items.get_mut(at) else { continue };
            if item.begin(seen.entries.get(&path), false) {
                next_folders.push((at, path));
            }
        }
        next_folders.retain(|(at, _)| items.get(*at).is_some_and(|item| item.refusal.is_none()));
        (folders, files) = (next_folders, next_files);
    }
    let files: BTreeSet<WorkspacePath> = items.iter().flat_map(Item::files_to_read).collect();
    let mut contents = BTreeMap::new();
    // Read in batches: the size of each item is limited, and this limits the memory for all items.
    let mut together = 0;
    for part in files.into_iter().collect::<Vec<_>>().chunks(4_096) {
        let survey = Survey {
            directories: Vec::new(),
            files: part.to_vec(),
            max_bytes: MAX_FILE + 1,
            max_entries: MAX_ENTRIES,
        };
        for (path, entry) in survey_files(&survey)?.entries {
            if let SnapshotEntry::File { bytes, .. } = &entry {
                together += bytes.len() as u64;
            }
            if together > MAX_CONCURRENT {
                contents.insert(path, SnapshotEntry::TooLarge { limit: MAX_CONCURRENT });
            } else {
                contents.insert(path, entry);
            }
        }
    }
    Ok(items.into_iter().map(|item| item.finish(&contents)).collect())
}

/// Returns the entries of a survey by directory.
fn children(seen: &SurveyResult) -> BTreeMap<WorkspacePath, Vec<WorkspacePath>> {
    let mut children: BTreeMap<WorkspacePath, Vec<WorkspacePath>> = BTreeMap::new();
    for path in seen.entries.keys() {
        if let Some(parent) = path.parent() {
            children.entry(parent).or_default().push(path.clone());
        }
    }
    children
}

/// An item in progress.
struct Item {
    place: WorkspacePath,
    is_folder: bool,
    /// Whether it turned out not to be of the expected type.
    is_other: bool,
    /// The single file of the item, if it is not a folder.
    file: Option<SnapshotEntry>,
    /// Its entries by their paths relative to the root, without directories.
    entries: BTreeMap<WorkspacePath, Entry>,
    refusal: Option<String>,
}

enum Entry {
    File,
    Link(String),
}

impl Item {
    fn new(place: WorkspacePath) -> Self {
        Self { place, is_folder: false, is_other: false, file: None, entries: BTreeMap::new(), refusal: None }
    }

    fn refuse(&mut self, reason: String) {
        self.refusal.get_or_insert(reason);
    }

    /// Records the entry at the path of the item, which was read as a folder or as a file; returns whether it
    /// has to be read again as the other.
    fn begin(&mut self, entry: Option<&SnapshotEntry>, was_folder: bool) -> bool {
        match entry {
            None => {}
            // An entry with too many children is a folder too.
            Some(SnapshotEntry::Directory | SnapshotEntry::TooLarge { .. }) if was_folder => {
                self.is_folder = true;
            }
            Some(SnapshotEntry::Unread) if was_folder && !self.is_other => self.is_other = true,
            Some(SnapshotEntry::Directory) if !was_folder && !self.is_other => self.is_other = true,
            Some(entry) => self.file = Some(entry.clone()),
        }
        self.is_other && !self.is_folder && self.file.is_none() && entry.is_some()
    }

    /// Records the entries of a folder of the item, and returns its subfolders.
    fn add_entries(
        &mut self,
        folder: &WorkspacePath,
        seen: &SurveyResult,
        children: &BTreeMap<WorkspacePath, Vec<WorkspacePath>>,
        mut enter: impl FnMut(WorkspacePath),
    ) {
        let display_path = |path: &WorkspacePath| path.as_str().to_owned();
        if let Some(SnapshotEntry::TooLarge { limit: most }) = seen.entries.get(folder) {
            return self.refuse(format!("`{}` has more than {most} entries", display_path(folder)));
        }
        if let Some(name) = seen.unnamed.get(folder).and_then(|names| names.first()) {
            return self
                .refuse(format!("`{}` has an entry with an invalid name: `{name}`", display_path(folder)));
        }
        if folder.segments().count() > self.place.segments().count() + MAX_DEPTH {
            return self.refuse(format!("its folders are nested more than {MAX_DEPTH} levels deep"));
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
                Some(entry) => self.refuse(format!("`{}`: {}", display_path(path), explain_unusable(entry))),
                None => {}
            }
            if self.entries.len() > MAX_ENTRIES {
                return self.refuse(format!("it has more than {MAX_ENTRIES} files"));
            }
        }
    }

    /// Returns the files whose content has to be read.
    fn files_to_read(&self) -> Vec<WorkspacePath> {
        if self.refusal.is_some() {
            return Vec::new();
        }
        let files = self.entries.iter().filter(|(_, entry)| matches!(entry, Entry::File));
        files.map(|(path, _)| path.clone()).collect()
    }

    /// Returns the file of the item to which a link points.
    fn resolve_link(&self, link: &WorkspacePath, target: &str) -> Option<WorkspacePath> {
        let mut target = target.to_owned();
        let mut at = link.clone();
        for _ in 0..MAX_LINKS {
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

    fn finish(self, contents: &BTreeMap<WorkspacePath, SnapshotEntry>) -> ItemResult {
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
                Entry::Link(target) => self.resolve_link(path, target).ok_or_else(|| {
                    bad(format!(
                        "`{path}` is a symbolic link to `{target}`, which is not a file of the same item"
                    ))
                })?,
            };
            let missing = || bad(format!("`{path}` was removed while it was read"));
            let file = file(path, contents.get(&real).ok_or_else(missing)?).map_err(bad)?;
            together += file.bytes.len() as u64;
            if together > MAX_TOTAL {
                return Err(bad(format!("it is larger than {} MiB", MAX_TOTAL >> 20)));
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
        SnapshotEntry::File { bytes, .. } if bytes.len() as u64 > MAX_FILE => {
            Err(format!("`{path}` is larger than {} MiB", MAX_FILE >> 20))
        }
        SnapshotEntry::File { bytes, mode } => {
            Ok(ItemFile { bytes: bytes.clone(), is_executable: *mode == FileMode::Executable })
        }
        entry => Err(format!("`{path}`: {}", explain_unusable(entry))),
    }
}

/// Returns why an entry cannot be a part of an item.
fn explain_unusable(entry: &SnapshotEntry) -> String {
    match entry.bytes() {
        Err(reason) => reason.to_owned(),
        Ok(_) => "it cannot be read".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(path: &str) -> WorkspacePath {
        WorkspacePath::parse(path).unwrap()
    }

    /// Answers a survey like a folder with these entries.
    fn tree(entries: &[(&str, SnapshotEntry)], survey: &Survey) -> SurveyResult {
        let unread = |entry: &SnapshotEntry| match entry {
            SnapshotEntry::File { .. } => SnapshotEntry::Unread,
            entry => entry.clone(),
        };
        let mut answer = SurveyResult::default();
        for (name, entry) in entries {
            let place = path(name);
            if survey.directories.contains(&place)
                || place.parent().is_some_and(|at| survey.directories.contains(&at))
            {
                answer.insert(place.clone(), unread(entry));
            }
            if survey.files.contains(&place) {
                let is_full = matches!(entry, SnapshotEntry::TooLarge { .. });
                answer.insert(place, if is_full { SnapshotEntry::Directory } else { entry.clone() });
            }
        }
        answer
    }

    fn file(text: &str) -> SnapshotEntry {
        SnapshotEntry::File { bytes: text.into(), mode: FileMode::Regular }
    }

    #[test]
    fn an_entry_is_read_regardless_of_the_expected_type() {
        let entries = [
            ("file", file("one")),
            ("folder", SnapshotEntry::Directory),
            ("folder/deep", SnapshotEntry::Directory),
            ("folder/deep/x", file("two")),
            ("full", SnapshotEntry::TooLarge { limit: 3 }),
            ("link", SnapshotEntry::Link { target: "file".to_owned() }),
            ("pipe", SnapshotEntry::Special),
        ];
        let places = ["file", "folder", "full", "link", "none", "pipe"];
        let found = |is_folder: bool| -> Vec<String> {
            let expected: Vec<Expected> = places.iter().map(|place| (path(place), is_folder)).collect();
            let found = read(&mut |survey| Ok(tree(&entries, survey)), &expected).unwrap();
            let summary = |found: ItemResult| match found {
                Ok(None) => "nothing".to_owned(),
                Ok(Some(content)) => {
                    let files = content.files();
                    let files = files.map(|(at, file)| format!("{at} = {}", file.bytes.text().unwrap()));
                    files.collect::<Vec<_>>().join(", ")
                }
                Err(refusal) => refusal.message,
            };
            found.into_iter().map(summary).collect()
        };
        let expected = [
            ". = one",
            "deep/x = two",
            "`full` has more than 3 entries",
            "`link`: it is a symbolic link",
            "nothing",
            "`pipe`: it is not a regular file",
        ];
        assert_eq!(found(true), expected);
        assert_eq!(found(false), expected);
    }

    #[test]
    fn reading_an_entry_that_keeps_changing_ends() {
        let mut steps = 0;
        let mut flips = |survey: &Survey| {
            steps += 1;
            let mut answer = SurveyResult::default();
            for at in &survey.directories {
                answer.insert(at.clone(), SnapshotEntry::Unread);
            }
            for at in &survey.files {
                answer.insert(at.clone(), SnapshotEntry::Directory);
            }
            assert!(steps < 5, "it does not terminate");
            Ok(answer)
        };
        for is_folder in [true, false] {
            let found = read(&mut flips, &[(path("a"), is_folder)]).unwrap();
            assert!(found.into_iter().all(|found| found.is_err()), "{is_folder}");
        }
    }
}
