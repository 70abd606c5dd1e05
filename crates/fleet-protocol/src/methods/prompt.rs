//! Methods about the system prompt.

use serde::{Deserialize, Serialize};

use super::True;

/// The parameters of `prompt.get`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PromptGet {}

/// The value of `prompt.get`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PromptGetValue {
    /// The prompt that the next step uses.
    pub effective: String,
    /// The base.
    pub base: String,
    /// The overlay.
    pub overlay: String,
    /// The hash of the overlay, for `prompt.set`.
    pub overlay_hash: String,
}

/// The parameters of `prompt.set`: the base, the overlay, or both.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PromptSet {
    /// The base.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base: Option<String>,
    /// The overlay.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub overlay: Option<String>,
    /// The hash of the overlay that is replaced. If it has changed since, nothing is written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub overlay_hash: Option<String>,
}

impl PromptSet {
    pub(super) fn check_parts(&self) -> Result<(), String> {
        if self.base.is_none() && self.overlay.is_none() {
            return Err("missing `base` or `overlay`".to_owned());
        }
        Ok(())
    }
}

/// The value of `prompt.set`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PromptSetValue {
    /// Always true.
    pub ok: True,
    /// The hash of the overlay.
    pub overlay_hash: String,
}

/// The parameters of `prompt.append`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PromptAppend {
    /// One line, not empty.
    pub line: String,
}

impl PromptAppend {
    pub(super) fn check_line(&self) -> Result<(), String> {
        if self.line.trim().is_empty() || self.line.contains(['\n', '\r']) {
            return Err("invalid `line`: expected one line that is not empty".to_owned());
        }
        Ok(())
    }
}

/// The parameters of `prompt.reload`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PromptReload {}
