//! Sorting of keys.
//!
//! Comments above an entry and at the end of its line move with it. A comment followed by a blank line heads a
//! section: it stays, and nothing moves past it. A comment directly after an entry and followed by a blank line
//! belongs to that entry. A blank line moves with the comment after it; without one it stays between the two entries
//! that it separates, if they remain neighbors. If all entries of a section are separated by blank lines, they still
//! are afterwards.

use std::collections::BTreeMap;

use minds_diagnostics::Span;
use minds_document::yaml::{KeyOrder, Locator};
use minds_document::{Document, NodeKind};

use super::comments::Comment;
use super::flow::PieceKind;
use super::layout::{Content, Entry, Value};

/// Sorts the keys of `root` and of all values in it.
pub(super) fn arrange(root: &mut Value, order: &KeyOrder, document: &Document) {
    let has_aliases = document.iter().any(|node| matches!(node.kind(), NodeKind::Alias(_)));
    Arranger { document, has_aliases }.value(root, order);
}

struct Arranger<'d> {
    document: &'d Document,
    has_aliases: bool,
}

impl<'d> Arranger<'d> {
    fn value(&self, value: &mut Value, order: &KeyOrder) {
        let Content::Collection(entries) = &mut value.content else { return };
        match order {
            KeyOrder::Free => {}
            KeyOrder::Items(item) => {
                for entry in entries.iter_mut().filter(|entry| entry.key.is_none()) {
                    self.value(&mut entry.value, item);
                }
            }
            KeyOrder::Named(each) => {
                for entry in entries.iter_mut().filter(|entry| entry.key.is_some()) {
                    self.value(&mut entry.value, each);
                }
            }
            KeyOrder::Fields(_) | KeyOrder::Keys(_) => {
                let rank = |entry: &Entry| {
                    let key = self.key(entry)?;
                    order.fields().position(|(field, _)| field == key)
                };
                let mut ranked = Vec::with_capacity(entries.len());
                for mut entry in entries.drain(..) {
                    let rank = rank(&entry);
                    if let Some((_, order)) = rank.and_then(|rank| order.fields().nth(rank)) {
                        self.value(&mut entry.value, order);
                    }
                    ranked.push((rank.unwrap_or(usize::MAX), entry));
                }
                *entries = self.sort_entries(ranked);
            }
        }
    }

    /// Returns the text of a key; none for an item of a list.
    fn key(&self, entry: &Entry) -> Option<&'d str> {
        let id = entry.key.as_ref()?.node;
        self.document.find_node(id)?.resolve_alias().scalar_text()
    }

    fn sort_entries(&self, mut ranked: Vec<(usize, Entry)>) -> Vec<Entry> {
        let starts = sections(&ranked);
        let mut order: Vec<usize> = (0..ranked.len()).collect();
        for (at, start) in starts.iter().enumerate() {
            let end = starts.get(at + 1).copied().unwrap_or(ranked.len());
            if let Some(section) = order.get_mut(*start..end) {
                section.sort_by_key(|at| ranked.get(*at).map(|(rank, _)| *rank));
            }
        }
        let moves = order.iter().enumerate().any(|(to, from)| to != *from);
        if !moves || (self.has_aliases && !self.aliases_hold(&ranked, &order)) {
            return ranked.into_iter().map(|(_, entry)| entry).collect();
        }
        let spaced = spaced_sections(&ranked, &starts);
        let headings: Vec<Vec<Comment>> =
            (0..ranked.len()).map(|at| split_heading(&mut ranked, at)).collect();
        let mut slots: Vec<Option<Entry>> = ranked.into_iter().map(|(_, entry)| Some(entry)).collect();
        let mut entries = Vec::with_capacity(slots.len());
        let mut before = None;
        for ((to, from), heading) in order.into_iter().enumerate().zip(headings) {
            let Some(mut entry) = slots.get_mut(from).and_then(Option::take) else { continue };
            let is_together = before.is_some_and(|before: usize| before + 1 == from);
            if starts.binary_search(&to).is_ok() {
                // A heading keeps the blank line after it.
                *entry.blank_above() |= !heading.is_empty();
                entry.above.splice(0..0, heading);
            } else if spaced.binary_search(&section_of(&starts, to)).is_ok() {
                *entry.blank_above() = true;
            } else if entry.above.is_empty() && !is_together {
                entry.blank = false;
            }
            before = Some(from);
            entries.push(entry);
        }
        entries
    }

    /// Returns whether every alias still refers to the same value if the entries are in `order`.
    fn aliases_hold(&self, entries: &[(usize, Entry)], order: &[usize]) -> bool {
        let names: Vec<Vec<u32>> = entries
            .iter()
            .map(|(_, entry)| {
                let mut names = Vec::new();
                self.names_of_entry(entry, &mut names);
                names
            })
            .collect();
        let before = self.resolve(names.iter().flatten());
        let after = self.resolve(order.iter().filter_map(|at| names.get(*at)).flatten());
        before == after
    }

    /// Returns for each alias its anchor, and for each name the last anchor, all by their offsets.
    fn resolve<'n>(
        &self,
        names: impl Iterator<Item = &'n u32>,
    ) -> (BTreeMap<u32, Option<u32>>, BTreeMap<&'d str, u32>) {
        let (mut targets, mut last) = (BTreeMap::new(), BTreeMap::new());
        let places = Locator(self.document.source().bytes());
        for at in names {
            let word = Span::new(*at, places.find_word_end(*at));
            let word = self.document.source().slice(word);
            let name = word.get(1..).unwrap_or_default();
            if word.starts_with('*') {
                targets.insert(*at, last.get(name).copied());
            } else {
                last.insert(name, *at);
            }
        }
        (targets, last)
    }

    fn names_of_entry(&self, entry: &Entry, names: &mut Vec<u32>) {
        if let Some(key) = &entry.key {
            self.names_of(&key.props, &key.content, names);
        }
        self.names_of(&entry.value.props, &entry.value.content, names);
    }

    /// Adds the offsets of anchors and aliases, in their order.
    fn names_of(&self, props: &[Span], content: &Content, names: &mut Vec<u32>) {
        let source = self.document.source();
        let is_name = |span: &Span| matches!(source.bytes().get(span.start() as usize), Some(b'&' | b'*'));
        names.extend(props.iter().filter(|span| is_name(span)).map(|span| span.start()));
        match content {
            Content::Text(span) if is_name(span) => names.push(span.start()),
            Content::Flow(flow) => names.extend(
                flow.pieces
                    .iter()
                    .filter(|piece| piece.kind == PieceKind::Name && is_name(&piece.span))
                    .map(|piece| piece.span.start()),
            ),
            Content::Collection(entries) => {
                for entry in entries {
                    self.names_of_entry(entry, names);
                }
            }
            Content::Text(_) | Content::Nothing | Content::Block(_) => {}
        }
    }
}

