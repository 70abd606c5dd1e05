//! What is offered.

use minds_document::ContentHash;
use serde::Serialize;

use crate::plan::World;
use crate::reference::select_sources;
use crate::{Identity, ItemKind, Refusal};

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

/// An item that is offered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ProbeRow {
    /// Whether it is installed, from this source.
    pub installed: bool,
    /// The word for its kind.
    pub kind: String,
    /// The name that it is installed under.
    pub name: String,
    /// Its source.
    pub source: String,
    /// A text that changes with what the source offers; none if that could not be read.
    pub hash: Option<String>,
    /// What it is for, as its author says.
    pub description: Option<String>,
    /// What it needs; left out if it needs nothing.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub dependencies: Vec<String>,
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
    let query = filter.query.as_ref().map(|query| query.to_lowercase());
    let is_shown = |source: &Identity| sources.as_ref().is_none_or(|sources| sources.contains(source));
    let mut rows = Vec::new();
    for (at, source, offered) in world.inventory.iter() {
        if !is_shown(&source.identity) || filter.kind.is_some_and(|kind| kind != offered.key.kind) {
            continue;
        }
        let description = offered.item.description.as_deref();
        if let Some(query) = &query {
            let has = |text: &str| text.to_lowercase().contains(query);
            if !has(offered.key.name.as_str()) && !description.is_some_and(has) {
                continue;
            }
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
        });
    }
    // Rows with the same kind and name stay in the order of their sources.
    rows.sort_by(|a, b| (&a.kind, &a.name).cmp(&(&b.kind, &b.name)));
    Ok(rows)
}

#[cfg(test)]
mod tests;
