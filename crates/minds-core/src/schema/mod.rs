//! The shapes of the files of the family, for JSON Schemas.
//!
//! They are made from the model, field by field, and from the tables that decoding reads. What the types leave open
//! (names that must resolve, patterns in all their detail) is for the check alone.

mod llm;
mod mcp;
mod model_params;
mod settings;
mod team;

pub use minds_document::schema::FileKind;

use minds_document::schema::Describe as _;

use crate::family::{LLM_FILE, MCP_FILE, SETTINGS_FILE, TEAM_FILE};
use crate::llm::Llm;
use crate::mcp::Mcp;
use crate::model::Team;
use crate::settings::Settings;

/// The kinds of files of the family.
pub const KINDS: &[FileKind] = &[
    FileKind {
        name: "team",
        file: TEAM_FILE,
        docs: "docs/rules/README.md",
        summary: "who is on the team",
        schema: Team::schema,
    },
    FileKind {
        name: "llm",
        file: LLM_FILE,
        docs: "docs/rules/README.md",
        summary: "providers of models",
        schema: Llm::schema,
    },
    FileKind {
        name: "mcp",
        file: MCP_FILE,
        docs: "docs/rules/README.md",
        summary: "MCP servers",
        schema: Mcp::schema,
    },
    FileKind {
        name: "settings",
        file: SETTINGS_FILE,
        docs: "docs/rules/README.md",
        summary: "settings of minds itself",
        schema: Settings::schema,
    },
];
