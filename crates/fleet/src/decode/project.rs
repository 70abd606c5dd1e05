//! `project.yaml`

use minds_document::json_schema::{Keywords as _, Schema, SchemaGenerator, string};
use minds_document::yaml::KeyOrder;
use minds_document::{Context, Decode, Field, Keys as _, LimitedNumber as _, Node, Spanned};

use super::is_empty_layer;
use crate::model::{MAX_RETENTION, Project, is_name};
use crate::rules::{invalid_name, legacy_form};

/// The default retention, in days.
const USUAL_RETENTION: i64 = 30;

impl Decode for Project {
    const ORDER: KeyOrder = KeyOrder::of::<Self>();

    fn decode(node: Node<'_>, cx: &mut Context) -> Option<Self> {
        if is_empty_layer(node) {
            return Some(Self::default());
        }
        let mut fields = cx.fields(node)?;
        let older = fields.entry("retention");
        let mut project = Self::from_fields(fields, |_| None);
        if let Some(entry) = older {
            let read = retention(entry.value, cx);
            // The suggested replacement must be valid.
            let help = match &read {
                _ if !project.retention_days.is_absent() => "remove it".to_owned(),
                Field::Given(days) => format!("write `retention_days: {}`", days.value),
                Field::Absent => format!("write `retention_days: {USUAL_RETENTION}`"),
                Field::Unreadable(_) => {
                    format!("write `retention_days` with a number from 1 to {MAX_RETENTION}")
                }
            };
            legacy_form::report(
                entry.key_node,
                "`retention` is the older form of `retention_days`",
                cx,
                |found| found.help(help),
            );
            if project.retention_days.is_absent() {
                project.retention_days = read;
            }
        }
        Some(project)
    }
}

/// Reads `retention: {days: N}`.
fn retention(node: Node<'_>, cx: &mut Context) -> Field<i64> {
    let Some(mut fields) = cx.fields(node) else { return Field::Unreadable(Spanned::new((), node)) };
    let mut read =
        fields.read_with("days", |node, cx| i64::decode_within((1..=MAX_RETENTION).into(), node, cx));
    fields.finish().mark_unreadable("days", &mut read);
    read
}

pub(crate) fn project_name(node: Node<'_>, cx: &mut Context) -> Option<String> {
    name(node, "a project", cx)
}

pub(crate) fn agent_name(node: Node<'_>, cx: &mut Context) -> Option<String> {
    name(node, "an agent", cx)
}

fn name(node: Node<'_>, of: &str, cx: &mut Context) -> Option<String> {
    let text = String::decode(node, cx)?;
    if !is_name(&text) {
        invalid_name::report(node, &text, of, cx);
        return None;
    }
    Some(text)
}

pub(crate) fn name_schema(_: &mut SchemaGenerator) -> Schema {
    string().pattern("^[A-Za-z0-9_-]+$", "must be letters, digits, `_` and `-`")
}
