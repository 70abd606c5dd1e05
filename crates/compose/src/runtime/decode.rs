//! From the tree of a descriptor to the model.

use minds_diagnostics::Diagnostic;
use minds_document::{Context, Decode, Node, Value, decode_list, rules};

use super::model::{RatePattern, Runtime};
use crate::decode::not_blank;
use crate::rules::invalid_pattern;
use crate::spelled::Spelled;
use crate::texts::{nullable, unless_empty};

impl Decode for Runtime {
    fn decode(node: Node<'_>, cx: &mut Context) -> Option<Self> {
        let mut fields = cx.fields(node)?;
        let runtime = Self {
            binary: fields.required_with("binary", not_blank),
            supports_mcp: fields.optional("supports_mcp"),
            session_resume: nullable(&mut fields, "session_resume", Spelled::decode),
            default_model: nullable(&mut fields, "default_model", Spelled::decode),
            env: unless_empty(&mut fields, "env", env),
            rate_limit_patterns: unless_empty(&mut fields, "rate_limit_patterns", |node, cx| {
                decode_list(node, cx, "a list of patterns", RatePattern::decode)
            }),
        };
        let _ = fields.finish();
        Some(runtime)
    }
}

fn env(node: Node<'_>, cx: &mut Context) -> Option<Vec<(String, Spelled)>> {
    if node.value() != Value::Mapping {
        cx.type_error(node, "a mapping from names to values");
        return None;
    }
    let mut variables = Vec::new();
    for entry in node.entries() {
        if !cx.is_merge_key(&entry)
            && !entry.key.starts_with("x-")
            && let Some(value) = Spelled::decode(entry.value, cx)
        {
            if entry.key.trim().is_empty() || entry.key.contains(['=', '\0']) {
                cx.report(entry.key_node, &rules::VALUE, || {
                    Diagnostic::new(&rules::VALUE, "the key is no name of a variable")
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
            matches: fields.required_with("match", invalid_pattern::matching),
            resets_at_capture: nullable(&mut fields, "resets_at_capture", invalid_pattern::capturing),
            resets_in_capture: nullable(&mut fields, "resets_in_capture", invalid_pattern::capturing),
        };
        let _ = fields.finish();
        Some(pattern)
    }
}
