//! The dependencies between the items of a source.

use std::collections::{BTreeMap, BTreeSet};

use crate::source_items::OfferedItem;
use crate::tokens::{Token, tokens};
use crate::{ItemContent, ItemKey, ItemKind, Refusal, RefusalKind};

/// The dependencies between the items of one source, by their indices.
///
/// An item depends on what its front matter requires, and on what its text refers to with `{{ns:…}}`.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    /// The dependencies of each item, in the order in which it lists them.
    needs: Vec<Vec<usize>>,
    /// Why an item cannot be installed: its first unresolved reference.
    problems: BTreeMap<usize, Refusal>,
}

/// The items of one source by their names in the source.
#[derive(Debug)]
pub(crate) struct Siblings<'i> {
    items: &'i [OfferedItem],
    names: BTreeMap<&'i str, Vec<usize>>,
}

impl<'i> Siblings<'i> {
    pub(crate) fn of(items: &'i [OfferedItem]) -> Self {
        let mut names: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (at, offered) in items.iter().enumerate() {
            names.entry(offered.item.name.as_str()).or_default().push(at);
        }
        Self { items, names }
    }

    /// Returns the items with this name, of any kind.
    pub(crate) fn with_name(&self, name: &str) -> &[usize] {
        self.names.get(name).map(Vec::as_slice).unwrap_or_default()
    }

    /// Returns the only item with this name, and with this kind if one is given; `None` if there are none or
    /// several.
    pub(crate) fn find_unique(&self, kind: Option<ItemKind>, name: &str) -> Option<usize> {
        let matches_kind = |at: &&usize| {
            kind.is_none_or(|kind| self.items.get(**at).is_some_and(|offered| offered.item.kind == kind))
        };
        let mut found = self.with_name(name).iter().filter(matches_kind);
        match (found.next(), found.next()) {
            (Some(at), None) => Some(*at),
            _ => None,
        }
    }

    /// Returns the program of a tool, relative to its folder: its `bin`, else the file with the name of the
    /// tool.
    pub(crate) fn program(&self, name: &str) -> Option<(&'i OfferedItem, &'i str)> {
        let offered = self.items.get(self.find_unique(Some(ItemKind::Tool), name)?)?;
        if let Some(bin) = &offered.item.bin {
            // A path outside of the tool is not one of its programs.
            return minds_vfs::WorkspacePath::parse(bin).is_ok().then_some((offered, bin.as_str()));
        }
        match &offered.content {
            Ok(ItemContent::Folder(files)) => {
                let is_it = |path: &&minds_vfs::WorkspacePath| path.as_str() == name;
                files.keys().find(is_it).map(|path| (offered, path.as_str()))
            }
            _ => None,
        }
    }

    /// Returns whether a reference can be resolved.
    pub(crate) fn resolves(&self, token: Token<'_>) -> bool {
        match token {
            Token::Own => true,
            Token::Name(name) => !self.with_name(name).is_empty(),
            Token::Tool(name) => self.program(name).is_some(),
            Token::Path(kind, name) => self.find_unique(kind, name).is_some(),
        }
    }
}

impl Graph {
    /// Computes the dependencies between `items`, the items of one source. Takes time linear in their text.
    pub(crate) fn of(items: &[OfferedItem]) -> Self {
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

    /// Returns the direct dependencies of the item at `item`, in the order in which it lists them.
    pub fn needs(&self, item: usize) -> &[usize] {
        self.needs.get(item).map(Vec::as_slice).unwrap_or_default()
    }

    /// Returns why the item cannot be installed, if it has a reference that cannot be resolved.
    pub fn problem(&self, item: usize) -> Option<&Refusal> {
        self.problems.get(&item)
    }

    /// Returns `selected` and their transitive dependencies, each after those that it depends on. In a cycle,
    /// the item that was selected or required first comes last.
    pub fn closure(&self, selected: &[usize]) -> Vec<usize> {
        let mut order = Vec::new();
        let mut seen: BTreeSet<usize> = BTreeSet::new();
        // Not recursive: a chain may be as long as a source has items.
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

/// The dependencies of one item, while they are collected.
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

    fn read(&mut self, offered: &OfferedItem, siblings: &Siblings<'_>) -> Result<(), Refusal> {
        // References that can be resolved count, even after one that cannot.
        let mut problem = None;
        for required in &offered.item.requires {
            match resolve_requirement(required, siblings) {
                Some(item) => self.add(item),
                None => {
                    problem.get_or_insert_with(|| {
                        unresolved_reference(&offered.key, &format!("requires: {required}"))
                    });
                }
            }
        }
        for (_, file) in offered.content.iter().flat_map(ItemContent::files) {
            let Ok(text) = file.bytes.text() else { continue };
            for (at, token) in tokens(text) {
                if let Token::Name(name) = token {
                    siblings.with_name(name).iter().for_each(|item| self.add(*item));
                }
                if !siblings.resolves(token) {
                    let reference = text.get(at).unwrap_or_default();
                    problem.get_or_insert_with(|| unresolved_reference(&offered.key, reference));
                }
            }
        }
        problem.map_or(Ok(()), Err)
    }
}

/// Resolves an entry of `requires`: a name, or a kind and a name, which must be unique in the source.
pub(crate) fn resolve_requirement(required: &str, siblings: &Siblings<'_>) -> Option<usize> {
    match required.split_once(':') {
        Some((kind, name)) => siblings.find_unique(Some(ItemKind::find(kind)?), name),
        None => siblings.find_unique(None, required),
    }
}

/// Refuses an item with a reference that cannot be resolved.
pub(crate) fn unresolved_reference(key: &ItemKey, reference: &str) -> Refusal {
    let message = format!("{key}: `{reference}` does not match exactly one item of its source");
    Refusal::new(RefusalKind::UnresolvedReference, message)
}

#[cfg(test)]
mod tests;
