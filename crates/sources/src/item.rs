//! Items that a source offers.

use std::fmt;

use minds_vfs::WorkspacePath;
use serde::Serialize;

use crate::{Hook, ItemKind, ItemName, NameError};

/// An item that a source offers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    /// The kind.
    pub kind: ItemKind,
    /// Its name in the source, without a prefix.
    pub name: ItemName,
    /// Its path relative to the root of the source: a folder for skills and tools, otherwise a file.
    pub path: WorkspacePath,
    /// The purpose of the item, in the words of its author.
    pub description: Option<String>,
    /// The items that it depends on, as written: each a name, or a kind and a name, in the same source.
    pub requires: Vec<String>,
    /// Its path relative to an agent home, if it is not the default for its kind and name.
    pub link: Option<WorkspacePath>,
    /// What `{{tools:name}}` stands for, relative to the folder of the tool.
    pub bin: Option<String>,
    /// The build command, which runs before installation; tools only.
    pub build: Option<String>,
    /// The hooks that run after installation and before removal, in order.
    pub hooks: Vec<Hook>,
}

/// The key of an item: its kind and a name. It is unique in a source, and among installed items.
///
/// In JSON it is a string, `KIND:NAME`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(into = "String")]
pub struct ItemKey {
    /// The kind.
    pub kind: ItemKind,
    /// Its name: without the prefix within a source, with it for an installed item.
    pub name: ItemName,
}

impl Item {
    /// Returns the kind and the name in the source.
    pub fn key(&self) -> ItemKey {
        ItemKey { kind: self.kind, name: self.name.clone() }
    }
}

impl fmt::Display for ItemKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.kind, self.name)
    }
}

impl From<ItemKey> for String {
    fn from(key: ItemKey) -> Self {
        key.to_string()
    }
}

/// Why a string is not a valid `kind:name`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum KeyError {
    /// The kind is missing.
    #[error("it has no kind")]
    NoKind,
    /// The kind is unknown.
    #[error("`{}` is not a kind of item", .0.escape_debug())]
    Kind(String),
    /// The name is not valid.
    #[error("its name is not valid: {0}")]
    Name(#[from] NameError),
}

impl ItemKey {
    /// Parses a kind, a colon and a name.
    ///
    /// # Errors
    ///
    /// Returns the first reason why the string is not valid.
    pub fn parse(key: &str) -> Result<Self, KeyError> {
        let (kind, name) = key.split_once(':').ok_or(KeyError::NoKind)?;
        let kind = ItemKind::find(kind).ok_or_else(|| KeyError::Kind(kind.to_owned()))?;
        Ok(Self { kind, name: ItemName::parse(name)? })
    }
}
