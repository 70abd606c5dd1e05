//! Decodes access lists.

use std::borrow::Cow;

use minds_access_control::{Extension, MAX_PATTERN_BYTES, Pattern};
use minds_document::json_schema::{JsonSchema, Keywords as _, Schema, SchemaGenerator, json, list, string};
use minds_document::{Context, Decode, Node, Text, Value, decode_list, inline_schema};

use crate::model::AccessList;
use crate::rules::{invalid_extension, invalid_pattern};

impl Decode for AccessList<Pattern> {
    fn decode(node: Node<'_>, cx: &mut Context) -> Option<Self> {
        decode_list(node, cx, "a list of strings", |item, cx| {
            let Value::String(written) = item.value() else {
                // Reports the type error.
                Text::decode(item, cx);
                return None;
            };
            match Pattern::parse(written) {
                Ok(entry) => Some(entry),
                Err(error) => {
                    invalid_pattern::report(item, written, &error, cx);
                    None
                }
            }
        })
        .map(AccessList)
    }
}

impl Decode for AccessList<Extension> {
    fn decode(node: Node<'_>, cx: &mut Context) -> Option<Self> {
        decode_list(node, cx, "a list of strings", |item, cx| {
            let Value::String(written) = item.value() else {
                // Reports the type error.
                Text::decode(item, cx);
                return None;
            };
            match Extension::parse(written) {
                Ok(entry) => Some(entry),
                Err(error) => {
                    invalid_extension::report(item, written, error, cx);
                    None
                }
            }
        })
        .map(AccessList)
    }
}

inline_schema!(AccessList<Pattern>, |generator| list(generator.subschema_for::<DirectoryEntry>()));

inline_schema!(AccessList<Extension>, |generator| list(generator.subschema_for::<ExtensionEntry>()));

/// An entry of a list of directories, in schemas.
struct DirectoryEntry;

impl JsonSchema for DirectoryEntry {
    fn schema_name() -> Cow<'static, str> {
        "directory".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        string()
            .with("maxLength", json!(MAX_PATTERN_BYTES))
            .condition(json!({
                "pattern": "^(?!(.*[/\\\\])?\\.\\.([/\\\\]|$))",
                "patternErrorMessage": "must not have `..`",
            }))
            .pattern("\\S", "must name a directory")
            .describe(
                "A directory and everything below it: `*` within a segment, `**` for any number of segments.",
            )
            .examples(["src/**", "docs", ".minds/**"])
    }
}

/// An entry of a list of extensions, in schemas.
struct ExtensionEntry;

impl JsonSchema for ExtensionEntry {
    fn schema_name() -> Cow<'static, str> {
        "extension".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        string()
            .pattern("^[^/\\\\]*[^/\\\\.\\s][^/\\\\]*$", "must be an extension such as `md`")
            .describe("An extension, with or without a leading dot.")
            .examples(["md", "rs"])
    }
}
