//! Kinds of files with a schema.

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema};
use serde_json::Value;

use super::Keywords as _;

/// A kind of file that has a schema.
#[derive(Clone, Copy, Debug)]
pub struct FileKind {
    /// The name of the kind.
    pub name: &'static str,
    /// The path, or a glob, of such files in a workspace.
    pub file: &'static str,
    /// The documentation page, relative to the root of the repository.
    pub docs: &'static str,
    /// The content of such files.
    pub summary: &'static str,
    /// Returns the schema.
    pub schema: fn() -> Schema,
}

/// Returns the schema of a type with the definitions to which it refers, in draft 2020-12. [`Draft`](super::Draft) writes
/// it.
pub fn file_schema<T: JsonSchema>() -> Schema {
    let mut generator = SchemaSettings::draft2020_12().into_generator();
    let schema = generator.subschema_for::<T>();
    let definitions = generator.take_definitions(false);
    if definitions.is_empty() { schema } else { schema.with("$defs", Value::Object(definitions)) }
}
