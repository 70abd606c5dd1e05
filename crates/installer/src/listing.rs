//! Listing offered and installed items.

use std::path::Path;

use minds_inventory::plan::InventoryContext;
use minds_inventory::{
    InstalledItem, Inventory, ProbeFilter, ProbeRow, RecallSource, Reference, Registry, RemoveRequest,
    TreeItem, probe_unmanaged, select_sources,
};
use minds_sources::ItemKind;

use crate::SourceError;
use crate::forget::find_unmanaged;
use crate::home::{Access, Home};
use crate::learn::{context, inventory, inventory_of_installed};

/// The offered items.
#[derive(Debug)]
pub struct ProbeReport {
    /// The items.
    pub rows: Vec<ProbeRow>,
    /// The number of registered sources.
    pub sources: usize,
    /// The errors of sources that could not be read.
    pub failures: Vec<SourceError>,
}

/// The arguments of [`recall`].
#[derive(Clone, Debug, Default)]
pub struct RecallRequest {
    /// For a tree: a reference, to list only the dependencies of one installed item.
    pub item: Option<String>,
    /// Only items of this kind.
    pub kind: Option<ItemKind>,
    /// Only items of matching sources: an identity, the end of one, or a pattern.
    pub source: Option<String>,
}

/// The registered sources with their items.
#[derive(Debug)]
pub struct RecallReport {
    /// The sources, in the order of their registration.
    pub sources: Vec<RecallSource>,
    /// The unmanaged items in agent homes: paths relative to a home, with the home.
    pub unmanaged: Vec<String>,
    /// The errors of sources that could not be read.
    pub failures: Vec<SourceError>,
}

/// The dependencies of installed items.
#[derive(Debug)]
pub struct TreeReport {
    /// The items on which no other one depends, with their dependencies.
    pub trees: Vec<TreeItem>,
    /// The trees as lines of text.
    pub lines: Vec<String>,
    /// The errors of sources that could not be read.
    pub failures: Vec<SourceError>,
}

/// Returns the items of the registered sources that pass the filter, followed by the unmanaged items in agent
/// homes.
///
/// # Errors
///
/// Fails if the source of the filter is unknown, or the data directory or an agent home cannot be read. A
/// source that cannot be read is reported in the result.
pub fn probe(directory: &Path, filter: &ProbeFilter) -> Result<ProbeReport, SourceError> {
    let loaded = LoadedSources::open(directory)?;
    let mut rows = minds_inventory::probe(&loaded.context(), filter)?;
    rows.extend(probe_unmanaged(find_unmanaged(&loaded.home)?.into_iter().map(|found| found.key), filter));
    Ok(ProbeReport { rows, sources: loaded.home.registry.sources.len(), failures: loaded.failures })
}

/// Returns the registered sources with their offered and installed items.
///
/// # Errors
///
/// Fails like [`probe`].
pub fn recall(directory: &Path, request: &RecallRequest) -> Result<RecallReport, SourceError> {
    let loaded = LoadedSources::at_installed(directory)?;
    let mut sources = minds_inventory::recall(&loaded.context(), request.kind);
    if let Some(wanted) = &request.source {
        let wanted = select_sources(wanted, &loaded.home.registry)?;
        sources.retain(|source| wanted.contains(&source.name));
    }
    for source in &mut sources {
        let name = source.name.as_str();
        let failure = loaded.failures.iter().find(|failure| failure.target() == Some(name));
        source.error = failure.map(ToString::to_string);
    }
    let mut unmanaged = Vec::new();
    if request.source.is_none() {
        let found = find_unmanaged(&loaded.home)?.into_iter();
        let of_kind = found.filter(|found| request.kind.is_none_or(|kind| kind == found.key.kind));
        unmanaged = of_kind.map(|found| found.at.to_string()).collect();
    }
    Ok(RecallReport { sources, unmanaged, failures: loaded.failures })
}

/// Returns the record of an installed item.
///
/// # Errors
///
/// Fails if no installed item matches, or several do.
pub fn recall_item(directory: &Path, item: &str) -> Result<InstalledItem, SourceError> {
    let home = Home::open(directory, Access::Read)?;
    let reference = Reference::parse(item)?;
    let request = RemoveRequest::by_reference(&home.installed, &reference, false)?;
    let mut found = request.items.iter().filter_map(|key| home.installed.get(key));
    if let (Some(item), None) = (found.next(), found.next()) {
        return Ok(item.clone());
    }
    let kind = minds_sources::RefusalKind::Ambiguous;
    Err(minds_sources::Refusal::new(kind, format!("`{item}` matches several installed items")).into())
}

/// Returns the registered sources.
///
/// # Errors
///
/// Fails if the data directory cannot be read.
pub fn recall_sources(directory: &Path) -> Result<Registry, SourceError> {
    Ok(Home::open(directory, Access::Read)?.registry)
}

/// Returns the dependencies of the installed items, as values and as lines. An item on which another
/// depends occurs only below that one.
///
/// # Errors
///
/// Fails like [`probe`], and if no installed item matches, or several match and the reference is not a
/// pattern.
pub fn recall_tree(directory: &Path, request: &RecallRequest) -> Result<TreeReport, SourceError> {
    let loaded = LoadedSources::open(directory)?;
    let wanted = match &request.source {
        Some(wanted) => Some(select_sources(wanted, &loaded.home.registry)?),
        None => None,
    };
    let selected = match &request.item {
        Some(item) => {
            let reference = Reference::parse(item)?;
            Some(RemoveRequest::by_reference(&loaded.home.installed, &reference, false)?.items)
        }
        None => None,
    };
    let is_wanted = |item: &&InstalledItem| {
        selected.as_ref().is_none_or(|selected| selected.contains(&item.key))
            && request.kind.is_none_or(|kind| kind == item.key.kind)
            && wanted.as_ref().is_none_or(|wanted| wanted.contains(&item.source))
    };
    let items = loaded.home.installed.items.values().filter(is_wanted);
    let roots: Vec<_> =
        items.filter_map(|item| loaded.inventory.of(&item.source, &item.key)).map(|(at, _)| at).collect();
    let roots = minds_inventory::roots(&loaded.inventory, &roots);
    let trees = minds_inventory::trees(&loaded.inventory, &roots);
    let lines = minds_inventory::tree_lines(&loaded.inventory, &roots);
    Ok(TreeReport { trees, lines, failures: loaded.failures })
}

/// The data directory, and what the sources offer.
pub(crate) struct LoadedSources {
    pub(crate) home: Home,
    pub(crate) inventory: Inventory,
    pub(crate) failures: Vec<SourceError>,
}

impl LoadedSources {
    pub(crate) fn open(directory: &Path) -> Result<Self, SourceError> {
        Ok(Self::of(Home::open(directory, Access::Read)?))
    }

    /// Opens the data directory, with content only for installed items.
    pub(crate) fn at_installed(directory: &Path) -> Result<Self, SourceError> {
        let home = Home::open(directory, Access::Read)?;
        let mut failures = Vec::new();
        let inventory = inventory_of_installed(&home, &mut None, &mut failures);
        Ok(Self { home, inventory, failures })
    }

    pub(crate) fn of(home: Home) -> Self {
        let mut failures = Vec::new();
        let inventory = inventory(&home, &mut None, &mut failures);
        Self { home, inventory, failures }
    }

    pub(crate) fn context(&self) -> InventoryContext<'_> {
        context(&self.home, &self.inventory)
    }
}
