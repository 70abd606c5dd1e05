//! `minds prompt`

use minds_diagnostics::JsonDocument;
use schemars::JsonSchema;
use serde::Serialize;

use crate::{EffectivePrompt, SavedFile, ToolboxRefresh};

/// The prompt of an agent of a fleet.
#[derive(Debug, Serialize, JsonSchema)]
pub struct PromptDocument<'a> {
    /// Whether the list of tools in the prompt is complete.
    has_all_tools: bool,
    /// The text.
    prompt: &'a str,
}

impl<'a> From<&'a EffectivePrompt> for PromptDocument<'a> {
    fn from(prompt: &'a EffectivePrompt) -> Self {
        Self { has_all_tools: prompt.has_all_tools, prompt: &prompt.text }
    }
}

impl JsonDocument for PromptDocument<'_> {
    const NAME: &'static str = "prompt-show";
}

/// A file of a prompt that was edited.
#[derive(Debug, Serialize, JsonSchema)]
pub struct PromptFileDocument<'a> {
    /// Whether the file was written; otherwise its content is the same.
    changed: bool,
    /// The file.
    file: &'a str,
}

impl<'a> From<&'a SavedFile> for PromptFileDocument<'a> {
    fn from(saved: &'a SavedFile) -> Self {
        Self { changed: saved.is_changed, file: &saved.file }
    }
}

impl JsonDocument for PromptFileDocument<'_> {
    const NAME: &'static str = "prompt-file";
}

/// Whether the generated block of tools is up to date.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ToolboxDocument<'a> {
    /// Whether the block would change.
    changed: bool,
    /// The change as a unified diff, empty if there is none.
    diff: &'a str,
    /// The file with the block.
    file: &'a str,
}

impl<'a> From<&'a ToolboxRefresh> for ToolboxDocument<'a> {
    fn from(refresh: &'a ToolboxRefresh) -> Self {
        Self { changed: !refresh.diff.is_empty(), diff: &refresh.diff, file: &refresh.file }
    }
}

impl JsonDocument for ToolboxDocument<'_> {
    const NAME: &'static str = "prompt-toolbox-check";
}
