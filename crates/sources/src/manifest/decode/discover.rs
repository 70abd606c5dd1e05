//! Decoding `[discover]`.

use minds_document::{Context, Decode, List, Node, Text, decode_list};

use super::{hooks, pin, require_value, values};
use crate::manifest::model::{AuthFailureAction, AuthFailureEntry, Discover, Globs, NestedEntry};
use crate::rules::{conflicting_pins, conflicting_selection, invalid_glob, invalid_reference, invalid_spec};
use crate::{GlobPattern, ItemKey};

impl Decode for Discover {
    fn decode(node: Node<'_>, cx: &mut Context) -> Option<Self> {
        let mut fields = cx.fields(node)?;
        let mut discover = Self {
            skills: fields.read("skills"),
            agents: fields.read("agents"),
            rules: fields.read("rules"),
            tools: fields.read("tools"),
            sources: fields.read_with("sources", |node, cx| {
                decode_list(node, cx, "a list of tables", NestedEntry::decode)
            }),
        };
        let misspelled = fields.finish();
        misspelled.mark_unreadable("skills", &mut discover.skills);
        misspelled.mark_unreadable("agents", &mut discover.agents);
        misspelled.mark_unreadable("rules", &mut discover.rules);
        misspelled.mark_unreadable("tools", &mut discover.tools);
        misspelled.mark_unreadable("sources", &mut discover.sources);
        Some(discover)
    }
}

impl Decode for Globs {
    fn decode(node: Node<'_>, cx: &mut Context) -> Option<Self> {
        let mut fields = cx.fields(node)?;
        let mut globs = Self {
            include: fields.read_with("include", patterns),
            exclude: fields.read_with("exclude", patterns),
        };
        let misspelled = fields.finish();
        misspelled.mark_unreadable("include", &mut globs.include);
        misspelled.mark_unreadable("exclude", &mut globs.exclude);
        Some(globs)
    }
}

fn patterns(node: Node<'_>, cx: &mut Context) -> Option<List<GlobPattern>> {
    decode_list(node, cx, "a list of patterns", |item, cx| {
        let text = Text::decode(item, cx)?;
        GlobPattern::parse(&text).map_err(|error| invalid_glob::report(item, &text, error, cx)).ok()
    })
}

impl Decode for NestedEntry {
    fn decode(node: Node<'_>, cx: &mut Context) -> Option<Self> {
        let mut fields = cx.fields(node)?;
        let source = fields.read_with("source", invalid_spec::decode);
        let mut r#as = fields.read_with("as", values::prefix);
        let mut install = fields.read("install");
        let mut install_items = fields.read_with("install-items", keys);
        let pin = pin(&mut fields);
        let mut roots = fields.read_with("roots", values::roots);
        let mut hooks = fields.read_with("hooks", hooks::list);
        let mut on_auth_failure = fields.read("on-auth-failure");
        let misspelled = fields.finish();
        misspelled.mark_unreadable("as", &mut r#as);
        misspelled.mark_unreadable("install", &mut install);
        misspelled.mark_unreadable("install-items", &mut install_items);
        misspelled.mark_unreadable("roots", &mut roots);
        misspelled.mark_unreadable("hooks", &mut hooks);
        misspelled.mark_unreadable("on-auth-failure", &mut on_auth_failure);
        if source.is_absent() && !misspelled.contains("source") {
            cx.missing_keys(node, &["source"], None);
        }
        conflicting_pins::check(node, &pin, cx);
        conflicting_selection::check(node, &install, &install_items, cx);
        Some(Self {
            source: require_value(source)?,
            r#as,
            install,
            install_items,
            pin,
            roots,
            hooks,
            on_auth_failure,
        })
    }
}

/// Decodes references to items of another source: a kind and a name each.
fn keys(node: Node<'_>, cx: &mut Context) -> Option<List<ItemKey>> {
    decode_list(node, cx, "a list of `kind:name`", |item, cx| {
        let text = Text::decode(item, cx)?;
        ItemKey::parse(&text).map_err(|error| invalid_reference::report(item, &text, &error, cx)).ok()
    })
}

impl Decode for AuthFailureEntry {
    fn decode(node: Node<'_>, cx: &mut Context) -> Option<Self> {
        let mut fields = cx.fields(node)?;
        let action = fields.read_with("action", |node, cx| {
            let words = AuthFailureAction::ALL.map(AuthFailureAction::name);
            values::keyword(node, &words, cx, AuthFailureAction::find)
        });
        let mut message = fields.read_with("message", values::description);
        let misspelled = fields.finish();
        misspelled.mark_unreadable("message", &mut message);
        if action.is_absent() && !misspelled.contains("action") {
            let words = AuthFailureAction::ALL.map(|action| format!("`{}`", action.name())).join(", ");
            cx.missing_keys(node, &["action"], Some(&format!("add `action =` with one of {words}")));
        }
        Some(Self { action: require_value(action)?, message })
    }
}