/// Returns the indices at which sections start: the first entry, and the one after each heading.
fn sections(entries: &[(usize, Entry)]) -> Vec<usize> {
    let heads = |at: &usize| {
        let Some((_, entry)) = entries.get(*at) else { return false };
        let (footer, heading) = count_detached(entry, *at == 0);
        *at == 0 || heading > footer
    };
    (0..entries.len()).filter(heads).collect()
}

/// Returns the section that contains the entry at `at`.
fn section_of(starts: &[usize], at: usize) -> usize {
    starts.partition_point(|start| *start <= at).saturating_sub(1)
}

/// Returns the sections in which every entry but the first follows a blank line, sorted.
fn spaced_sections(entries: &[(usize, Entry)], starts: &[usize]) -> Vec<usize> {
    let is_spaced = |section: &usize| {
        let start = starts.get(*section).map_or(entries.len(), |start| start + 1);
        let end = starts.get(section + 1).copied().unwrap_or(entries.len());
        let others = entries.get(start..end).unwrap_or_default();
        let is_separated = |entry: &Entry| entry.blank || entry.above.iter().any(|comment| comment.blank);
        others.iter().all(|(_, entry)| is_separated(entry))
    };
    (0..starts.len()).filter(is_spaced).collect()
}

/// Returns how many of the comments above an entry belong to the preceding entry, and the end of those that belong to
/// no entry.
fn count_detached(entry: &Entry, is_first: bool) -> (usize, usize) {
    let last_blank = if entry.blank {
        entry.above.len()
    } else {
        entry.above.iter().rposition(|comment| comment.blank).unwrap_or(0)
    };
    let directly_below = entry.above.first().is_some_and(|comment| !comment.blank);
    let footer = if is_first || !directly_below {
        0
    } else {
        let blank = entry.above.iter().position(|comment| comment.blank);
        blank.unwrap_or(entry.above.len()).min(last_blank)
    };
    (footer, last_blank)
}

/// Moves comments that belong to the preceding entry to that entry, and returns those that belong to no entry.
fn split_heading(entries: &mut [(usize, Entry)], at: usize) -> Vec<Comment> {
    let Some((_, entry)) = entries.get_mut(at) else { return Vec::new() };
    let (footer, heading) = count_detached(entry, at == 0);
    let mut comments: Vec<Comment> = entry.above.drain(..heading).collect();
    if heading > 0 {
        // The blank line belonged to these comments.
        *entry.blank_above() = false;
    }
    let rest = comments.split_off(footer.min(comments.len()));
    if let Some((_, before)) = at.checked_sub(1).and_then(|before| entries.get_mut(before)) {
        before.footer = comments;
    }
    rest
}
