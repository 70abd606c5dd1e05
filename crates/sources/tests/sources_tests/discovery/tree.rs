//! An in-memory tree that answers surveys.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::fmt::Write as _;

use minds_diagnostics::Parsed;
use minds_sources::discovery::{Discovery, Options, discover};
use minds_vfs::{FileMode, Snapshot, SnapshotEntry, Survey, SurveyResult, WorkspacePath};

pub(crate) fn path(path: &str) -> WorkspacePath {
    WorkspacePath::parse(path).unwrap_or_else(|error| panic!("{error}"))
}

/// The entries by path.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tree {
    entries: BTreeMap<WorkspacePath, SnapshotEntry>,
    unnamed: BTreeMap<WorkspacePath, Vec<String>>,
    pub(crate) steps: usize,
}

impl Tree {
    /// Parses a tree from lines: `path`, `path = text`, `path -> target`, `path/`, `path !` for a pipe. In
    /// the text, `|` is a line break.
    pub(crate) fn of(lines: &str) -> Self {
        let mut tree = Self::default();
        for line in lines.lines().map(str::trim).filter(|line| !line.is_empty()) {
            tree.add(line);
        }
        tree
    }

    fn add(&mut self, line: &str) {
        if let Some((name, target)) = line.split_once(" -> ") {
            self.insert(name, SnapshotEntry::Link { target: target.to_owned() });
        } else if let Some((name, text)) = line.split_once(" = ") {
            self.file(name, &text.replace('|', "\n"));
        } else if let Some(name) = line.strip_suffix(" !") {
            self.insert(name, SnapshotEntry::Special);
        } else if let Some(name) = line.strip_suffix('/') {
            self.insert(name, SnapshotEntry::Directory);
        } else {
            self.file(line, &format!("---\ndescription: {line}\n---\n"));
        }
    }

    /// Returns the tree of the files in a snapshot.
    pub(crate) fn from_files(snapshot: &Snapshot) -> Self {
        let entries = snapshot.iter().map(|(location, entry)| (location.path.clone(), entry.clone()));
        Self { entries: entries.collect(), ..Self::default() }
    }

    pub(crate) fn file(&mut self, name: &str, text: &str) {
        self.insert(name, SnapshotEntry::File { bytes: text.into(), mode: FileMode::Regular });
    }

    pub(crate) fn with_file(mut self, name: &str, text: &str) -> Self {
        self.file(name, text);
        self
    }

    pub(crate) fn with_unnamed(mut self, folder: &str, name: &str) -> Self {
        self.unnamed.entry(path(folder)).or_default().push(name.to_owned());
        self
    }

    fn insert(&mut self, name: &str, entry: SnapshotEntry) {
        let place = path(name);
        let mut above = place.parent();
        while let Some(folder) = above.filter(|folder| !folder.is_root()) {
            above = folder.parent();
            self.entries.entry(folder).or_insert(SnapshotEntry::Directory);
        }
        self.entries.insert(place, entry);
    }

    /// Answers like [`Root::survey`](../../../fs/src/survey.rs) does for a folder.
    fn survey(&mut self, survey: &Survey) -> SurveyResult {
        self.steps += 1;
        let mut answer = SurveyResult::default();
        for folder in &survey.directories {
            match self.at(folder) {
                Some(SnapshotEntry::Directory) => {}
                Some(entry) => {
                    answer.insert(folder.clone(), entry);
                    continue;
                }
                None => continue,
            }
            answer.insert(folder.clone(), SnapshotEntry::Directory);
            for (place, entry) in
                self.entries.iter().filter(|(place, _)| place.parent().as_ref() == Some(folder))
            {
                let entry = match entry {
                    SnapshotEntry::File { .. } => SnapshotEntry::Unread,
                    entry => entry.clone(),
                };
                answer.insert(place.clone(), entry);
            }
            if let Some(names) = self.unnamed.get(folder) {
                answer.unnamed.insert(folder.clone(), names.clone());
            }
        }
        for file in &survey.files {
            match self.at(file) {
                Some(SnapshotEntry::File { bytes, mode }) => {
                    let most = usize::try_from(survey.max_bytes).unwrap();
                    let bytes = bytes.get(..most).unwrap_or(&bytes).into();
                    answer.insert(file.clone(), SnapshotEntry::File { bytes, mode });
                }
                Some(entry) => answer.insert(file.clone(), entry),
                None => {}
            }
        }
        answer
    }

    /// Returns the entry at a path without links.
    fn at(&self, place: &WorkspacePath) -> Option<SnapshotEntry> {
        if place.is_root() { Some(SnapshotEntry::Directory) } else { self.entries.get(place).cloned() }
    }

    pub(crate) fn discover_with(&mut self, options: Options) -> Parsed<Discovery> {
        match discover(options, |survey| Ok::<_, Infallible>(self.survey(survey))) {
            Ok(found) => found,
            Err(never) => match never {},
        }
    }

    pub(crate) fn discover(&mut self) -> Parsed<Discovery> {
        self.discover_with(Options::default())
    }
}

/// Returns the result as lines: the items, the problems, and whether the source is invalid.
pub(crate) fn show(found: Parsed<Discovery>) -> String {
    let mut text = String::new();
    let Discovery { catalog, places, is_valid, .. } = found.value;
    assert_eq!(catalog.items.len(), places.len());
    for (item, place) in catalog.items.iter().zip(places) {
        let _ = write!(text, "{} {}", item.key(), item.path);
        if place.declared != item.path {
            let _ = write!(text, " by {}", place.declared);
        }
        if let Some(description) =
            item.description.as_ref().filter(|said| !item.path.as_str().contains(*said))
        {
            let _ = write!(text, " {description:?}");
        }
        text.push('\n');
    }
    for problem in found.problems.into_sorted() {
        let _ = writeln!(text, "{} {}", problem.rule.name(), problem.message);
    }
    if !is_valid {
        text.push_str("cannot be used\n");
    }
    text
}
