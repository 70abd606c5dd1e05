//! Finding out what a source offers.
//!
//! A [`Reader`] is told what lies where, step by step, and says what it has to know next; it reads nothing itself. So a
//! folder and a commit of a repository give the same answer. [`discover`] is the loop around it.

mod convention;
mod finder;
mod globs;
mod known;
mod listed;
mod offer;
mod pattern;
mod reader;
pub(crate) mod rules;

use minds_diagnostics::SourceFile;
use minds_paths::WorkspacePath;

use crate::{Catalog, ManifestFile};

pub use reader::{Reader, discover, read_manifest};

/// The file that makes a folder a skill.
pub const SKILL_FILE: &str = "SKILL.md";
/// The file in which a tool says something about itself.
pub const TOOL_FILE: &str = "TOOL.md";

/// What whoever uses a source decides about discovery.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Where the convention is followed, whatever the source says.
    pub roots: Option<Vec<String>>,
    /// Where the convention is followed if the source has no `mind.toml`, as somebody says who lists the source.
    pub curator_roots: Option<Vec<String>>,
}

/// What was found.
#[derive(Debug, Default)]
pub struct Discovered {
    /// `mind.toml`, if there is one that could be opened.
    pub manifest: Option<ManifestFile>,
    /// The text of `mind.toml`, if there is one.
    pub manifest_source: Option<SourceFile>,
    /// What is offered.
    pub catalog: Catalog,
    /// Where each item of the catalog was found, in the same order.
    pub places: Vec<ItemPlace>,
    /// Whether the source as a whole can be used. Where it cannot, the problems say why, and nothing of the catalog may be
    /// installed. A single item that cannot be offered is only missing.
    pub is_valid: bool,
    /// Whether roots were given by the user and are of no use, because `mind.toml` lists the items.
    pub ignores_roots: bool,
}

/// Where an item was found.
#[derive(Clone, Debug)]
pub struct ItemPlace {
    /// The path by which it was found, on which there may be links.
    pub declared: WorkspacePath,
    /// The Markdown file with its head, of which only the beginning may be there; none if it has none.
    pub head: Option<SourceFile>,
}
