//! All that the melded sources offer, under the names that it is installed under.

use std::collections::BTreeMap;

use minds_document::ContentHash;

use crate::dependencies::Graph;
use crate::{Catalog, Identity, Item, ItemContent, ItemKey, Prefix, Refusal, RefusalKind};

/// Where an item stands in an [`Inventory`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position {
    /// Which source.
    pub source: usize,
    /// Which of its items.
    pub item: usize,
}

/// What the melded sources offer, in the order of the registry, with an index of names.
#[derive(Clone, Debug, Default)]
pub struct Inventory {
    sources: Vec<SourceItems>,
    index: BTreeMap<ItemKey, Vec<Position>>,
}

/// What one source offers.
#[derive(Clone, Debug)]
pub struct SourceItems {
    /// Which source.
    pub identity: Identity,
    /// What the names of its items begin with.
    pub prefix: Option<Prefix>,
    /// The commit that was read.
    pub commit: Option<String>,
    /// The items, in the order in which they were discovered.
    pub items: Vec<Offered>,
    /// Which of them need which.
    pub graph: Graph,
}

/// An item that a source offers.
#[derive(Clone, Debug)]
pub struct Offered {
    /// What the source says of it.
    pub item: Item,
    /// Its kind and the name that it is installed under.
    pub key: ItemKey,
    /// What it consists of, or why it cannot be installed.
    pub content: Result<ItemContent, Refusal>,
    /// The hash of the content; none if there is none.
    pub hash: Option<ContentHash>,
}

impl SourceItems {
    /// Returns what a source offers: `contents` are those of the items of `catalog`, in its order. An item without a content
    /// is offered, and refused when it is to be installed.
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
                    let message = format!("{key} cannot be called so with the prefix of its source: {error}");
                    content = Err(Refusal::new(RefusalKind::BadName, message));
                }
            }
            let hash = content.as_ref().ok().map(ItemContent::hash);
            Offered { item, key, content, hash }
        };
        let items: Vec<Offered> = catalog.items.into_iter().map(offered).collect();
        let graph = Graph::of(&items);
        Self { identity, prefix, commit, items, graph }
    }
}

impl Inventory {
    /// Returns what these sources offer together.
    pub fn new(sources: Vec<SourceItems>) -> Self {
        let mut index: BTreeMap<ItemKey, Vec<Position>> = BTreeMap::new();
        for (source, items) in sources.iter().enumerate() {
            for (item, offered) in items.items.iter().enumerate() {
                index.entry(offered.key.clone()).or_default().push(Position { source, item });
            }
        }
        Self { sources, index }
    }

    /// Returns the sources, in the order of the registry; those that could not be read are not among them.
    pub fn sources(&self) -> &[SourceItems] {
        &self.sources
    }

    /// Returns the source of this identity.
    pub fn find(&self, identity: &Identity) -> Option<&SourceItems> {
        self.sources.iter().find(|source| source.identity == *identity)
    }

    /// Returns what stands at a position.
    pub fn get(&self, at: Position) -> Option<(&SourceItems, &Offered)> {
        let source = self.sources.get(at.source)?;
        Some((source, source.items.get(at.item)?))
    }

    /// Returns all items with their positions, source by source.
    pub fn iter(&self) -> impl Iterator<Item = (Position, &SourceItems, &Offered)> {
        self.sources.iter().enumerate().flat_map(|(source, items)| {
            let at = move |(item, offered)| (Position { source, item }, items, offered);
            items.items.iter().enumerate().map(at)
        })
    }

    /// Returns where items of this kind and name are offered.
    pub fn positions(&self, key: &ItemKey) -> &[Position] {
        self.index.get(key).map(Vec::as_slice).unwrap_or_default()
    }

    /// Returns the item that `source` offers under this kind and name.
    pub fn of(&self, source: &Identity, key: &ItemKey) -> Option<(Position, &Offered)> {
        self.positions(key).iter().find_map(|at| {
            let (items, offered) = self.get(*at)?;
            (items.identity == *source).then_some((*at, offered))
        })
    }
}
