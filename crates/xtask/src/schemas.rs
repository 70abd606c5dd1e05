//! `schemas/`: the JSON Schemas of every kind of file, in both drafts.

use minds_workspace::{Draft, schema, schema_file, schemas};

use crate::files::{Generated, unexpected_files};

const FOLDER: &str = "schemas";

pub(crate) fn generate() -> Vec<Generated> {
    let mut all = Vec::new();
    for draft in Draft::ALL {
        let folder = format!("{FOLDER}/draft-{draft}");
        let mut files = Vec::new();
        for kind in schemas() {
            let path = format!("{folder}/{}", schema_file(kind.name));
            let text = schema(kind.name, draft).expect("every kind in the list has a schema");
            files.push(Generated { path, text });
        }
        let unexpected_files = unexpected_files(&folder, &files);
        assert!(
            unexpected_files.is_empty(),
            "these schemas do not belong to a kind of file; remove them: {unexpected_files:?}"
        );
        all.extend(files);
    }
    all
}
