//! The items that all registered sources offer, under the names under which they are installed.

use std::collections::BTreeMap;

use minds_sources::{Identity, ItemKey, OfferedItem, SourceItems};

/// The position of an item in an [`Inventory`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position {
    /// The index of the source.
    pub source: usize,
    /// The index of the item in its source.
    pub item: usize,
}

/// The items that the registered sources offer, in the order of the registry, with an index by name.
#[derive(Clone, Debug, Default)]
pub struct Inventory {
    sources: Vec<SourceItems>,
    index: BTreeMap<ItemKey, Vec<Position>>,
}

impl Inventory {
    /// Creates an inventory of these sources.
    pub fn new(sources: Vec<SourceItems>) -> Self {
        let mut index: BTreeMap<ItemKey, Vec<Position>> = BTreeMap::new();
        for (source, items) in sources.iter().enumerate() {
            for (item, offered) in items.items.iter().enumerate() {
                index.entry(offered.key.clone()).or_default().push(Position { source, item });
            }
        }
        Self { sources, index }
    }

    /// Returns the sources in the order of the registry, without those that could not be read.
    pub fn sources(&self) -> &[SourceItems] {
        &self.sources
    }

    /// Returns the source with this identity.
    pub fn find(&self, identity: &Identity) -> Option<&SourceItems> {
        self.sources.iter().find(|source| source.identity == *identity)
    }

    /// Returns the item at a position, with its source.
    pub fn get(&self, at: Position) -> Option<(&SourceItems, &OfferedItem)> {
        let source = self.sources.get(at.source)?;
        Some((source, source.items.get(at.item)?))
    }

    /// Iterates over all items with their positions, source by source.
    pub fn iter(&self) -> impl Iterator<Item = (Position, &SourceItems, &OfferedItem)> {
        self.sources.iter().enumerate().flat_map(|(source, items)| {
            let at = move |(item, offered)| (Position { source, item }, items, offered);
            items.items.iter().enumerate().map(at)
        })
    }

    /// Returns the positions at which items of this kind and name are offered.
    pub fn positions(&self, key: &ItemKey) -> &[Position] {
        self.index.get(key).map(Vec::as_slice).unwrap_or_default()
    }

    /// Returns the item that `source` offers under this kind and name.
    pub fn of(&self, source: &Identity, key: &ItemKey) -> Option<(Position, &OfferedItem)> {
        self.positions(key).iter().find_map(|at| {
            let (items, offered) = self.get(*at)?;
            (items.identity == *source).then_some((*at, offered))
        })
    }
}
