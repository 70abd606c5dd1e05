//! Decodes `team-compose.yaml`.

use minds_document::json_schema::{Keywords as _, Schema, SchemaGenerator, json_schema, mapping, string};
use minds_document::yaml::KeyOrder;
use minds_document::{Context, Decode, List, Node, UrlKind, Value, decode_keys, inline_schema};

use crate::model::{AdapterConfig, Hook, ProjectEntry};
use crate::raw_scalar::RawScalar;
use crate::timestamp::is_timestamp;
use crate::values::{number, number_schema};

impl Decode for AdapterConfig {
    fn decode(_: Node<'_>, _: &mut Context) -> Option<Self> {
        Some(Self)
    }
}

inline_schema!(AdapterConfig, |_| json_schema!({}));

impl Decode for ProjectEntry {
    const ORDER: KeyOrder = KeyOrder::of::<Self>();

    fn decode(node: Node<'_>, cx: &mut Context) -> Option<Self> {
        if let Value::String(path) = node.value() {
            cx.type_error_with(node, "a mapping", |found| found.help(format!("write `file: {path}`")));
            return None;
        }
        decode_keys(node, cx, |_| None)
    }
}

/// Decodes the limits by project.
pub(crate) fn project_limits(node: Node<'_>, cx: &mut Context) -> Option<Vec<(String, f64)>> {
    if node.value() != Value::Mapping {
        cx.type_error(node, "a mapping from projects to numbers");
        return None;
    }
    let mut limits = Vec::new();
    for entry in node.entries() {
        // Each key is a project, even one that begins with `x-`.
        if !cx.is_merge_key(&entry)
            && let Some(limit) = number(entry.value, cx)
        {
            limits.push((entry.key.to_owned(), limit));
        }
    }
    Some(limits)
}

pub(crate) fn project_limits_schema(generator: &mut SchemaGenerator) -> Schema {
    mapping(number_schema(generator)).no_merge_key()
}

/// Decodes a date, or a date and a time of day.
pub(crate) fn timestamp(node: Node<'_>, cx: &mut Context) -> Option<RawScalar> {
    let text = RawScalar::decode(node, cx)?;
    if is_timestamp(&text) {
        return Some(text);
    }
    cx.value_error(node, "a date, or a date and a time", |found| {
        found.help("write it like `2026-05-01` or `2026-05-01T09:00:00Z`")
    });
    None
}

pub(crate) fn timestamp_schema(_: &mut SchemaGenerator) -> Schema {
    string().pattern("^\\d{4}-\\d{2}-\\d{2}([Tt ]\\d{2}:\\d{2}.*)?$", "must be a date, or a date and a time")
}

pub(crate) fn http_url(node: Node<'_>, cx: &mut Context) -> Option<RawScalar> {
    UrlKind::HTTP.decode(node, cx).map(RawScalar)
}

pub(crate) fn http_url_schema(_: &mut SchemaGenerator) -> Schema {
    UrlKind::HTTP.json_schema()
}

impl Decode for Hook {
    const ORDER: KeyOrder = KeyOrder::of::<Self>();

    fn decode(node: Node<'_>, cx: &mut Context) -> Option<Self> {
        let hook: Self = decode_keys(node, cx, |_| None)?;
        hook.check_required_keys(node, cx);
        Some(hook)
    }
}

impl Hook {
    /// Reports the keys that the action requires and the hook does not have.
    fn check_required_keys(&self, node: Node<'_>, cx: &mut Context) {
        let Some(action) = self.action.as_given() else { return };
        let is_empty = |list: &List<RawScalar>| list.items.is_empty() && list.is_complete;
        match &*action.value {
            "send" if self.to.is_absent() => {
                cx.missing_keys(node, &["to"], Some("add the recipient: `to: project:agent`"));
            }
            "webhook" if self.url.is_absent() && self.url_env.is_absent() => {
                cx.missing_keys(
                    node,
                    &["url"],
                    Some("add `url:`, or `url_env:` with the name of an environment variable"),
                );
            }
            "run" if self.command.is_absent() => {
                cx.missing_keys(node, &["command"], Some("add the command: `command: [program, argument]`"));
            }
            "run" => {
                let Some(command) = self.command.as_given() else { return };
                let blank = command.value.items.first().filter(|program| program.value.trim().is_empty());
                let blank = blank.map(|program| program.node);
                if let Some(invalid) = blank.or_else(|| is_empty(&command.value).then_some(command.node)) {
                    let node = node.document().node(invalid);
                    cx.value_error(node, "a program and its arguments", |found| found);
                }
            }
            _ => {}
        }
    }
}
