//! `project.yaml`

use minds_document::{Context, Decode, Field, Node, Spanned};

use super::says_nothing;
use crate::model::{Project, is_name};
use crate::rules::{invalid_name, legacy_form};
use crate::scalars::integer;

const LONGEST_RETENTION: i64 = 365;
/// The default retention, in days.
const USUAL_RETENTION: i64 = 30;

impl Decode for Project {
    fn decode(node: Node<'_>, cx: &mut Context) -> Option<Self> {
        if says_nothing(node) {
            return Some(Self::default());
        }
        let mut fields = cx.fields(node)?;
        let mut project = Self {
            name: fields.read_with("name", |node, cx| name(node, "a project", cx)),
            description: fields.read("description"),
            retention_days: fields.read_with("retention_days", days),
        };
        let older = fields.entry("retention");
        let meant = fields.finish();
        meant.mark_unreadable("name", &mut project.name);
        meant.mark_unreadable("retention_days", &mut project.retention_days);
        if let Some(entry) = older {
            let read = retention(entry.value, cx);
            // The suggested replacement must be valid.
            let help = match &read {
                _ if !project.retention_days.is_absent() => "remove it".to_owned(),
                Field::Given(days) => format!("write `retention_days: {}`", days.value),
                Field::Absent => format!("write `retention_days: {USUAL_RETENTION}`"),
                Field::Unreadable(_) => {
                    format!("write `retention_days` with a number from 1 to {LONGEST_RETENTION}")
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

fn days(node: Node<'_>, cx: &mut Context) -> Option<i64> {
    integer(node, cx, 1, LONGEST_RETENTION)
}

/// Reads `retention: {days: N}`.
fn retention(node: Node<'_>, cx: &mut Context) -> Field<i64> {
    let Some(mut fields) = cx.fields(node) else { return Field::Unreadable(Spanned::new((), node)) };
    let mut read = fields.read_with("days", days);
    fields.finish().mark_unreadable("days", &mut read);
    read
}

/// Reads the name of a project or an agent.
pub(super) fn name(node: Node<'_>, of: &str, cx: &mut Context) -> Option<String> {
    let text = String::decode(node, cx)?;
    if !is_name(&text) {
        invalid_name::report(node, &text, of, cx);
        return None;
    }
    Some(text)
}
