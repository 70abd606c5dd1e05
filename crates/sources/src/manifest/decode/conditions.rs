//! Conditions between keys, for their schemas. The rules report what these refuse.

use minds_document::json_schema::{Keywords as _, Schema, json};

use crate::ItemKind;

/// Allows only one of the keys of a pin.
pub(in crate::manifest) fn exclude_other_pins(schema: Schema) -> Schema {
    schema
        .exclude("follow-branch", "pin-tag")
        .exclude("follow-branch", "pin-ref")
        .exclude("pin-tag", "pin-ref")
}

/// Refuses the keys of tools where an item is not one.
pub(in crate::manifest) fn exclude_tool_keys(schema: Schema) -> Schema {
    let kinds = ItemKind::ALL.into_iter().filter(|kind| *kind != ItemKind::Tool);
    let kinds: Vec<&str> = kinds.map(ItemKind::name).collect();
    schema
        .with("if", json!({ "required": ["kind"], "properties": { "kind": { "enum": kinds } } }))
        .with("then", json!({ "properties": { "bin": false, "build": false } }))
}

/// Allows only one pin, and no list of items where all items are installed.
pub(in crate::manifest) fn exclude_contradictions(schema: Schema) -> Schema {
    exclude_other_pins(schema)
        .with("if", json!({ "required": ["install"], "properties": { "install": { "const": true } } }))
        .with("then", json!({ "properties": { "install-items": { "maxItems": 0 } } }))
}
