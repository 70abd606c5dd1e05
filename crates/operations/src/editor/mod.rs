//! Editor settings for completing and checking the files of a workspace.
//!
//! Each setting is a function from the current contents of a file to the required contents. Contents are only
//! added, never removed.

mod helix;
mod jsonc;
mod neovim;
mod vscode;
mod zed;

use minds_workspace::{Draft, FileKind, schema_file, schemas};

/// An editor that reads settings from the workspace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Editor {
    /// Visual Studio Code and editors based on it.
    VsCode,
    /// Helix.
    Helix,
    /// Neovim, 0.11 or later.
    Neovim,
    /// Zed.
    Zed,
}

/// A JSON Schema, and the files of a workspace to which it applies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EditorSchema {
    /// The kind of files, which is part of its own file name: `.minds/.schema/<kind>.schema.json`.
    pub kind: String,
    /// The path or glob of the files to which it applies.
    pub files: String,
    /// The schema.
    pub text: String,
}

impl EditorSchema {
    /// Returns the schemas of all file kinds.
    pub fn all() -> Vec<Self> {
        let schema = |kind: &FileKind| {
            let text = minds_workspace::schema(kind.name, Draft::Draft7)?;
            Some(Self { kind: kind.name.to_owned(), files: kind.file.to_owned(), text })
        };
        schemas().iter().filter_map(schema).collect()
    }

    /// Returns the path of the schema in the workspace.
    pub(crate) fn path(&self) -> String {
        format!(".minds/.schema/{}", schema_file(&self.kind))
    }

    /// Returns the path of the schema in the form that editors resolve relative to the workspace.
    fn relative(&self) -> String {
        format!("./{}", self.path())
    }

    /// Returns whether it applies to YAML files. TOML files refer to their schema in a comment, which every
    /// TOML language server reads.
    fn is_for_yaml(&self) -> bool {
        self.files.rsplit('.').next().is_some_and(|extension| matches!(extension, "yaml" | "yml"))
    }
}

/// A settings file of an editor.
pub(crate) struct Setting {
    /// The path in the workspace.
    pub(crate) path: &'static str,
    /// Returns the required contents, given the current contents (empty if the file does not exist), or why
    /// they cannot be merged.
    pub(crate) merge: fn(&str, &[EditorSchema]) -> Result<String, String>,
}

impl Editor {
    /// Returns the settings files of this editor.
    pub(crate) fn settings(self) -> &'static [Setting] {
        match self {
            Self::VsCode => vscode::SETTINGS,
            Self::Helix => helix::SETTINGS,
            Self::Neovim => neovim::SETTINGS,
            Self::Zed => zed::SETTINGS,
        }
    }
}

/// Returns the schemas for the YAML language server.
fn for_yaml(schemas: &[EditorSchema]) -> impl Iterator<Item = &EditorSchema> {
    schemas.iter().filter(|schema| schema.is_for_yaml())
}

/// Returns a double-quoted string in the syntax of JSON and Lua.
fn quote(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}
