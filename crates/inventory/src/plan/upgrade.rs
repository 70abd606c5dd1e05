//! Comparing installed items with their sources.

use std::collections::BTreeMap;

use minds_sources::{ItemKey, Renderer};

use super::step::Reason;
use super::{InstallRequest, InventoryContext};
use crate::{InstalledItem, LobeMode, Placement, Position, placement};

/// The difference between an installed item and its source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Staleness {
    /// None: its source offers exactly what is installed.
    Current,
    /// Its source offers other content, or it is missing in an agent home.
    Outdated(Position),
    /// It would now be installed under another name.
    Renamed(Position, ItemKey),
    /// Its source no longer offers it.
    Dropped,
    /// Its source could not be read.
    Unknown,
}

/// Compares each installed item with its source, sorted by kind and name.
pub fn staleness(context: &InventoryContext<'_>) -> BTreeMap<ItemKey, Staleness> {
    let mut origins = BTreeMap::new();
    for (at, source, offered) in context.inventory.iter() {
        origins.insert((&source.identity, offered.item.kind, &offered.item.name), at);
    }
    let data_directory = context.home.display_with_home(context.user_home);
    let mut renderers: BTreeMap<usize, Renderer<'_>> = BTreeMap::new();
    let mut of = |item: &InstalledItem| -> Staleness {
        let Some(at) = origins.get(&(&item.source, item.key.kind, &item.bare_name)).copied() else {
            let is_known = context.inventory.find(&item.source).is_some();
            return if is_known { Staleness::Dropped } else { Staleness::Unknown };
        };
        let Some((source, offered)) = context.inventory.get(at) else { return Staleness::Unknown };
        if offered.key != item.key {
            return Staleness::Renamed(at, offered.key.clone());
        }
        if offered.hash != Some(item.hash) || offered.item.link != item.link || lacks_home(context, item) {
            return Staleness::Outdated(at);
        }
        // An item may be rendered differently, although its own files did not change, if an item that it
        // refers to was renamed.
        let renderer =
            renderers.entry(at.source).or_insert_with(|| Renderer::new(source, data_directory.as_str()));
        match renderer.hash(offered) {
            Ok(hash) if hash == item.rendered => Staleness::Current,
            _ => Staleness::Outdated(at),
        }
    };
    context.installed.items.values().map(|item| (item.key.clone(), of(item))).collect()
}

/// Returns whether the item is not placed in an agent home, because the home was added later.
fn lacks_home(context: &InventoryContext<'_>, item: &InstalledItem) -> bool {
    let place = placement(item.key.kind, &item.key.name, item.link.as_ref()).ok().flatten();
    place.is_some_and(|place| {
        context.lobes.iter().any(|lobe| match (item.placed.get(&lobe.path.join(&place)), lobe.mode) {
            (Some(Placement::Link), LobeMode::Link) | (Some(Placement::Copy(_)), LobeMode::Copy) => false,
            (Some(_) | None, _) => true,
        })
    })
}

/// Creates a request that upgrades all installed items for which `is_wanted` returns true, with new
/// dependencies.
pub fn upgrade_request(
    context: &InventoryContext<'_>,
    is_forced: bool,
    is_wanted: impl Fn(&InstalledItem) -> bool,
) -> InstallRequest {
    let stale = staleness(context);
    let positions = stale.iter().filter_map(|(key, staleness)| match staleness {
        Staleness::Outdated(at) | Staleness::Renamed(at, _) => Some((*at, context.installed.get(key)?)),
        Staleness::Current | Staleness::Dropped | Staleness::Unknown => None,
    });
    let selected: Vec<(Position, Reason)> =
        positions.filter(|(_, item)| is_wanted(item)).map(|(at, _)| (at, Reason::Outdated)).collect();
    InstallRequest::of(context, &selected, is_forced)
}
