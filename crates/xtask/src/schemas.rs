//! `schemas/`: the JSON Schemas of every kind of file, in both drafts.

use minds_workspace::{Draft, schema, schema_file, schemas};

use crate::files::{Generated, stray};

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
        let stray = stray(&folder, &files);
        assert!(stray.is_empty(), "these schemas do not belong to a kind of file; remove them: {stray:?}");
        all.extend(files);
    }
    all
}
