//! What a client reads at the start of a session, in its data.

use super::values::{boolean, decode_strings, text};
use crate::tree::Item;

/// Files that a client reads at the start of a session.
#[derive(Clone, Debug, Default)]
pub struct StartFiles {
    /// What they are.
    pub source: StartSource,
    /// The paths or patterns, relative to a directory. Earlier ones come first.
    pub paths: Vec<String>,
    /// Whether they are read in each directory from the top of the workspace to that of the session; otherwise only at the top.
    pub is_in_parents: bool,
    /// Of which files only the first path counts.
    pub first: First,
    /// A key of the front matter and its values with which the file is read at the start.
    pub only_if: Vec<String>,
    /// Further paths that a settings file gives.
    pub setting: Option<StartSetting>,
}

/// What a client reads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum StartSource {
    /// Whole files.
    #[default]
    Instructions,
    /// The names and descriptions of agents.
    Agents,
    /// The names and descriptions of skills.
    Skills,
}

/// Of which files only the first path counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum First {
    /// All files count.
    #[default]
    None,
    /// Of each directory, the first path that exists.
    Directory,
    /// Of all directories, the first path that exists in one of them.
    All,
}

/// A key of a settings file whose values are further paths.
#[derive(Clone, Debug, Default)]
pub struct StartSetting {
    /// The files, of which those at the top of the workspace count.
    pub files: Vec<String>,
    /// The keys that lead to a path or a list of paths.
    pub keys: Vec<String>,
    /// Whether the paths replace those of the data.
    pub replaces: bool,
}

impl StartFiles {
    pub(super) fn decode_all(item: &Item) -> Result<Vec<Self>, String> {
        item.items().iter().map(Self::decode).collect()
    }

    fn decode(item: &Item) -> Result<Self, String> {
        let mut files = Self::default();
        for entry in item.entries() {
            match entry.key.as_str() {
                "source" => files.source = StartSource::decode(&text(&entry.item)?)?,
                "paths" => files.paths = decode_strings(&entry.item)?,
                "in_parents" => files.is_in_parents = boolean(&entry.item)?,
                "first" => files.first = First::decode(&text(&entry.item)?)?,
                "only_if" => files.only_if = decode_strings(&entry.item)?,
                "setting" => files.setting = Some(StartSetting::decode(&entry.item)?),
                key => return Err(format!("unknown key `{key}` of `start`")),
            }
        }
        Ok(files)
    }
}

impl StartSource {
    fn decode(word: &str) -> Result<Self, String> {
        Ok(match word {
            "instructions" => Self::Instructions,
            "agents" => Self::Agents,
            "skills" => Self::Skills,
            _ => return Err(format!("unknown source `{word}`")),
        })
    }
}

impl First {
    fn decode(word: &str) -> Result<Self, String> {
        Ok(match word {
            "directory" => Self::Directory,
            "all" => Self::All,
            _ => return Err(format!("unknown value `{word}` of `first`")),
        })
    }
}

impl StartSetting {
    fn decode(item: &Item) -> Result<Self, String> {
        let list = |key| item.get(key).map_or_else(|| Err(format!("`{key}` is missing")), decode_strings);
        let replaces = item.get("replaces").map_or(Ok(false), boolean)?;
        Ok(Self { files: list("files")?, keys: list("keys")?, replaces })
    }
}
