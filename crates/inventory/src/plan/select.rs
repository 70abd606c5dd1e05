//! Selecting the items to install.

use std::collections::{BTreeMap, BTreeSet};

use minds_sources::{Identity, Item, ItemKey, ItemKind, Refusal};

use super::InventoryContext;
use super::step::Reason;
use crate::{AbsolutePath, InstalledItem, InstalledItems, Position, Reference, placement};

/// An item to install, with the reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SelectedItem {
    /// Its position.
    pub at: Position,
    /// The reason.
    pub reason: Reason,
}

/// The items to install, each after its dependencies.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InstallRequest {
    /// The items.
    pub items: Vec<SelectedItem>,
    /// Whether foreign and modified files are replaced.
    pub is_forced: bool,
}

impl InstallRequest {
    /// Creates a request for these items and all their dependencies, each once.
    pub fn of(context: &InventoryContext<'_>, selected: &[(Position, Reason)], is_forced: bool) -> Self {
        let mut by_source: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        let mut reasons: BTreeMap<Position, Reason> = BTreeMap::new();
        // Sources in the order in which they are first selected.
        let mut sources = Vec::new();
        for (at, reason) in selected {
            let items = by_source.entry(at.source).or_insert_with(|| {
                sources.push(at.source);
                Vec::new()
            });
            items.push(at.item);
            reasons.entry(*at).or_insert(*reason);
        }
        let mut items = Vec::new();
        for source in sources {
            let Some(offered) = context.inventory.sources().get(source) else { continue };
            let wanted = by_source.get(&source).map(Vec::as_slice).unwrap_or_default();
            for item in offered.graph.closure(wanted) {
                let at = Position { source, item };
                let reason = reasons.get(&at).copied().unwrap_or(Reason::Needed);
                items.push(SelectedItem { at, reason });
            }
        }
        Self { items, is_forced }
    }

    /// Creates a request for the items that `reference` matches, and all their dependencies.
    ///
    /// # Errors
    ///
    /// Fails if no item matches, or several match and the reference is not a pattern.
    pub fn by_reference(
        context: &InventoryContext<'_>,
        reference: &Reference,
        is_forced: bool,
    ) -> Result<Self, Refusal> {
        let found = reference.select(context.inventory)?;
        let selected: Vec<_> = found.into_iter().map(|at| (at, Reason::Selected)).collect();
        Ok(Self::of(context, &selected, is_forced))
    }

    /// Creates a request for everything that a source offers.
    pub fn all_of_source(context: &InventoryContext<'_>, source: &Identity, is_forced: bool) -> Self {
        let items = context.inventory.iter().filter(|(_, items, _)| items.identity == *source);
        let selected: Vec<_> = items.map(|(at, ..)| (at, Reason::Selected)).collect();
        Self::of(context, &selected, is_forced)
    }

    /// Creates a request for some items of a source, by their names in the source, as in `install-items`.
    /// Also returns the names that the source does not offer.
    pub fn subset(
        context: &InventoryContext<'_>,
        source: &Identity,
        wanted: &[ItemKey],
        is_forced: bool,
    ) -> (Self, Vec<ItemKey>) {
        let mut bare: BTreeMap<ItemKey, Position> = BTreeMap::new();
        for (at, items, offered) in context.inventory.iter() {
            if items.identity == *source {
                bare.insert(offered.item.key(), at);
            }
        }
        let missing = wanted.iter().filter(|key| !bare.contains_key(key)).cloned().collect();
        let found = wanted.iter().filter_map(|key| bare.get(key));
        let selected: Vec<_> = found.map(|at| (*at, Reason::Selected)).collect();
        (Self::of(context, &selected, is_forced), missing)
    }

    /// Returns whether the request has items that were not selected but are dependencies.
    pub fn has_dependencies(&self) -> bool {
        self.items.iter().any(|selected| selected.reason == Reason::Needed)
    }

    /// Appends the items of another request, each once.
    pub fn append(&mut self, other: Self) {
        let mut indices: BTreeMap<Position, usize> =
            self.items.iter().enumerate().map(|(index, selected)| (selected.at, index)).collect();
        for selected in other.items {
            match indices.get(&selected.at).and_then(|index| self.items.get_mut(*index)) {
                None => {
                    indices.insert(selected.at, self.items.len());
                    self.items.push(selected);
                }
                Some(earlier) if earlier.reason == Reason::Needed => earlier.reason = selected.reason,
                Some(_) => {}
            }
        }
        self.is_forced |= other.is_forced;
    }

    /// Returns the paths whose occupants are needed for planning: where the items go in the agent homes and
    /// the store, and where they were placed before.
    pub fn places(&self, context: &InventoryContext<'_>) -> BTreeSet<AbsolutePath> {
        let origins = Origins::of(context.installed);
        let mut places = BTreeSet::new();
        for selected in &self.items {
            let Some((source, offered)) = context.inventory.get(selected.at) else { continue };
            places.insert(context.store_path(&offered.key));
            if let Ok(Some(path)) = placement(offered.key.kind, &offered.key.name, offered.item.link.as_ref())
            {
                places.extend(context.lobes.iter().map(|lobe| lobe.path.join(&path)));
            }
            for item in origins.installed_from(&source.identity, &offered.item) {
                places.insert(context.store_path(&item.key));
                places.extend(item.placed.keys().cloned());
            }
        }
        places
    }
}

/// The installed items by source and by kind and name in the source, independent of their current names.
#[derive(Debug)]
pub(super) struct Origins<'i>(
    BTreeMap<&'i str, BTreeMap<ItemKind, BTreeMap<&'i str, Vec<&'i InstalledItem>>>>,
);

impl<'i> Origins<'i> {
    pub(super) fn of(installed: &'i InstalledItems) -> Self {
        let mut origins = Self(BTreeMap::new());
        for item in installed.items.values() {
            let kinds = origins.0.entry(item.source.as_str()).or_default();
            let names = kinds.entry(item.key.kind).or_default();
            names.entry(item.bare_name.as_str()).or_default().push(item);
        }
        origins
    }

    /// Returns the items that are installed from this item of this source.
    pub(super) fn installed_from(&self, source: &Identity, item: &Item) -> &[&'i InstalledItem] {
        let kinds = self.0.get(source.as_str());
        let names = kinds.and_then(|kinds| kinds.get(&item.kind));
        names.and_then(|names| names.get(item.name.as_str())).map(Vec::as_slice).unwrap_or_default()
    }
}
