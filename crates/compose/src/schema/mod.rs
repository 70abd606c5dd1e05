//! The shapes of the files of the family, for JSON Schemas.
//!
//! They are made from the model, field by field. What the types leave open (names that must resolve, what an id may be,
//! whether a text is a date) is for the check alone.

mod compose;
mod project;
mod runtime;

use minds_document::schema::{Describe as _, FileKind, Schema};
use serde_json::json;

use crate::model::Compose;
use crate::project::Project;
use crate::runtime::Runtime;
use crate::texts::MAX_32_BITS;

/// The kinds of files of the family.
pub const KINDS: &[FileKind] = &[
    FileKind {
        name: "team-compose",
        file: ".team/team-compose.yaml",
        docs: "docs/compose.md",
        summary: "what holds for all projects",
        schema: Compose::schema,
    },
    FileKind {
        name: "project",
        file: ".team/projects/*.yaml",
        docs: "docs/compose.md",
        summary: "a project, its agents and channels",
        schema: Project::schema,
    },
    FileKind {
        name: "runtime",
        file: ".team/runtimes/*.yaml",
        docs: "docs/compose.md",
        summary: "a program that runs agents",
        schema: Runtime::schema,
    },
];

/// Returns a shape that may also be null, which means the same as nothing.
fn nullable(schema: Schema) -> Schema {
    Schema::either([schema, Schema::null()])
}

/// Returns the shape of a text of which the spelling counts.
fn text() -> Schema {
    crate::Spelled::schema()
}

/// Returns the shape of a text that says something.
fn filled(description: &str) -> Schema {
    text().described(description).pattern("\\S", "must not be blank")
}

/// Returns the shape of a whole number without a sign.
fn count() -> Schema {
    Schema::integer(0, None)
}

/// Returns the shape of a whole number without a sign that has 32 bits.
fn count_in_32_bits() -> Schema {
    Schema::integer(0, Some(MAX_32_BITS))
}

/// Returns the shape of the version of the format.
fn version() -> Schema {
    count_in_32_bits().described("The version of the format: 2.").examples_of([json!(2)])
}

/// Returns the shape of a list of texts.
fn texts() -> Schema {
    Schema::list(text())
}
