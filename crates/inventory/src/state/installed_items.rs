//! `manifest.json`: the installed items.

use std::collections::BTreeMap;

use minds_diagnostics::JsonDocument;
use minds_sources::{Hook, Identity, ItemKey, ItemKind, ItemName, store_path};
use minds_vfs::{ContentHash, WorkspacePath};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::document::{self, StateError, VERSION};
use super::registry::{HookRow, parse_hook, parse_object_id, to_hook_row};
use crate::{AbsolutePath, placement};

/// The name of the file, in the data directory.
pub const INSTALLED_FILE: &str = "manifest.json";

/// The installed items, by kind and the name under which they are installed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InstalledItems {
    /// The items.
    pub items: BTreeMap<ItemKey, InstalledItem>,
}

/// An installed item. It is stored at the [`store_path`] of its kind and name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InstalledItem {
    /// Its kind and the name under which it is installed.
    pub key: ItemKey,
    /// Its name in its source.
    pub bare_name: ItemName,
    /// Its source.
    pub source: Identity,
    /// The full id of the commit from which it is installed; `None` if its source has no commits.
    pub commit: Option<String>,
    /// The hash of the offered content.
    pub hash: ContentHash,
    /// The hash of the content after its references were replaced.
    pub rendered: ContentHash,
    /// The hash of the stored content after builds and hooks ran. A store with another hash was modified.
    pub stored: ContentHash,
    /// The paths in agent homes at which it is placed.
    pub placed: BTreeMap<AbsolutePath, Placement>,
    /// Its `link`, if it has one.
    pub link: Option<WorkspacePath>,
    /// The purpose of the item, in the words of its author.
    pub description: Option<String>,
    /// Its dependencies, by the names under which they are installed.
    pub dependencies: Vec<ItemKey>,
    /// The hooks that run before its removal, as they were on its installation.
    pub uninstall: Vec<Hook>,
}

/// How an item was placed in an agent home.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Placement {
    /// As a link to the store.
    Link,
    /// As a copy whose content has this hash.
    Copy(ContentHash),
}

impl InstalledItem {
    /// Returns the path at which it is stored, relative to the data directory.
    pub fn store_path(&self) -> WorkspacePath {
        store_path(self.key.kind, &self.key.name)
    }

    /// Returns the item as a document for other programs.
    pub fn document(&self) -> InstalledItemDocument {
        InstalledItemDocument { item: to_row(self) }
    }
}

impl InstalledItems {
    /// Parses the file.
    ///
    /// # Errors
    ///
    /// Returns the first error: a syntax error, or a value that this program never writes, such as a name
    /// that escapes the store, or a path that is not valid for an item of that kind and name.
    pub fn parse(bytes: &[u8]) -> Result<Self, StateError> {
        let document: Document = document::read(INSTALLED_FILE, bytes)?;
        let mut installed = Self::default();
        for (name, row) in document.items {
            let wrong = |problem: String| {
                StateError::new(INSTALLED_FILE, format!("item `{}`: {problem}", name.escape_debug()))
            };
            let item = parse_item(row).map_err(wrong)?;
            if item.key.to_string() != name {
                return Err(wrong(format!("it names `{}`", item.key)));
            }
            installed.items.insert(item.key.clone(), item);
        }
        Ok(installed)
    }

    /// Serializes the items, with a line break at the end.
    pub fn write(&self) -> String {
        let items = self.items.values().map(|item| (item.key.to_string(), to_row(item))).collect();
        document::write(&Document { version: VERSION, items })
    }

    /// Returns the item with this kind and name.
    pub fn get(&self, key: &ItemKey) -> Option<&InstalledItem> {
        self.items.get(key)
    }

    /// Returns the items of a source, sorted by kind and name.
    pub fn of<'a>(&'a self, source: &'a Identity) -> impl Iterator<Item = &'a InstalledItem> {
        self.items.values().filter(move |item| item.source == *source)
    }

    /// Returns the items that depend on `key`.
    pub fn dependents<'a>(&'a self, key: &'a ItemKey) -> impl Iterator<Item = &'a InstalledItem> {
        self.items.values().filter(move |item| item.dependencies.contains(key))
    }
}

/// An installed item, as it is recorded.
#[derive(Debug, Serialize, JsonSchema)]
pub struct InstalledItemDocument {
    #[serde(flatten)]
    item: Row,
}

