//! Kinds of files.

use super::Schema;

/// A kind of file that has a schema.
#[derive(Clone, Copy, Debug)]
pub struct FileKind {
    /// The name of the kind.
    pub name: &'static str,
    /// Where files of this kind stand in a workspace: a path, or a glob.
    pub file: &'static str,
    /// The page about them, from the top of the repository.
    pub docs: &'static str,
    /// What they say.
    pub summary: &'static str,
    /// Returns the shape.
    pub schema: fn() -> Schema,
}
