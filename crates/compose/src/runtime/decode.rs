//! Decodes runtime descriptors.

use minds_diagnostics::Diagnostic;
use minds_document::{Context, Decode, Node, Value, decode_list, rules};

use super::model::{RatePattern, Runtime};
use crate::decode::decode_not_blank;
use crate::field_decoders::{decode_nullable, decode_unless_empty};
use crate::raw_scalar::RawScalar;
use crate::rules::invalid_pattern;

impl Decode for Runtime {
    fn decode(node: Node<'_>, cx: &mut Context) -> Option<Self> {
        let mut fields = cx.fields(node)?;
        let runtime = Self {
            binary: fields.require_with("binary", decode_not_blank),
            supports_mcp: fields.read("supports_mcp"),
            session_resume: decode_nullable(&mut fields, "session_resume", RawScalar::decode),
            default_model: decode_nullable(&mut fields, "default_model", RawScalar::decode),
            env: decode_unless_empty(&mut fields, "env", env),
            rate_limit_patterns: decode_unless_empty(&mut fields, "rate_limit_patterns", |node, cx| {
                decode_list(node, cx, "a list of patterns", RatePattern::decode)
            }),
        };
        let _ = fields.finish();
        Some(runtime)
    }
}

fn env(node: Node<'_>, cx: &mut Context) -> Option<Vec<(String, RawScalar)>> {
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

impl Decode for RatePattern {
    fn decode(node: Node<'_>, cx: &mut Context) -> Option<Self> {
        let mut fields = cx.fields(node)?;
        let pattern = Self {
            matches: fields.require_with("match", invalid_pattern::decode_match),
            resets_at_capture: decode_nullable(
                &mut fields,
                "resets_at_capture",
                invalid_pattern::decode_capture,
            ),
            resets_in_capture: decode_nullable(
                &mut fields,
                "resets_in_capture",
                invalid_pattern::decode_capture,
            ),
        };
        let _ = fields.finish();
        Some(pattern)
    }
}