impl JsonDocument for InstalledItemDocument {
    const NAME: &'static str = "source-list-item";
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Document {
    version: u32,
    items: BTreeMap<String, Row>,
}

/// An installed item.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(!deny_unknown_fields)]
struct Row {
    /// The kind.
    #[schemars(with = "ItemKind")]
    kind: String,
    /// The name under which it is installed.
    name: String,
    /// The name in its source.
    bare_name: String,
    /// The identity of its source.
    source: String,
    /// The full id of the commit from which it is installed; empty if there is no commit.
    commit: String,
    /// The hash of the offered content.
    hash: String,
    /// The hash of the content after its references were replaced.
    rendered: String,
    /// The hash of the stored content after builds and hooks ran.
    stored: String,
    /// The path at which it is stored, relative to the data directory.
    store: String,
    /// The paths in agent homes at which it is linked.
    links: Vec<String>,
    /// The paths in agent homes at which it is copied, each with the hash of the copy; omitted if there are none.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    copies: BTreeMap<String, String>,
    /// Its path relative to an agent home, if it is not the default; omitted otherwise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    link: Option<String>,
    /// The purpose of the item, in the words of its author.
    description: Option<String>,
    /// Its dependencies, by the names under which they are installed; omitted if there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    dependencies: Vec<String>,
    /// The hooks that run before its removal; omitted if there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    uninstall: Vec<HookRow>,
}

fn to_row(item: &InstalledItem) -> Row {
    let links = item.placed.iter().filter(|(_, placed)| **placed == Placement::Link);
    let copies = item.placed.iter().filter_map(|(at, placed)| match placed {
        Placement::Link => None,
        Placement::Copy(hash) => Some((at.to_string(), hash.to_string())),
    });
    Row {
        kind: item.key.kind.to_string(),
        name: item.key.name.to_string(),
        bare_name: item.bare_name.to_string(),
        source: item.source.to_string(),
        commit: item.commit.clone().unwrap_or_default(),
        hash: item.hash.to_string(),
        rendered: item.rendered.to_string(),
        stored: item.stored.to_string(),
        store: item.store_path().to_string(),
        links: links.map(|(at, _)| at.to_string()).collect(),
        copies: copies.collect(),
        link: item.link.as_ref().map(ToString::to_string),
        description: item.description.clone(),
        dependencies: item.dependencies.iter().map(ToString::to_string).collect(),
        uninstall: item.uninstall.iter().map(to_hook_row).collect(),
    }
}

fn parse_item(row: Row) -> Result<InstalledItem, String> {
    let text = |error: &dyn std::fmt::Display| error.to_string();
    let kind =
        ItemKind::find(&row.kind).ok_or_else(|| format!("unknown kind `{}`", row.kind.escape_debug()))?;
    let name = ItemName::parse(&row.name).map_err(|error| format!("`name`: {error}"))?;
    let bare_name = ItemName::parse(&row.bare_name).map_err(|error| format!("`bare_name`: {error}"))?;
    let store = store_path(kind, &name);
    if row.store != store.as_str() {
        return Err(format!("`store` must be `{store}`"));
    }
    let link = row.link.as_deref().map(WorkspacePath::parse).transpose().map_err(|error| text(&error))?;
    let place = placement(kind, &name, link.as_ref()).map_err(|error| text(&error))?;
    let at = |path: &str| parse_placed_path(path, place.as_ref());
    let mut placed = BTreeMap::new();
    for path in &row.links {
        placed.insert(at(path)?, Placement::Link);
    }
    for (path, hash) in &row.copies {
        let copy = Placement::Copy(hash.parse().map_err(|error| format!("`copies`: {error}"))?);
        if placed.insert(at(path)?, copy).is_some() {
            return Err(format!("`{}` is a link and a copy", path.escape_debug()));
        }
    }
    let hash =
        |name: &str, hash: &str| hash.parse::<ContentHash>().map_err(|error| format!("`{name}`: {error}"));
    Ok(InstalledItem {
        key: ItemKey { kind, name },
        bare_name,
        source: Identity::parse(&row.source).map_err(|error| format!("`source`: {error}"))?,
        commit: Some(row.commit).filter(|commit| !commit.is_empty()).map(parse_object_id).transpose()?,
        hash: hash("hash", &row.hash)?,
        rendered: hash("rendered", &row.rendered)?,
        stored: hash("stored", &row.stored)?,
        placed,
        link,
        description: row.description,
        dependencies: row.dependencies.iter().map(|key| parse_key(key)).collect::<Result<_, _>>()?,
        uninstall: row.uninstall.into_iter().map(parse_hook).collect::<Result<_, _>>()?,
    })
}

/// Parses a path at which an item was placed, which must be the path of the item in some agent home.
fn parse_placed_path(path: &str, place: Option<&WorkspacePath>) -> Result<AbsolutePath, String> {
    let at = AbsolutePath::parse(path).map_err(|error| format!("`links`: {error}"))?;
    let fits = place.is_some_and(|place| {
        at.as_str().strip_suffix(place.as_str()).is_some_and(|home| home.len() > 1 && home.ends_with('/'))
    });
    if fits { Ok(at) } else { Err(format!("`{}` is not a valid path for it", path.escape_debug())) }
}

fn parse_key(text: &str) -> Result<ItemKey, String> {
    ItemKey::parse(text).map_err(|_| format!("`{}` is not a valid kind and name", text.escape_debug()))
}
