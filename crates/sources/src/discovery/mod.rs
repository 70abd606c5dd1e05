//! Discovery: finding the items of a source.
//!
//! A [`Reader`] requests parts of the tree step by step and does no I/O itself. Therefore a folder and a
//! commit of a repository give the same result. [`discover`] is the loop around it.

mod convention;
mod finder;
mod globs;
mod listed_items;
mod offer;
mod partial_tree;
mod pattern;
mod reader;
pub(crate) mod rules;

use minds_diagnostics::SourceFile;
use minds_vfs::WorkspacePath;

use crate::{Catalog, ManifestFile};

pub use reader::{Reader, discover, read_manifest};

/// The file that makes a folder a skill.
pub const SKILL_FILE: &str = "SKILL.md";
/// The file in which a tool describes itself.
pub const TOOL_FILE: &str = "TOOL.md";

/// Choices of the user of a source about discovery.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// The roots, which replace those of the source.
    pub roots: Option<Vec<String>>,
    /// The roots that a nested entry sets, if the source has no `mind.toml`.
    pub curator_roots: Option<Vec<String>>,
}

/// The result of discovery.
#[derive(Debug, Default)]
pub struct Discovery {
    /// `mind.toml`, if there is one that could be read.
    pub manifest: Option<ManifestFile>,
    /// The source text of `mind.toml`, if there is one.
    pub manifest_source: Option<SourceFile>,
    /// The offered items.
    pub catalog: Catalog,
    /// The place of each item of the catalog, in the same order.
    pub places: Vec<ItemPlace>,
    /// Whether the source as a whole can be used. If not, the problems give the reason, and nothing of the
    /// catalog may be installed. A single item that cannot be offered is only left out.
    pub is_valid: bool,
    /// Whether the roots of the user have no effect, because `mind.toml` lists the items.
    pub ignores_roots: bool,
}

/// The place at which an item was found.
#[derive(Clone, Debug)]
pub struct ItemPlace {
    /// The path by which it was found, which may go through links.
    pub declared: WorkspacePath,
    /// The Markdown file with its front matter, possibly only its beginning; `None` if there is no such file.
    pub main_file: Option<SourceFile>,
}
