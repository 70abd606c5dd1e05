//! The list of offered items.

use std::collections::BTreeSet;

use minds_sources::{Identity, ItemKey, ItemKind, Refusal};
use minds_vfs::ContentHash;
use schemars::JsonSchema;
use serde::Serialize;

use crate::plan::InventoryContext;
use crate::reference::select_sources;

/// A filter for the listed items.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProbeFilter {
    /// A substring of the name or the description, ignoring case.
    pub query: Option<String>,
    /// The kind.
    pub kind: Option<ItemKind>,
    /// The source: an identity, the end of one, or a pattern.
    pub source: Option<String>,
}

impl ProbeFilter {
    /// Returns whether an item passes the filter by its kind, its name and its description.
    fn passes(&self, key: &ItemKey, description: Option<&str>) -> bool {
        let has = |text: &str| {
            self.query.as_ref().is_none_or(|query| text.to_lowercase().contains(&query.to_lowercase()))
        };
        self.kind.is_none_or(|kind| kind == key.kind)
            && (has(key.name.as_str()) || description.is_some_and(has))
    }
}

/// An item that is offered, or an unmanaged one in an agent home.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ProbeRow {
    /// Its dependencies; omitted if there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub dependencies: Vec<ItemKey>,
    /// The purpose of the item, in the words of its author.
    pub description: Option<String>,
    /// A hash of the offered content; `null` if the content could not be read, and for an unmanaged item.
    pub hash: Option<String>,
    /// Whether it is installed from this source.
    pub installed: bool,
    /// Its kind.
    pub kind: ItemKind,
    /// The name under which it is installed.
    pub name: String,
    /// Its source; empty for an unmanaged item.
    pub source: String,
    /// Whether it is in an agent home and was not installed by this program; omitted if not.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub unmanaged: bool,
}

/// Returns the offered items that pass the filter, sorted by kind and name, and for the same kind and name in
/// the order of the registry.
///
/// # Errors
///
/// Fails if the source of the filter is unknown or ambiguous.
pub fn probe(context: &InventoryContext<'_>, filter: &ProbeFilter) -> Result<Vec<ProbeRow>, Refusal> {
    let sources = match &filter.source {
        Some(wanted) => Some(select_sources(wanted, context.registry)?),
        None => None,
    };
    let is_shown = |source: &Identity| sources.as_ref().is_none_or(|sources| sources.contains(source));
    let mut rows = Vec::new();
    for (at, source, offered) in context.inventory.iter() {
        if !is_shown(&source.identity) || !filter.passes(&offered.key, offered.item.description.as_deref()) {
            continue;
        }
        let needs = source.graph.needs(at.item).iter().filter_map(|need| source.items.get(*need));
        let installed = context.installed.get(&offered.key);
        rows.push(ProbeRow {
            installed: installed.is_some_and(|item| item.source == source.identity),
            kind: offered.key.kind,
            name: offered.key.name.to_string(),
            source: source.identity.to_string(),
            hash: offered.hash.map(|hash: ContentHash| hash.to_string()),
            description: offered.item.description.clone(),
            dependencies: needs.map(|need| need.key.clone()).collect(),
            unmanaged: false,
        });
    }
    // The sort is stable, so rows with the same kind and name stay in the order of their sources.
    rows.sort_by(|a, b| (a.kind.name(), &a.name).cmp(&(b.kind.name(), &b.name)));
    Ok(rows)
}

/// Returns rows for unmanaged items in agent homes, each name once, sorted by kind and name. They have no
/// source, so they never pass a filter by source.
pub fn probe_unmanaged(keys: impl IntoIterator<Item = ItemKey>, filter: &ProbeFilter) -> Vec<ProbeRow> {
    let is_shown = |key: &ItemKey| filter.source.is_none() && filter.passes(key, None);
    let items: BTreeSet<(&str, ItemKey)> =
        keys.into_iter().filter(is_shown).map(|key| (key.kind.name(), key)).collect();
    let row = |(_, key): (&str, ItemKey)| ProbeRow {
        installed: false,
        kind: key.kind,
        name: key.name.to_string(),
        source: String::new(),
        hash: None,
        description: None,
        dependencies: Vec::new(),
        unmanaged: true,
    };
    items.into_iter().map(row).collect()
}
