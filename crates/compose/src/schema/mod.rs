//! The JSON Schemas of the compose files.
//!
//! They are derived from the model, field by field. Rules that a schema cannot express (references, valid
//! ids, valid dates) are part of the check only.

mod compose;
mod project;
mod runtime;

use minds_document::schema::{Describe as _, FileKind, Schema};
use serde_json::json;

use crate::field_decoders::MAX_32_BITS;
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

/// Returns a schema that also accepts null, which means the same as a missing key.
fn nullable(schema: Schema) -> Schema {
    Schema::either([schema, Schema::null()])
}

/// Returns the schema of a scalar that is read as written.
fn raw_string() -> Schema {
    crate::RawScalar::schema()
}

/// Returns the schema of a string that must not be blank.
fn not_blank(description: &str) -> Schema {
    raw_string().describe(description).pattern("\\S", "must not be blank")
}

/// Returns the schema of an integer that is not negative.
fn count() -> Schema {
    Schema::integer(0, None)
}

/// Returns the schema of an unsigned 32-bit integer.
fn count_in_32_bits() -> Schema {
    Schema::integer(0, Some(MAX_32_BITS))
}

/// Returns the schema of the version of the format.
fn version() -> Schema {
    count_in_32_bits().describe("The version of the format: 2.").examples_of([json!(2)])
}

/// Returns the schema of a list of strings.
fn raw_strings() -> Schema {
    Schema::list(raw_string())
}
