//! The kinds of files that have a schema.

use std::sync::LazyLock;

use minds_document::json_schema::{Draft, FileKind};

/// The kinds of files of each family.
const FAMILIES: &[&[FileKind]] = &[
    minds_core::schema::KINDS,
    #[cfg(feature = "compose")]
    minds_compose::schema::KINDS,
    #[cfg(feature = "fleet")]
    minds_fleet::schema::KINDS,
    #[cfg(feature = "sources")]
    minds_sources::schema::KINDS,
];

/// Returns the kinds of files that have a schema, in display order.
pub fn schemas() -> &'static [FileKind] {
    static ALL: LazyLock<Vec<FileKind>> = LazyLock::new(|| FAMILIES.concat());
    &ALL
}

/// Returns the schema of a kind as a JSON document with a final newline; `None` if the kind does not exist.
pub fn schema(kind: &str, draft: Draft) -> Option<String> {
    schemas().iter().find(|known| known.name == kind).map(|kind| draft.write_kind(kind))
}

/// Returns the file name of the schema of a kind.
pub fn schema_file(kind: &str) -> String {
    format!("{kind}.schema.json")
}
