//! The items of one source with their content, under the names under which they are installed.

use minds_vfs::ContentHash;

use crate::dependencies::Graph;
use crate::{Catalog, Identity, Item, ItemContent, ItemKey, Prefix, Refusal, RefusalKind};

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
