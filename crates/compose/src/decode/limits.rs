//! Decoders of `hitl` and `rate_limits`.

use minds_document::{Context, Decode, List, Node, UrlKind, decode_list};

use super::{decode_not_blank, decode_raw_keyword};
use crate::field_decoders::{decode_count, decode_nullable, decode_strings, decode_unless_empty};
use crate::model::{AutoApproval, Hitl, Hook, RateLimits};
use crate::raw_scalar::RawScalar;
use crate::timestamp::is_timestamp;

impl Decode for Hitl {
    fn decode(node: Node<'_>, cx: &mut Context) -> Option<Self> {
        let mut fields = cx.fields(node)?;
        let hitl = Self {
            globally_sensitive_actions: decode_unless_empty(
                &mut fields,
                "globally_sensitive_actions",
                decode_strings,
            ),
            auto_approve_windows: decode_unless_empty(&mut fields, "auto_approve_windows", |node, cx| {
                decode_list(node, cx, "a list of approvals", AutoApproval::decode)
            }),
        };
        let _ = fields.finish();
        Some(hitl)
    }
}

impl Decode for AutoApproval {
    fn decode(node: Node<'_>, cx: &mut Context) -> Option<Self> {
        let mut fields = cx.fields(node)?;
        let approval = Self {
            action: fields.require("action"),
            project: decode_nullable(&mut fields, "project", RawScalar::decode),
            agent: decode_nullable(&mut fields, "agent", RawScalar::decode),
            scope: decode_nullable(&mut fields, "scope", RawScalar::decode),
            until: fields.require_with("until", decode_timestamp),
        };
        let _ = fields.finish();
        Some(approval)
    }
}

fn decode_timestamp(node: Node<'_>, cx: &mut Context) -> Option<RawScalar> {
    let text = RawScalar::decode(node, cx)?;
    if is_timestamp(&text) {
        return Some(text);
    }
    cx.value_error(node, "a date, or a date and a time", |found| {
        found.help("write it like `2026-05-01` or `2026-05-01T09:00:00Z`")
    });
    None
}

impl Decode for RateLimits {
    fn decode(node: Node<'_>, cx: &mut Context) -> Option<Self> {
        let mut fields = cx.fields(node)?;
        let mut limits = Self {
            default_on_hit: decode_unless_empty(&mut fields, "default_on_hit", decode_strings),
            hooks: decode_unless_empty(&mut fields, "hooks", |node, cx| {
                decode_list(node, cx, "a list of hooks", Hook::decode)
            }),
            fallback_wait_seconds: fields.read_with("fallback_wait_seconds", decode_count),
        };
        fields.finish().mark_unreadable("hooks", &mut limits.hooks);
        Some(limits)
    }
}

impl Decode for Hook {
    fn decode(node: Node<'_>, cx: &mut Context) -> Option<Self> {
        let mut fields = cx.fields(node)?;
        let mut hook = Self {
            name: fields.require_with("name", decode_not_blank),
            action: fields.require_with("action", |node, cx| decode_raw_keyword(node, &Self::ACTIONS, cx)),
            to: decode_nullable(&mut fields, "to", decode_not_blank),
            template: decode_nullable(&mut fields, "template", RawScalar::decode),
            url: decode_nullable(&mut fields, "url", |node, cx| {
                UrlKind::HTTP.decode(node, cx).map(RawScalar)
            }),
            url_env: decode_nullable(&mut fields, "url_env", decode_not_blank),
            method: decode_nullable(&mut fields, "method", RawScalar::decode),
            command: decode_unless_empty(&mut fields, "command", decode_strings),
        };
        let misspelled = fields.finish();
        misspelled.mark_unreadable("to", &mut hook.to);
        misspelled.mark_unreadable("url", &mut hook.url);
        misspelled.mark_unreadable("url_env", &mut hook.url_env);
        misspelled.mark_unreadable("command", &mut hook.command);
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
