//! The items that all registered sources offer, under the names under which they are installed.

use std::collections::BTreeMap;

use minds_vfs::ContentHash;

use crate::dependencies::Graph;
use crate::{Catalog, Identity, Item, ItemContent, ItemKey, Prefix, Refusal, RefusalKind};

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

/// The items that one source offers.
#[derive(Clone, Debug)]
pub struct SourceItems {
    /// The source.
    pub identity: Identity,
    /// The prefix of the names of its items.
    pub prefix: Option<Prefix>,
    /// The commit that was read.
    pub commit: Option<String>,
    /// The items, in discovery order.
    pub items: Vec<OfferedItem>,
    /// The dependencies between them.
    pub graph: Graph,
}

/// An item that a source offers.
#[derive(Clone, Debug)]
pub struct OfferedItem {
    /// The item as its source describes it.
    pub item: Item,
    /// Its kind and the name under which it is installed.
    pub key: ItemKey,
    /// Its content, or why it cannot be installed.
    pub content: Result<ItemContent, Refusal>,
    /// The hash of the content, if there is any.
    pub hash: Option<ContentHash>,
}

impl SourceItems {
    /// Creates the inventory of one source. `contents` are the contents of the items of `catalog`, in the
    /// same order. An item without content is offered, and refused on installation.
    pub fn new(
        identity: Identity,
        prefix: Option<Prefix>,
        commit: Option<String>,
        catalog: Catalog,
        contents: impl IntoIterator<Item = Result<ItemContent, Refusal>>,
    ) -> Self {
        let mut contents = contents.into_iter();
        let missing = || Err(Refusal::new(RefusalKind::BadContent, "its files were not read"));
        let offered = |item: Item| {
            let mut content = contents.next().unwrap_or_else(missing);
            let mut key = item.key();
            match item.name.with_prefix(prefix.as_ref()) {
                Ok(name) => key.name = name,
                Err(error) => {
                    let message = format!(
                        "{key} cannot be installed under this name with the prefix of its source: {error}"
                    );
                    content = Err(Refusal::new(RefusalKind::BadName, message));
                }
            }
            let hash = content.as_ref().ok().map(ItemContent::hash);
            OfferedItem { item, key, content, hash }
        };
        let items: Vec<OfferedItem> = catalog.items.into_iter().map(offered).collect();
        let graph = Graph::of(&items);
        Self { identity, prefix, commit, items, graph }
    }
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
