//! `minds schema`

use minds_diagnostics::JsonDocument;
use minds_workspace::FileKind;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::WrittenSchema;

/// The kinds of files that have a schema.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SchemaKindsDocument {
    /// The kinds.
    kinds: Vec<FileKindEntry>,
}

/// A kind of file.
#[derive(Debug, Serialize, JsonSchema)]
pub struct FileKindEntry {
    /// The path of such files in a workspace, or a glob.
    file: &'static str,
    /// The name of the kind.
    kind: &'static str,
    /// The content of such files.
    summary: &'static str,
}

impl SchemaKindsDocument {
    /// Returns the document of these kinds.
    pub fn new(kinds: &[&FileKind]) -> Self {
        let entry =
            |kind: &&FileKind| FileKindEntry { file: kind.file, kind: kind.name, summary: kind.summary };
        Self { kinds: kinds.iter().map(entry).collect() }
    }
}

impl JsonDocument for SchemaKindsDocument {
    const NAME: &'static str = "schema-kinds";
}

/// The schema of a kind of file.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SchemaDocument<'a> {
    /// The name of the kind.
    pub kind: &'a str,
    /// The JSON Schema.
    pub schema: Value,
}

impl JsonDocument for SchemaDocument<'_> {
    const NAME: &'static str = "schema";
}

/// Schemas that were written to a directory.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SchemaFilesDocument<'a> {
    /// The files.
    files: Vec<WrittenSchemaEntry<'a>>,
}

/// The file of a schema.
#[derive(Debug, Serialize, JsonSchema)]
pub struct WrittenSchemaEntry<'a> {
    /// Whether the file was written; otherwise it was up to date.
    changed: bool,
    /// The path.
    path: &'a str,
}

impl<'a> SchemaFilesDocument<'a> {
    /// Returns the document of these files.
    pub fn new(written: &'a [WrittenSchema]) -> Self {
        let entry =
            |schema: &'a WrittenSchema| WrittenSchemaEntry { changed: schema.is_new, path: &schema.path };
        Self { files: written.iter().map(entry).collect() }
    }
}

impl JsonDocument for SchemaFilesDocument<'_> {
    const NAME: &'static str = "schema-files";
}
