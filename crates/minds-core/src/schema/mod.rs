//! The shapes of the files of the family, for JSON Schemas.
//!
//! They are made from the model, field by field, and from the tables that decoding reads. What the types leave open
//! (names that must resolve, patterns in all their detail) is for the check alone.

mod llm;
mod mcp;
mod model_params;
mod settings;
mod team;

use minds_document::schema::{Describe as _, Schema};

use crate::family::{LLM_FILE, MCP_FILE, SETTINGS_FILE, TEAM_FILE};
use crate::llm::Llm;
use crate::mcp::Mcp;
use crate::model::Team;
use crate::settings::Settings;

/// A kind of file that has a schema.
#[derive(Clone, Copy, Debug)]
pub struct FileKind {
    /// The name of the kind.
    pub name: &'static str,
    /// Where files of this kind stand in a workspace.
    pub file: &'static str,
    /// What they say.
    pub summary: &'static str,
    /// Returns the shape.
    pub schema: fn() -> Schema,
}

/// The kinds of files of the family.
pub const KINDS: &[FileKind] = &[
    FileKind { name: "team", file: TEAM_FILE, summary: "who is on the team", schema: Team::schema },
    FileKind { name: "llm", file: LLM_FILE, summary: "providers of models", schema: Llm::schema },
    FileKind { name: "mcp", file: MCP_FILE, summary: "MCP servers", schema: Mcp::schema },
    FileKind {
        name: "settings",
        file: SETTINGS_FILE,
        summary: "settings of minds itself",
        schema: Settings::schema,
    },
];
