//! The structure of `mind.toml`, for JSON Schemas.
//!
//! The schema comes from the declarations of the keys. The exact rules for names, paths, patterns and sources are left to
//! the check: as regular expressions they would not be readable.

use minds_document::json_schema::{FileKind, file_schema};

use crate::manifest::{MANIFEST_FILE, Manifest};

/// The file kinds of this crate.
pub const KINDS: &[FileKind] = &[FileKind {
    name: "source",
    file: MANIFEST_FILE,
    docs: "docs/mind-toml.md",
    summary: "the items that a repository offers",
    schema: file_schema::<Manifest>,
}];
