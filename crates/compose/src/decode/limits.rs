//! What people approve, and what happens at a limit.

use minds_document::{Context, Decode, List, Node, UrlKind, decode_list};

use super::{not_blank, word};
use crate::model::{AutoApproval, Hitl, Hook, RateLimits};
use crate::moment::is_moment;
use crate::spelled::Spelled;
use crate::texts::{count, list_of_texts, nullable, unless_empty};

impl Decode for Hitl {
    fn decode(node: Node<'_>, cx: &mut Context) -> Option<Self> {
        let mut fields = cx.fields(node)?;
        let hitl = Self {
            globally_sensitive_actions: unless_empty(
                &mut fields,
                "globally_sensitive_actions",
                list_of_texts,
            ),
            auto_approve_windows: unless_empty(&mut fields, "auto_approve_windows", |node, cx| {
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
            action: fields.required("action"),
            project: nullable(&mut fields, "project", Spelled::decode),
            agent: nullable(&mut fields, "agent", Spelled::decode),
            scope: nullable(&mut fields, "scope", Spelled::decode),
            until: fields.required_with("until", moment),
        };
        let _ = fields.finish();
        Some(approval)
    }
}

fn moment(node: Node<'_>, cx: &mut Context) -> Option<Spelled> {
    let text = Spelled::decode(node, cx)?;
    if is_moment(&text) {
        return Some(text);
    }
    cx.value_error(node, "a date, or a date and a time", |found| {
        found.help("write it as in `2026-05-01` or `2026-05-01T09:00:00Z`")
    });
    None
}

impl Decode for RateLimits {
    fn decode(node: Node<'_>, cx: &mut Context) -> Option<Self> {
        let mut fields = cx.fields(node)?;
        let mut limits = Self {
            default_on_hit: unless_empty(&mut fields, "default_on_hit", list_of_texts),
            hooks: unless_empty(&mut fields, "hooks", |node, cx| {
                decode_list(node, cx, "a list of hooks", Hook::decode)
            }),
            fallback_wait_seconds: fields.optional_with("fallback_wait_seconds", count),
        };
        fields.finish().mark("hooks", &mut limits.hooks);
        Some(limits)
    }
}

impl Decode for Hook {
    fn decode(node: Node<'_>, cx: &mut Context) -> Option<Self> {
        let mut fields = cx.fields(node)?;
        let mut hook = Self {
            name: fields.required_with("name", not_blank),
            action: fields.required_with("action", |node, cx| word(node, &Self::ACTIONS, cx)),
            to: nullable(&mut fields, "to", not_blank),
            template: nullable(&mut fields, "template", Spelled::decode),
            url: nullable(&mut fields, "url", |node, cx| UrlKind::HTTP.decode(node, cx).map(Spelled)),
            url_env: nullable(&mut fields, "url_env", not_blank),
            method: nullable(&mut fields, "method", Spelled::decode),
            command: unless_empty(&mut fields, "command", list_of_texts),
        };
        let meant = fields.finish();
        meant.mark("to", &mut hook.to);
        meant.mark("url", &mut hook.url);
        meant.mark("url_env", &mut hook.url_env);
        meant.mark("command", &mut hook.command);
        hook.expect_what_it_needs(node, cx);
        Some(hook)
    }
}

impl Hook {
    /// Reports what the action of the hook needs and the hook does not have.
    fn expect_what_it_needs(&self, node: Node<'_>, cx: &mut Context) {
        let Some(action) = self.action.given() else { return };
        let is_empty = |list: &List<Spelled>| list.items.is_empty() && list.is_complete;
        match &*action.value {
            "send" if self.to.is_absent() => {
                cx.missing_keys(node, &["to"], Some("say who gets the message: `to: project:agent`"));
            }
            "webhook" if self.url.is_absent() && self.url_env.is_absent() => {
                cx.missing_keys(
                    node,
                    &["url"],
                    Some("add `url:`, or `url_env:` with the name of a variable"),
                );
            }
            "run" if self.command.is_absent() => {
                cx.missing_keys(node, &["command"], Some("say what runs: `command: [program, argument]`"));
            }
            "run" => {
                let Some(command) = self.command.given() else { return };
                let blank = command.value.items.first().filter(|program| program.value.trim().is_empty());
                let blank = blank.map(|program| program.node);
                if let Some(lacking) = blank.or_else(|| is_empty(&command.value).then_some(command.node)) {
                    let node = node.document().node(lacking);
                    cx.value_error(node, "a program and its arguments", |found| found);
                }
            }
            _ => {}
        }
    }
}
