//! JSON Schemas of the files of the family.
//!
//! The schemas are built from the model, field by field, and from the tables that decoding uses. References and the details
//! of patterns are only verified by `check`.

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
        summary: "the members of the team",
        schema: Team::schema,
    },
    FileKind {
        name: "llm",
        file: LLM_FILE,
        docs: "docs/rules/README.md",
        summary: "model providers",
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
        summary: "settings of `minds` itself",
        schema: Settings::schema,
    },
];
