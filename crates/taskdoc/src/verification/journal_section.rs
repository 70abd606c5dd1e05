use std::collections::BTreeSet;

use minds_diagnostics::{Problems, rule};
use minds_vfs::ContentHash;

use super::{Evidence, Lines, SectionContent, attribution, finding};
use crate::section::TopLevel;
use crate::{Entry, Section};

rule! {
    pub(super) static RULE {
        code: "task/journal-section",
        summary: "a section does not match the journal",
        severity: Error,
        suppressible: false,
        since: "0.1.0",
        page: "journal_section.md",
    }
}

pub(super) fn check(problems: &mut Problems, evidence: &Evidence, lines: &Lines) {
    let latest = lines.journal.latest();
    let top = TopLevel::ALL.iter().copied().map(Section::Top);
    let recorded = latest.keys().map(|section| (*section).clone());
    let sections: BTreeSet<Section> = evidence.sections.keys().cloned().chain(recorded).chain(top).collect();
    for section in &sections {
        let changes = latest.get(section).map(Vec::as_slice).unwrap_or_default();
        let content = evidence.sections.get(section).unwrap_or(&SectionContent::Missing);
        let Some((message, mismatch)) = find_mismatch(content, changes) else { continue };
        let last = changes.last().copied();
        let label = match last {
            Some(last) => lines.label(Some(last)).message(format!("its last change, {}", attribution(last))),
            None => lines.label(None).message("the journal does not contain a change of it"),
        };
        problems.push(
            finding(&RULE, format!("`{section}` {message}"), label).help(advice(evidence, section, mismatch)),
        );
    }
}

/// The ways in which a section does not match the journal.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mismatch {
    Content,
    Missing,
    Unreadable,
}

/// Returns the mismatch of a section, with a message; none if it matches one of its latest changes.
fn find_mismatch(content: &SectionContent, changes: &[&Entry]) -> Option<(String, Mismatch)> {
    let hash = match content {
        SectionContent::Unreadable(reason) => {
            return Some((format!("cannot be read: {reason}"), Mismatch::Unreadable));
        }
        SectionContent::Missing => None,
        SectionContent::Content(hash) => Some(*hash),
    };
    if changes.is_empty() {
        let is_empty = hash.is_none_or(|hash| hash == ContentHash::of(b""));
        let message = "has content, but the journal does not contain a change of it";
        return (!is_empty).then(|| (message.to_owned(), Mismatch::Content));
    }
    if changes.iter().any(|change| change.after == hash) {
        return None;
    }
    Some(match hash {
        None => ("does not exist, but the journal does not record its removal".to_owned(), Mismatch::Missing),
        Some(_) if changes.len() > 1 => (
            "does not match any of its latest changes: branches that changed it were merged".to_owned(),
            Mismatch::Content,
        ),
        Some(_) => ("does not match its latest change: the file was modified".to_owned(), Mismatch::Content),
    })
}

fn advice(evidence: &Evidence, section: &Section, mismatch: Mismatch) -> String {
    let name = &evidence.name;
    let category = section.category().map(|category| format!(" --category {category}")).unwrap_or_default();
    let selector = section.selector();
    match mismatch {
        Mismatch::Content => format!(
            "review it; if it is correct, record it: `minds task show {name} --section {selector}{category} | \
             minds task set {selector}{category} --task {name} --from -`"
        ),
        Mismatch::Missing => {
            "restore the file from version control, or write the section again with `minds task set`"
                .to_owned()
        }
        Mismatch::Unreadable => {
            "replace it with a regular file in valid UTF-8; `minds check` reports other problems".to_owned()
        }
    }
}
