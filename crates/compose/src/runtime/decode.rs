//! Decoders and JSON Schemas of values of runtime descriptors.

use minds_diagnostics::Diagnostic;
use minds_document::json_schema::{Keywords as _, Schema, SchemaGenerator, json, mapping};
use minds_document::{Context, Decode as _, Node, Value, rules};

use crate::raw_scalar::RawScalar;

/// Decodes environment variables.
pub(super) fn env(node: Node<'_>, cx: &mut Context) -> Option<Vec<(String, RawScalar)>> {
    if node.value() != Value::Mapping {
        cx.type_error(node, "a mapping from names to values");
        return None;
    }
    let mut variables = Vec::new();
    for entry in node.entries() {
        if !cx.is_merge_key(&entry)
            && !entry.key.starts_with("x-")
            && let Some(value) = RawScalar::decode(entry.value, cx)
        {
            if entry.key.trim().is_empty() || entry.key.contains(['=', '\0']) {
                cx.report(entry.key_node, &rules::VALUE, || {
                    Diagnostic::new(&rules::VALUE, "the key is not a valid variable name")
                        .primary(entry.key_node.label())
                        .help("write a name without `=`")
                });
            }
            variables.push((entry.key.to_owned(), value));
        }
    }
    Some(variables)
}

pub(super) fn env_schema(generator: &mut SchemaGenerator) -> Schema {
    let name = json!({
        "not": { "const": "<<" },
        "anyOf": [{ "pattern": "^x-" }, { "pattern": "^(?=[\\s\\S]*\\S)[^=\\u0000]+$" }],
    });
    mapping(generator.subschema_for::<RawScalar>()).user_keys().with("propertyNames", name)
}

pub(super) fn capture_schema(generator: &mut SchemaGenerator) -> Schema {
    generator.subschema_for::<RawScalar>().pattern("\\(", "must have a group")
}
