//! JSON Schemas of the files of the family.
//!
//! The schemas come from the declarations of the keys. References and the details of patterns are only verified by `check`.

pub use minds_document::json_schema::FileKind;

use minds_document::json_schema::file_schema;

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
        schema: file_schema::<Team>,
    },
    FileKind {
        name: "llm",
        file: LLM_FILE,
        docs: "docs/rules/README.md",
        summary: "model providers",
        schema: file_schema::<Llm>,
    },
    FileKind {
        name: "mcp",
        file: MCP_FILE,
        docs: "docs/rules/README.md",
        summary: "MCP servers",
        schema: file_schema::<Mcp>,
    },
    FileKind {
        name: "settings",
        file: SETTINGS_FILE,
        docs: "docs/rules/README.md",
        summary: "settings of `minds` itself",
        schema: file_schema::<Settings>,
    },
];
