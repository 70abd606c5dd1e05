//! Every kind of file that has a schema.

use std::sync::LazyLock;

use minds_document::schema::{Draft, FileKind};

/// The kinds of files of each family.
const FAMILIES: &[&[FileKind]] = &[
    minds_core::schema::KINDS,
    minds_compose::schema::KINDS,
    minds_fleet::schema::KINDS,
    minds_sources::schema::KINDS,
];

/// Returns the kinds of files that have a schema, in the order in which they are listed.
pub fn schemas() -> &'static [FileKind] {
    static ALL: LazyLock<Vec<FileKind>> = LazyLock::new(|| FAMILIES.concat());
    &ALL
}

/// Returns the schema of a kind as a document, with a newline at its end; none if there is no such kind.
pub fn schema(kind: &str, draft: Draft) -> Option<String> {
    schemas().iter().find(|known| known.name == kind).map(|kind| draft.write_kind(kind))
}

/// Returns the name of the file that holds the schema of a kind.
pub fn schema_file(kind: &str) -> String {
    format!("{kind}.schema.json")
}
