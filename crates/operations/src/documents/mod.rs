//! The JSON documents of the command, as types.
//!
//! A document borrows what a use case returned. Fields are in alphabetical order, except where a document was first written
//! in another one: the order is part of the output.

mod access;
mod check;
mod context;
mod error;
mod explain;
mod files;
mod import;
mod prompt;
mod rendering;
mod schema;
mod views;

pub use access::{
    AccessCheckDocument, AccessExplanationDocument, AccessMatrixDocument, AccessSummary, DirectoryRights,
    MemberRights, PathDecision,
};
pub use check::FixDocument;
pub use context::{ContextDocument, TokenEstimate};
pub use error::{ErrorDocument, ErrorReport, RefusalDocument, RefusalStatus};
pub use explain::{RuleEntry, RulesDocument};
pub use files::{FmtDocument, InitDocument, InitRefusedDocument, UnmergeableSettings};
pub use import::{ImportedMemberEntry, ImportedServerEntry, InitFromDocument};
pub use prompt::{PromptDocument, PromptFileDocument, ToolboxDocument};
pub use rendering::{ArtifactEntry, CleanDocument, RenderDocument, ServersOfFile};
pub use schema::{
    FileKindEntry, SchemaDocument, SchemaFilesDocument, SchemaKindsDocument, WrittenSchemaEntry,
};
pub use views::{ComposeDocument, FleetDocument, TeamDocument};
