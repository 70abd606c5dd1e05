//! What editors must be told, so that they complete and check the files of a workspace.
//!
//! Each setting is a function from the text that a file has to the text that it should have. What the user wrote stays:
//! texts are put in, none is taken out.

mod helix;
mod jsonc;
mod neovim;
mod vscode;
mod zed;

use minds_workspace::{Draft, FileKind, schema_file, schemas};

/// An editor that reads settings from the workspace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Editor {
    /// Visual Studio Code and what is built on it.
    VsCode,
    /// Helix.
    Helix,
    /// Neovim, 0.11 or later.
    Neovim,
    /// Zed.
    Zed,
}

/// A JSON Schema, and the files of a workspace that it is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EditorSchema {
    /// What it is about in one word, which names its file: `.minds/.schema/<kind>.schema.json`.
    pub kind: String,
    /// The path of the files that it is about, or a glob for them.
    pub files: String,
    /// The schema.
    pub text: String,
}

impl EditorSchema {
    /// Returns the schemas of all kinds of files.
    pub fn all() -> Vec<Self> {
        let schema = |kind: &FileKind| {
            let text = minds_workspace::schema(kind.name, Draft::Draft7)?;
            Some(Self { kind: kind.name.to_owned(), files: kind.file.to_owned(), text })
        };
        schemas().iter().filter_map(schema).collect()
    }

    /// Returns where in the workspace the schema is written.
    pub(crate) fn path(&self) -> String {
        format!(".minds/.schema/{}", schema_file(&self.kind))
    }

    /// Returns where the schema is written, as editors read a path from the top of the workspace.
    fn relative(&self) -> String {
        format!("./{}", self.path())
    }

    /// Returns whether it is about YAML: files in TOML name their schema themselves, in a comment that every server for
    /// TOML reads.
    fn is_for_yaml(&self) -> bool {
        self.files.rsplit('.').next().is_some_and(|extension| matches!(extension, "yaml" | "yml"))
    }
}

/// A file in which an editor looks for settings.
pub(crate) struct Setting {
    /// Its path in the workspace.
    pub(crate) path: &'static str,
    /// Returns the text that the file should have, given the one that it has, empty if there is none; or says why that
    /// cannot be known.
    pub(crate) merge: fn(&str, &[EditorSchema]) -> Result<String, String>,
}

impl Editor {
    /// Returns the files in which this editor looks for settings.
    pub(crate) fn settings(self) -> &'static [Setting] {
        match self {
            Self::VsCode => vscode::SETTINGS,
            Self::Helix => helix::SETTINGS,
            Self::Neovim => neovim::SETTINGS,
            Self::Zed => zed::SETTINGS,
        }
    }
}

/// Returns the schemas that a server for YAML must be told about.
fn for_yaml(schemas: &[EditorSchema]) -> impl Iterator<Item = &EditorSchema> {
    schemas.iter().filter(|schema| schema.is_for_yaml())
}

/// Returns a text in double quotes, as JSON and Lua read it.
fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}
