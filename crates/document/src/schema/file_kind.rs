//! Kinds of files with a schema.

use super::Schema;

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
