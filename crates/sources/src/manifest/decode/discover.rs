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
            skills: fields.optional("skills"),
            agents: fields.optional("agents"),
            rules: fields.optional("rules"),
            tools: fields.optional("tools"),
            sources: fields.optional_with("sources", |node, cx| {
                decode_list(node, cx, "a list of tables", NestedEntry::decode)
            }),
        };
        let misspelled = fields.finish();
        misspelled.mark("skills", &mut discover.skills);
        misspelled.mark("agents", &mut discover.agents);
        misspelled.mark("rules", &mut discover.rules);
        misspelled.mark("tools", &mut discover.tools);
        misspelled.mark("sources", &mut discover.sources);
        Some(discover)
    }
}

impl Decode for Globs {
    fn decode(node: Node<'_>, cx: &mut Context) -> Option<Self> {
        let mut fields = cx.fields(node)?;
        let mut globs = Self {
            include: fields.optional_with("include", patterns),
            exclude: fields.optional_with("exclude", patterns),
        };
        let misspelled = fields.finish();
        misspelled.mark("include", &mut globs.include);
        misspelled.mark("exclude", &mut globs.exclude);
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
        let source = fields.optional_with("source", invalid_spec::decode);
        let mut r#as = fields.optional_with("as", values::prefix);
        let mut install = fields.optional("install");
        let mut install_items = fields.optional_with("install-items", keys);
        let pin = pin(&mut fields);
        let mut roots = fields.optional_with("roots", values::roots);
        let mut hooks = fields.optional_with("hooks", hooks::list);
        let mut on_auth_failure = fields.optional("on-auth-failure");
        let misspelled = fields.finish();
        misspelled.mark("as", &mut r#as);
        misspelled.mark("install", &mut install);
        misspelled.mark("install-items", &mut install_items);
        misspelled.mark("roots", &mut roots);
        misspelled.mark("hooks", &mut hooks);
        misspelled.mark("on-auth-failure", &mut on_auth_failure);
        if source.is_absent() && !misspelled.has("source") {
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
        let action = fields.optional_with("action", |node, cx| {
            let words = AuthFailureAction::ALL.map(AuthFailureAction::name);
            values::keyword(node, &words, cx, AuthFailureAction::find)
        });
        let mut message = fields.optional_with("message", values::description);
        let misspelled = fields.finish();
        misspelled.mark("message", &mut message);
        if action.is_absent() && !misspelled.has("action") {
            let words = AuthFailureAction::ALL.map(|action| format!("`{}`", action.name())).join(", ");
            cx.missing_keys(node, &["action"], Some(&format!("add `action =` with one of {words}")));
        }
        Some(Self { action: require_value(action)?, message })
    }
}
