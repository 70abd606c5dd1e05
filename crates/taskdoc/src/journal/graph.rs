//! The order of changes.

use std::collections::{BTreeMap, BTreeSet};

use minds_vfs::ContentHash;

use super::entry::Entry;
use super::read::Journal;
use crate::Section;

/// The changes without a successor: one, or one for each merged branch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Heads(pub Vec<ContentHash>);

impl Heads {
    pub(crate) fn of(entries: &[Entry]) -> Self {
        let parents: BTreeSet<&ContentHash> = entries.iter().flat_map(|entry| &entry.parents).collect();
        let mut heads: Vec<ContentHash> =
            entries.iter().map(|entry| entry.id).filter(|id| !parents.contains(id)).collect();
        heads.sort_unstable();
        Self(heads)
    }
}

impl Journal {
    /// Returns the changes, each after its parents; unrelated changes are ordered by time.
    pub fn in_order(&self) -> Vec<&Entry> {
        let by_id = self.by_id();
        let mut children: BTreeMap<ContentHash, Vec<&Entry>> = BTreeMap::new();
        let mut waiting: BTreeMap<ContentHash, usize> = BTreeMap::new();
        for entry in &self.entries {
            let known: BTreeSet<&ContentHash> =
                entry.parents.iter().filter(|id| by_id.contains_key(id)).collect();
            waiting.insert(entry.id, known.len());
            for parent in known {
                children.entry(*parent).or_default().push(entry);
            }
        }
        let key = |entry: &Entry| (entry.time.clone(), entry.id);
        let mut ready: BTreeMap<(String, ContentHash), &Entry> = self
            .entries
            .iter()
            .filter(|entry| waiting.get(&entry.id) == Some(&0))
            .map(|entry| (key(entry), entry))
            .collect();
        let mut ordered = Vec::with_capacity(self.entries.len());
        while let Some((_, entry)) = ready.pop_first() {
            ordered.push(entry);
            for child in children.get(&entry.id).into_iter().flatten() {
                if let Some(count) = waiting.get_mut(&child.id) {
                    *count = count.saturating_sub(1);
                    if *count == 0 {
                        ready.insert(key(child), child);
                    }
                }
            }
        }
        ordered
    }

    /// Returns the latest changes of each section: those without a later change of the same section.
    pub fn latest(&self) -> BTreeMap<&Section, Vec<&Entry>> {
        let ordered = self.in_order();
        let mut by_section: BTreeMap<&Section, Vec<&Entry>> = BTreeMap::new();
        for entry in &ordered {
            by_section.entry(&entry.section).or_default().push(entry);
        }
        for (section, entries) in &mut by_section {
            if entries.len() > 1 && !is_linear(&self.entries) {
                *entries = latest_changes(&ordered, section);
            } else {
                entries.drain(..entries.len().saturating_sub(1));
            }
        }
        by_section
    }
}

/// Returns whether the changes form a single sequence, as they do unless branches were merged.
fn is_linear(entries: &[Entry]) -> bool {
    let mut before: Option<ContentHash> = None;
    for entry in entries {
        if entry.parents.as_slice() != before.as_slice() {
            return false;
        }
        before = Some(entry.id);
    }
    true
}

/// Returns the latest changes of a section. `ordered` is in order.
fn latest_changes<'e>(ordered: &[&'e Entry], section: &Section) -> Vec<&'e Entry> {
    // The predecessors of changes of the section.
    let mut superseded: BTreeSet<ContentHash> = BTreeSet::new();
    let mut latest = Vec::new();
    for entry in ordered.iter().rev() {
        let is_superseded = superseded.contains(&entry.id);
        let is_of_section = entry.section == *section;
        if is_of_section && !is_superseded {
            latest.push(*entry);
        }
        if is_of_section || is_superseded {
            superseded.extend(entry.parents.iter().copied());
        }
    }
    latest.reverse();
    latest
}
