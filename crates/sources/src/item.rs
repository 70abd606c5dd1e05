//! What a source offers.

use std::fmt;

use minds_paths::WorkspacePath;

use crate::{Hook, ItemKind, ItemName};

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

impl ItemKey {
    /// Reads `kind:name`.
    ///
    /// Returns nothing if the text is not that.
    pub fn parse(text: &str) -> Option<Self> {
        let (kind, name) = text.split_once(':')?;
        Some(Self { kind: ItemKind::find(kind)?, name: ItemName::parse(name).ok()? })
    }
}

impl fmt::Display for ItemKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.kind, self.name)
    }
}
