//! The list of sources and their items, installed or not.

use std::collections::BTreeSet;

use minds_sources::{Identity, ItemKey, ItemKind};
use schemars::JsonSchema;
use serde::Serialize;

use crate::RegisteredSource;
use crate::plan::{InventoryContext, Staleness, staleness};

/// The state of an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecallState {
    /// It is installed and up to date.
    Current,
    /// Its source offers other content, or another name.
    Outdated,
    /// It is offered and not installed.
    Available,
    /// It is installed and no longer offered.
    Removed,
    /// It is installed, and its source could not be read.
    Unknown,
}

/// An item of a source.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct RecallItem {
    /// The commit from which it is installed, empty if its source has no commits; `null` if it is not
    /// installed.
    pub commit: Option<String>,
    /// Whether it is installed from this source.
    pub installed: bool,
    /// Its kind and name.
    pub key: ItemKey,
    /// Whether it is installed and no longer offered; omitted if not.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub orphaned: bool,
    /// Its state.
    #[serde(skip)]
    pub state: RecallState,
    /// Its purpose.
    #[serde(skip)]
    pub description: Option<String>,
}

/// A source with its items.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct RecallSource {
    /// The prefix that overrides its own; empty for no prefix.
    pub alias: Option<String>,
    /// The commit that is used.
    pub commit: Option<String>,
    /// Why it could not be read; omitted if it could.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// Its items, sorted by kind and name.
    pub items: Vec<RecallItem>,
    /// Its identity.
    pub name: Identity,
    /// The URL or path from which it is read.
    pub url: String,
    /// The number of its hooks that were offered and never ran.
    #[serde(skip)]
    pub pending_hooks: usize,
    /// The purpose of the source.
    #[serde(skip)]
    pub description: Option<String>,
}

impl RecallState {
    /// Returns the symbol for the state.
    pub const fn symbol(self) -> char {
        match self {
            Self::Current => '+',
            Self::Outdated => '^',
            Self::Available => '-',
            Self::Removed => '!',
            Self::Unknown => '?',
        }
    }
}

/// Returns the registered sources in the order of the registry, each with its offered and installed items.
/// With `kind`, only items of that kind are listed.
pub fn recall(context: &InventoryContext<'_>, kind: Option<ItemKind>) -> Vec<RecallSource> {
    let changes = staleness(context);
    let mut rows: Vec<RecallSource> = context.registry.sources.iter().map(source_row).collect();
    for row in &mut rows {
        let is_shown = |key: &ItemKey| kind.is_none_or(|kind| kind == key.kind);
        let mut listed: BTreeSet<ItemKey> = BTreeSet::new();
        for item in context.installed.of(&row.name).filter(|item| is_shown(&item.key)) {
            let state = match changes.get(&item.key) {
                Some(Staleness::Current) => RecallState::Current,
                Some(Staleness::Outdated(_)) => RecallState::Outdated,
                Some(Staleness::Renamed(_, key)) => {
                    listed.insert(key.clone());
                    RecallState::Outdated
                }
                Some(Staleness::Dropped) => RecallState::Removed,
                Some(Staleness::Unknown) | None => RecallState::Unknown,
            };
            listed.insert(item.key.clone());
            row.items.push(RecallItem {
                key: item.key.clone(),
                installed: true,
                commit: Some(item.commit.clone().unwrap_or_default()),
                orphaned: state == RecallState::Removed,
                state,
                description: item.description.clone(),
            });
        }
        let offered =
            context.inventory.find(&row.name).map(|items| items.items.as_slice()).unwrap_or_default();
        for item in offered.iter().filter(|item| is_shown(&item.key) && !listed.contains(&item.key)) {
            row.items.push(RecallItem {
                key: item.key.clone(),
                installed: false,
                commit: None,
                orphaned: false,
                state: RecallState::Available,
                description: item.item.description.clone(),
            });
        }
        // Sorted by the name of the kind, like the list of offered items.
        row.items.sort_by_cached_key(|item| (item.key.kind.to_string(), item.key.name.to_string()));
    }
    rows
}

fn source_row(source: &RegisteredSource) -> RecallSource {
    RecallSource {
        name: source.identity.clone(),
        url: source.url().to_owned(),
        commit: source.commit.clone(),
        alias: match &source.alias {
            crate::Alias::Declared => None,
            crate::Alias::None => Some(String::new()),
            crate::Alias::Prefix(prefix) => Some(prefix.to_string()),
        },
        items: Vec::new(),
        error: None,
        pending_hooks: source
            .install_hooks
            .iter()
            .filter(|hook| hook.is_pending(source.commit.as_deref()))
            .count(),
        description: source.description.clone(),
    }
}
