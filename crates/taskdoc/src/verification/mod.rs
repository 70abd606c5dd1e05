//! Whether the journal of a package is whole, and whether the package is what it says.
//!
//! A line names the lines before it by their hashes, so no line that another one names can be changed or taken out. What nobody
//! named yet, the last line, is held by what it says of its section and by what is kept for undoing it. Whoever writes the whole
//! journal anew is not found out: the lines are not signed.

mod journal_kept;
mod journal_line;
mod journal_missing;
mod journal_parent;
mod journal_section;

use std::collections::BTreeMap;

use minds_diagnostics::{Diagnostic, Label, Problems, Rule, SourceFile, Span};
use minds_document::ContentHash;

use crate::{Entry, Journal, JournalLine, Section};

/// The rules about journals, by code.
pub static RULES: &[&Rule] = &[
    &journal_kept::RULE,
    &journal_line::RULE,
    &journal_missing::RULE,
    &journal_parent::RULE,
    &journal_section::RULE,
];

/// What a section holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Held {
    /// It is not there.
    Nothing,
    /// A content with this hash.
    Content(ContentHash),
    /// It cannot be read, for this reason.
    Unreadable(String),
}

/// A file with what a section held before a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kept {
    /// Its path below the package.
    pub path: String,
    /// The change that its name says.
    pub change: ContentHash,
    /// Whether it holds what was kept for that change.
    pub is_whole: bool,
}

/// What is known of a package.
#[derive(Clone, Debug)]
pub struct Evidence {
    /// The name of the package, for advice.
    pub name: String,
    /// The path of the journal in the workspace.
    pub journal: String,
    /// The journal; none if there is none.
    pub bytes: Option<Vec<u8>>,
    /// What the sections hold that are there. Those that every package has count as empty if they are missing here.
    pub sections: BTreeMap<Section, Held>,
    /// What is kept for undoing changes.
    pub kept: Vec<Kept>,
}

/// Returns everything that is wrong with a journal, and with a package that is not what its journal says.
///
/// The lines may stand in any order and several times, and several may be the last ones: that is how the journals of branches
/// are merged.
pub fn verify(evidence: &Evidence) -> Problems {
    let mut problems = Problems::new();
    let bytes = evidence.bytes.clone().unwrap_or_default();
    let lines = Lines::read(SourceFile::new(evidence.journal.clone(), bytes));
    if evidence.bytes.is_none() {
        journal_missing::check(&mut problems, evidence, &lines);
        return problems;
    }
    journal_line::check(&mut problems, &lines);
    journal_parent::check(&mut problems, &lines);
    journal_section::check(&mut problems, evidence, &lines);
    journal_kept::check(&mut problems, evidence, &lines);
    problems
}

/// The lines of a journal with where they stand.
struct Lines {
    source: SourceFile,
    journal: Journal,
    places: BTreeMap<ContentHash, Span>,
}

impl Lines {
    fn read(source: SourceFile) -> Self {
        let (mut journal, mut places) = (Journal::default(), BTreeMap::new());
        let mut start = 0;
        for (index, line) in source.bytes().split_inclusive(|byte| *byte == b'\n').enumerate() {
            let text = line.strip_suffix(b"\n").unwrap_or(line);
            let text = text.strip_suffix(b"\r").unwrap_or(text);
            let end = start + text.len();
            let read = std::str::from_utf8(text).map_err(|_| "it is no text in UTF-8".to_owned());
            match read.and_then(Entry::read) {
                _ if text.is_empty() => {}
                Ok(entry) => {
                    if places.insert(entry.id, span(start, end)).is_none() {
                        journal.entries.push(entry);
                    }
                }
                Err(reason) => journal.problems.push(JournalLine { line: index + 1, start, end, reason }),
            }
            start += line.len();
        }
        Self { source, journal, places }
    }

    /// Returns the place of the line of a change; the beginning of the journal if it has none.
    fn label(&self, change: Option<&Entry>) -> Label {
        let place = change.and_then(|change| self.places.get(&change.id)).copied();
        self.source.label(place.unwrap_or(Span::at(0)))
    }

    /// Returns the place of a text within the line of a change; the line if it is not there.
    fn label_within(&self, change: &Entry, text: &str) -> Label {
        let line = self.places.get(&change.id).copied().unwrap_or(Span::at(0));
        let within = self.source.slice(line).find(text).map(|at| {
            let start = line.range().start + at;
            span(start, start + text.len())
        });
        self.source.label(within.unwrap_or(line))
    }

    fn has(&self, change: &ContentHash) -> bool {
        self.places.contains_key(change)
    }
}

/// Returns a span; a journal is smaller than what a span can say.
fn span(start: usize, end: usize) -> Span {
    let offset = |offset: usize| u32::try_from(offset).unwrap_or(u32::MAX);
    Span::new(offset(start), offset(end))
}

/// Returns who made a change, and when, in words.
fn by(change: &Entry) -> String {
    format!("by {} at {}", change.actor, change.time)
}

/// Returns a finding with its place.
fn found(rule: &'static Rule, message: String, label: Label) -> Diagnostic {
    Diagnostic::new(rule, message).primary(label)
}
