//! Verifying the integrity of a journal, and that a package matches its journal.
//!
//! A line contains the hashes of the preceding lines, so no line that is referenced can be changed or
//! removed. The last line, which is not referenced yet, is verified by the content of its section and by the
//! stored previous content. An attacker who rewrites the whole journal is not detected: lines are not signed.

mod journal_kept;
mod journal_line;
mod journal_missing;
mod journal_parent;
mod journal_section;

use std::collections::BTreeMap;

use minds_diagnostics::{Diagnostic, Label, Problems, Rule, SourceFile, Span};
use minds_vfs::ContentHash;

use crate::{Entry, Journal, JournalLine, Section};

/// The rules for journals, by code.
pub static RULES: &[&Rule] = &[
    &journal_kept::RULE,
    &journal_line::RULE,
    &journal_missing::RULE,
    &journal_parent::RULE,
    &journal_section::RULE,
];

/// The content of a section.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SectionContent {
    /// The section does not exist.
    Missing,
    /// A content with this hash.
    Content(ContentHash),
    /// The section cannot be read, for this reason.
    Unreadable(String),
}

/// A file with the content of a section before a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HistoryFile {
    /// Its path below the package.
    pub path: String,
    /// The change that its name refers to.
    pub change: ContentHash,
    /// Whether its content matches that change.
    pub is_intact: bool,
}

/// The data of a package to be verified.
#[derive(Clone, Debug)]
pub struct Evidence {
    /// The name of the package, for help messages.
    pub name: String,
    /// The path of the journal in the workspace.
    pub journal: String,
    /// The journal; none if it does not exist.
    pub bytes: Option<Vec<u8>>,
    /// The contents of existing sections. Missing required sections count as empty.
    pub sections: BTreeMap<Section, SectionContent>,
    /// The stored previous contents.
    pub history: Vec<HistoryFile>,
}

/// Returns all problems of a journal, and all mismatches between a package and its journal.
///
/// Lines may be in any order and duplicated, and there may be several heads: this is the result of merging
/// the journals of branches.
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

/// The lines of a journal with their positions.
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
            let read = std::str::from_utf8(text).map_err(|_| "it is not valid UTF-8".to_owned());
            match read.and_then(Entry::parse) {
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

    /// Returns a label at the line of a change, or at the start of the journal.
    fn label(&self, change: Option<&Entry>) -> Label {
        let place = change.and_then(|change| self.places.get(&change.id)).copied();
        self.source.label(place.unwrap_or(Span::at(0)))
    }

    /// Returns a label at a string within the line of a change, or at the line if it does not contain the
    /// string.
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

/// Returns a span; journals are smaller than the maximum offset.
fn span(start: usize, end: usize) -> Span {
    let offset = |offset: usize| u32::try_from(offset).unwrap_or(u32::MAX);
    Span::new(offset(start), offset(end))
}

/// Returns the author and time of a change, for a message.
fn attribution(change: &Entry) -> String {
    format!("by {} at {}", change.actor, change.time)
}

/// Returns a finding with its label.
fn finding(rule: &'static Rule, message: String, label: Label) -> Diagnostic {
    Diagnostic::new(rule, message).primary(label)
}
