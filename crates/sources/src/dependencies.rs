//! Which items of a source need which.

use std::collections::{BTreeMap, BTreeSet};

use crate::inventory::Offered;
use crate::tokens::{Token, tokens};
use crate::{ItemContent, ItemKey, ItemKind, Refusal, RefusalKind};

/// Which items of one source need which, by their indices.
///
/// An item needs what its head requires, and what its texts name with `{{ns:…}}`.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    /// What each item needs, in the order in which it says so.
    needs: Vec<Vec<usize>>,
    /// Why an item cannot be installed: the first reference of it that means nothing.
    problems: BTreeMap<usize, Refusal>,
}

/// The items of one source by the names that they have there.
#[derive(Debug)]
pub(crate) struct Siblings<'i> {
    items: &'i [Offered],
    names: BTreeMap<&'i str, Vec<usize>>,
}

impl<'i> Siblings<'i> {
    pub(crate) fn of(items: &'i [Offered]) -> Self {
        let mut names: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (at, offered) in items.iter().enumerate() {
            names.entry(offered.item.name.as_str()).or_default().push(at);
        }
        Self { items, names }
    }

    /// Returns the items with this name, of any kind.
    pub(crate) fn named(&self, name: &str) -> &[usize] {
        self.names.get(name).map(Vec::as_slice).unwrap_or_default()
    }

    /// Returns the only item with this name, and this kind if one is given.
    pub(crate) fn only(&self, kind: Option<ItemKind>, name: &str) -> Option<usize> {
        let is_meant = |at: &&usize| {
            kind.is_none_or(|kind| self.items.get(**at).is_some_and(|offered| offered.item.kind == kind))
        };
        let mut found = self.named(name).iter().filter(is_meant);
        match (found.next(), found.next()) {
            (Some(at), None) => Some(*at),
            _ => None,
        }
    }

    /// Returns the program of a tool, from its folder: what it says, else the file that is called like it.
    pub(crate) fn program(&self, name: &str) -> Option<(&'i Offered, &'i str)> {
        let offered = self.items.get(self.only(Some(ItemKind::Tool), name)?)?;
        if let Some(bin) = &offered.item.bin {
            // What leads out of the tool is no program of it.
            return minds_paths::WorkspacePath::parse(bin).is_ok().then_some((offered, bin.as_str()));
        }
        match &offered.content {
            Ok(ItemContent::Folder(files)) => {
                let is_it = |path: &&minds_paths::WorkspacePath| path.as_str() == name;
                files.keys().find(is_it).map(|path| (offered, path.as_str()))
            }
            _ => None,
        }
    }

    /// Returns whether a reference in a text means something.
    pub(crate) fn means(&self, token: Token<'_>) -> bool {
        match token {
            Token::Own => true,
            Token::Name(name) => !self.named(name).is_empty(),
            Token::Tool(name) => self.program(name).is_some(),
            Token::Path(kind, name) => self.only(kind, name).is_some(),
        }
    }
}

impl Graph {
    /// Returns which of `items`, the items of one source, need which. Takes time linear in their texts.
    pub(crate) fn of(items: &[Offered]) -> Self {
        let siblings = Siblings::of(items);
        let mut graph = Self { needs: Vec::with_capacity(items.len()), problems: BTreeMap::new() };
        for (at, offered) in items.iter().enumerate() {
            let mut needs = Needs { at, seen: BTreeSet::new(), list: Vec::new() };
            if let Err(problem) = needs.read(offered, &siblings) {
                graph.problems.insert(at, problem);
            }
            graph.needs.push(needs.list);
        }
        graph
    }

    /// Returns the items that the one at `item` needs itself, in the order in which it says so.
    pub fn needs(&self, item: usize) -> &[usize] {
        self.needs.get(item).map(Vec::as_slice).unwrap_or_default()
    }

    /// Returns why the item cannot be installed, if it refers to something that there is not.
    pub fn problem(&self, item: usize) -> Option<&Refusal> {
        self.problems.get(&item)
    }

    /// Returns the items that `selected` are and need, at any distance, each behind those that it needs; of items that need
    /// each other, the one that was selected first, or is needed first, is last.
    pub fn closure(&self, selected: &[usize]) -> Vec<usize> {
        let mut order = Vec::new();
        let mut seen: BTreeSet<usize> = BTreeSet::new();
        // Not by recursion: a chain may be as long as a source has items.
        let mut stack: Vec<(usize, usize)> = Vec::new();
        for start in selected {
            if !seen.insert(*start) {
                continue;
            }
            stack.push((*start, 0));
            while let Some((item, next)) = stack.pop() {
                let Some(need) = self.needs(item).get(next) else {
                    order.push(item);
                    continue;
                };
                stack.push((item, next + 1));
                if seen.insert(*need) {
                    stack.push((*need, 0));
                }
            }
        }
        order
    }
}

/// What one item needs, while it is read.
struct Needs {
    at: usize,
    seen: BTreeSet<usize>,
    list: Vec<usize>,
}

impl Needs {
    fn add(&mut self, item: usize) {
        if item != self.at && self.seen.insert(item) {
            self.list.push(item);
        }
    }

    fn read(&mut self, offered: &Offered, siblings: &Siblings<'_>) -> Result<(), Refusal> {
        // All that is right counts, also behind something that is not.
        let mut problem = None;
        for required in &offered.item.requires {
            match require(required, siblings) {
                Some(item) => self.add(item),
                None => {
                    problem.get_or_insert_with(|| unresolved(&offered.key, &format!("requires: {required}")));
                }
            }
        }
        for (_, file) in offered.content.iter().flat_map(ItemContent::files) {
            let Ok(text) = file.bytes.text() else { continue };
            for (at, token) in tokens(text) {
                if let Token::Name(name) = token {
                    siblings.named(name).iter().for_each(|item| self.add(*item));
                }
                if !siblings.means(token) {
                    let written = text.get(at).unwrap_or_default();
                    problem.get_or_insert_with(|| unresolved(&offered.key, written));
                }
            }
        }
        problem.map_or(Ok(()), Err)
    }
}

/// Returns the item that a head requires: a name, or a kind and a name, of which there is one.
pub(crate) fn require(required: &str, siblings: &Siblings<'_>) -> Option<usize> {
    match required.split_once(':') {
        Some((kind, name)) => siblings.only(Some(ItemKind::find(kind)?), name),
        None => siblings.only(None, required),
    }
}

/// Refuses an item that refers to something that there is not.
pub(crate) fn unresolved(key: &ItemKey, written: &str) -> Refusal {
    let message = format!("{key}: `{written}` means no item of its source, or several");
    Refusal::new(RefusalKind::UnresolvedReference, message)
}

#[cfg(test)]
mod tests;
