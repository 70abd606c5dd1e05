//! What is offered.

use std::collections::BTreeSet;

use minds_document::ContentHash;
use serde::Serialize;

use crate::plan::World;
use crate::reference::select_sources;
use crate::{Identity, ItemKey, ItemKind, Refusal};

/// Which items are shown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProbeFilter {
    /// A text that the name or the description has, whatever the letter case.
    pub query: Option<String>,
    /// The kind.
    pub kind: Option<ItemKind>,
    /// The source: an identity, the end of one, or a pattern.
    pub source: Option<String>,
}

impl ProbeFilter {
    /// Returns whether an item passes, as far as that depends on its kind, its name and what it is for.
    fn passes(&self, key: &ItemKey, description: Option<&str>) -> bool {
        let has = |text: &str| {
            self.query.as_ref().is_none_or(|query| text.to_lowercase().contains(&query.to_lowercase()))
        };
        self.kind.is_none_or(|kind| kind == key.kind)
            && (has(key.name.as_str()) || description.is_some_and(has))
    }
}

/// An item that is offered, or lies in an agent home and is nobody's.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ProbeRow {
    /// Whether it is installed, from this source.
    pub installed: bool,
    /// The word for its kind.
    pub kind: String,
    /// The name that it is installed under.
    pub name: String,
    /// Its source; empty for what is nobody's.
    pub source: String,
    /// A text that changes with what the source offers; none if that could not be read, and for what is nobody's.
    pub hash: Option<String>,
    /// What it is for, as its author says.
    pub description: Option<String>,
    /// What it needs; left out if it needs nothing.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub dependencies: Vec<String>,
    /// Whether it lies in an agent home and was not installed here; left out if not.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub unmanaged: bool,
}

/// Returns what is offered and passes the filter, in order of kind and name; of the same kind and name, in the
/// order of the registry.
///
/// # Errors
///
/// Fails if the filter names a source that there is not, or several.
pub fn probe(world: &World<'_>, filter: &ProbeFilter) -> Result<Vec<ProbeRow>, Refusal> {
    let sources = match &filter.source {
        Some(wanted) => Some(select_sources(wanted, world.registry)?),
        None => None,
    };
    let is_shown = |source: &Identity| sources.as_ref().is_none_or(|sources| sources.contains(source));
    let mut rows = Vec::new();
    for (at, source, offered) in world.inventory.iter() {
        if !is_shown(&source.identity) || !filter.passes(&offered.key, offered.item.description.as_deref()) {
            continue;
        }
        let needs = source.graph.needs(at.item).iter().filter_map(|need| source.items.get(*need));
        let installed = world.installed.get(&offered.key);
        rows.push(ProbeRow {
            installed: installed.is_some_and(|item| item.source == source.identity),
            kind: offered.key.kind.to_string(),
            name: offered.key.name.to_string(),
            source: source.identity.to_string(),
            hash: offered.hash.map(|hash: ContentHash| hash.to_string()),
            description: offered.item.description.clone(),
            dependencies: needs.map(|need| need.key.to_string()).collect(),
            unmanaged: false,
        });
    }
    // Rows with the same kind and name stay in the order of their sources.
    rows.sort_by(|a, b| (&a.kind, &a.name).cmp(&(&b.kind, &b.name)));
    Ok(rows)
}

/// Returns rows for what lies in agent homes and was not installed here, each name once, in order of kind and name. It has no
/// source, so none passes a filter that names one.
pub fn probe_unmanaged(keys: impl IntoIterator<Item = ItemKey>, filter: &ProbeFilter) -> Vec<ProbeRow> {
    let is_shown = |key: &ItemKey| filter.source.is_none() && filter.passes(key, None);
    let names: BTreeSet<(String, String)> =
        keys.into_iter().filter(is_shown).map(|key| (key.kind.to_string(), key.name.to_string())).collect();
    let row = |(kind, name)| ProbeRow {
        installed: false,
        kind,
        name,
        source: String::new(),
        hash: None,
        description: None,
        dependencies: Vec::new(),
        unmanaged: true,
    };
    names.into_iter().map(row).collect()
}

#[cfg(test)]
mod tests;
