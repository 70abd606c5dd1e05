//! The JSON Schemas of the compose files.
//!
//! The schemas come from the declarations of the keys. Rules that a schema cannot express (references, valid ids, valid
//! dates) are part of the check only.

use minds_document::json_schema::{FileKind, file_schema};

use crate::model::Compose;
use crate::project::Project;
use crate::runtime::Runtime;

/// The file kinds of the family.
pub const KINDS: &[FileKind] = &[
    FileKind {
        name: "team-compose",
        file: ".team/team-compose.yaml",
        docs: "docs/compose.md",
        summary: "settings for all projects",
        schema: file_schema::<Compose>,
    },
    FileKind {
        name: "project",
        file: ".team/projects/*.yaml",
        docs: "docs/compose.md",
        summary: "a project, its agents and channels",
        schema: file_schema::<Project>,
    },
    FileKind {
        name: "runtime",
        file: ".team/runtimes/*.yaml",
        docs: "docs/compose.md",
        summary: "a program that runs agents",
        schema: file_schema::<Runtime>,
    },
];
