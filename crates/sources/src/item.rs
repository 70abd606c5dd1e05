//! What a source offers.

use std::fmt;

use minds_paths::WorkspacePath;

use crate::{Hook, ItemKind, ItemName, NameError};

/// An item that a source offers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    /// What it is.
    pub kind: ItemKind,
    /// Its name in the source, without a prefix.
    pub name: ItemName,
    /// Where it lies: from the root of the source, a folder for skills and tools, else a file.
    pub path: WorkspacePath,
    /// What it is for, as its author says.
    pub description: Option<String>,
    /// The items that it needs, as written: each a name, or a kind and a name, in the same source.
    pub requires: Vec<String>,
    /// Where it is linked in an agent home, instead of where its kind and name say: from the home.
    pub link: Option<WorkspacePath>,
    /// What `{{tools:name}}` stands for, from the folder of a tool.
    pub bin: Option<String>,
    /// The command that makes what the item consists of, run before it is installed; tools only.
    pub build: Option<String>,
    /// What runs after it was installed and before it is removed, in order.
    pub hooks: Vec<Hook>,
}

/// What an item is known by: its kind and a name. No two items of a source, and no two installed ones, have the same.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ItemKey {
    /// What it is.
    pub kind: ItemKind,
    /// Its name: in a source without a prefix, where it is installed with one.
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

/// Why a text is no `kind:name`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum KeyError {
    /// There is no kind.
    #[error("it has no kind")]
    NoKind,
    /// There is no such kind.
    #[error("`{}` is no kind of items", .0.escape_debug())]
    Kind(String),
    /// The name is none.
    #[error("its name is none: {0}")]
    Name(#[from] NameError),
}

impl ItemKey {
    /// Reads a kind, a colon and a name.
    ///
    /// # Errors
    ///
    /// Returns the first reason why it is none.
    pub fn parse(key: &str) -> Result<Self, KeyError> {
        let (kind, name) = key.split_once(':').ok_or(KeyError::NoKind)?;
        let kind = ItemKind::find(kind).ok_or_else(|| KeyError::Kind(kind.to_owned()))?;
        Ok(Self { kind, name: ItemName::parse(name)? })
    }
}
