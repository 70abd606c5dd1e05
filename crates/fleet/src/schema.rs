//! The JSON Schemas of the files of the family.
//!
//! The schemas come from the declarations of the keys. Requirements across layers (a model has a provider) and references
//! are only checked by the rules. Older forms are read but not part of the schemas, because they should not be written.

use minds_document::json_schema::{FileKind, file_schema};

use crate::model::{Agent, Models, Project, Tools};
use crate::stack::{MODELS_FILE, PROJECT_FILE, TOOLS_FILE};

/// The kinds of files of the family.
pub const KINDS: &[FileKind] = &[
    FileKind {
        name: "fleet-project",
        file: PROJECT_FILE,
        docs: "docs/fleet.md",
        summary: "the project of a fleet",
        schema: file_schema::<Project>,
    },
    FileKind {
        name: "fleet-models",
        file: MODELS_FILE,
        docs: "docs/fleet.md",
        summary: "models of a fleet",
        schema: file_schema::<Models>,
    },
    FileKind {
        name: "fleet-tools",
        file: TOOLS_FILE,
        docs: "docs/fleet.md",
        summary: "the transport and the tools of a fleet",
        schema: file_schema::<Tools>,
    },
    FileKind {
        name: "fleet-agent",
        file: ".ateam/agents/*/agent.yaml",
        docs: "docs/fleet.md",
        summary: "an agent of a fleet",
        schema: file_schema::<Agent>,
    },
];
