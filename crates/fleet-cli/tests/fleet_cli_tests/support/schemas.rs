//! The schemas of the documents.

use std::sync::LazyLock;

use jsonschema::Validator;
use minds_fleet_cli::{DocumentKind, documents};
use serde_json::Value;

static SCHEMAS: LazyLock<Vec<(DocumentKind, Validator)>> = LazyLock::new(|| {
    let compile = |kind: DocumentKind| {
        let validator = jsonschema::draft202012::new(&kind.schema).expect("a schema is valid");
        (kind, validator)
    };
    documents().into_iter().map(compile).collect()
});

/// Asserts that the document of a verb has a schema, and no member that the schema does not list. Returns the name of the schema.
#[track_caller]
pub(crate) fn assert_has_schema(verb: &str, document: &Value) -> &'static str {
    let is_error = document.get("error").is_some();
    let of_verb =
        |kind: &DocumentKind| if is_error { kind.verbs.is_empty() } else { kind.verbs.contains(&verb) };
    let candidates: Vec<_> = SCHEMAS.iter().filter(|(kind, _)| of_verb(kind)).collect();
    for (kind, validator) in &candidates {
        let properties = kind.schema["properties"].as_object().expect("a document is an object");
        let is_listed = document.as_object().unwrap().keys().all(|member| properties.contains_key(member));
        if is_listed && validator.is_valid(document) {
            return kind.name;
        }
    }
    let errors: Vec<String> = candidates
        .iter()
        .flat_map(|(kind, validator)| {
            validator.iter_errors(document).map(|error| format!("{}: {error}", kind.name))
        })
        .collect();
    panic!("`{verb}` has no schema for {document}\n{}", errors.join("\n"));
}
