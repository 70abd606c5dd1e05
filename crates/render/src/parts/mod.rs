//! Parts of files that a target owns: a whole file, a section of a Markdown file, values of a JSON file, or tables of a TOML
//! file. Everything else in the file belongs to other programs and is kept.

mod block;
mod clean;
mod json;
mod plan;
mod record;
mod toml;
mod unit;

use minds_vfs::WorkspacePath;

pub use self::block::section_length;
pub use self::clean::{KeptPart, PartsCleanup, plan_parts_cleanup};
pub use self::plan::{plan_parts, scope_of_parts};
pub(crate) use self::record::PartDocument;
pub use self::record::{PartRecord, UnitRecord};
pub use self::unit::Unit;
use crate::jsonc::Json;
use crate::team_target::TeamTarget;

/// The part of a file that a target owns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FilePart {
    /// The target.
    pub target: TeamTarget,
    /// The file, relative to the workspace.
    pub path: WorkspacePath,
    /// The part.
    pub content: PartContent,
}

/// What a target writes into a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PartContent {
    /// The whole file.
    File(String),
    /// The lines between two comments of a Markdown file.
    Block(String),
    /// Values of a JSON file.
    Json(Vec<JsonPart>),
    /// Tables of a TOML file, each with its keys and the text below its header.
    Toml(Vec<(Vec<String>, String)>),
}

/// A value of a JSON file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum JsonPart {
    /// The value of the last key, in the objects of the keys before it.
    Member(Vec<String>, Json),
    /// An item of the list at these keys.
    Item(Vec<String>, Json),
}
