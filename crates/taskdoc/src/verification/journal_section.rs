use std::collections::BTreeSet;

use minds_diagnostics::{Problems, Rule, Severity};
use minds_document::ContentHash;

use super::{Evidence, Held, Lines, by, found};
use crate::section::TopLevel;
use crate::{Entry, Section};

pub(super) static RULE: Rule = Rule {
    code: "task/journal-section",
    summary: "a section of a task is not what the journal says",
    default_severity: Severity::Error,
    is_allowable: false,
    since: "0.1.0",
    page: include_str!("journal_section.md"),
};

pub(super) fn check(problems: &mut Problems, evidence: &Evidence, lines: &Lines) {
    let latest = lines.journal.latest();
    let top = TopLevel::ALL.iter().copied().map(Section::Top);
    let recorded = latest.keys().map(|section| (*section).clone());
    let sections: BTreeSet<Section> = evidence.sections.keys().cloned().chain(recorded).chain(top).collect();
    for section in &sections {
        let changes = latest.get(section).map(Vec::as_slice).unwrap_or_default();
        let held = evidence.sections.get(section).unwrap_or(&Held::Nothing);
        let Some((said, wrong)) = difference(held, changes) else { continue };
        let last = changes.last().copied();
        let label = match last {
            Some(last) => lines.label(Some(last)).message(format!("its last change, {}", by(last))),
            None => lines.label(None).message("no line of it is in the journal"),
        };
        problems
            .push(found(&RULE, format!("`{section}` {said}"), label).help(advice(evidence, section, wrong)));
    }
}

/// How a section is not what the journal says.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wrong {
    Content,
    Missing,
    Unreadable,
}

/// Returns what is wrong with a section, in words; none if it is what one of its last changes says.
fn difference(held: &Held, changes: &[&Entry]) -> Option<(String, Wrong)> {
    let hash = match held {
        Held::Unreadable(reason) => return Some((format!("cannot be read: {reason}"), Wrong::Unreadable)),
        Held::Nothing => None,
        Held::Content(hash) => Some(*hash),
    };
    if changes.is_empty() {
        let is_empty = hash.is_none_or(|hash| hash == ContentHash::of(b""));
        let said = "holds something, and nothing is written down of it";
        return (!is_empty).then(|| (said.to_owned(), Wrong::Content));
    }
    if changes.iter().any(|change| change.after == hash) {
        return None;
    }
    Some(match hash {
        None => ("is not there, and the journal does not say that it was removed".to_owned(), Wrong::Missing),
        Some(_) if changes.len() > 1 => (
            "is what none of its last changes says: branches that changed it were merged".to_owned(),
            Wrong::Content,
        ),
        Some(_) => ("is not what its last change says: somebody changed the file".to_owned(), Wrong::Content),
    })
}

fn advice(evidence: &Evidence, section: &Section, wrong: Wrong) -> String {
    let name = &evidence.name;
    let category = section.category().map(|category| format!(" --category {category}")).unwrap_or_default();
    let selector = section.selector();
    match wrong {
        Wrong::Content => format!(
            "read it; if it is as it should be, write that down: `minds task show {name} --section {selector}{category} | \
             minds task set {selector}{category} --task {name} --from -`"
        ),
        Wrong::Missing => "get the file back from version control, or write the section anew with `minds task set`".to_owned(),
        Wrong::Unreadable => {
            "a section is a regular file with one name and a text in UTF-8; `minds check` says what else is wrong".to_owned()
        }
    }
}
