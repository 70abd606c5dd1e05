//! `tools` of a project or an agent.

use minds_document::json_schema::{Keywords as _, json, string};
use minds_document::yaml::KeyOrder;
use minds_document::{
    Context, Decode, Entry, Field, Keys as _, List, ListItem, Node, Spanned, Text, Value, inline_schema,
};

use crate::rules::{invalid_tool, legacy_form};
use crate::tools::{BUILTIN, MAX_NAME_BYTES, ToolLists, ToolName};

/// The key by which older YAML takes over the entries of another mapping.
const MERGE_KEY: &str = "<<";

/// Returns the restrictions in a mapping without `tools`: lists at the wrong level, or a merge key.
pub(super) fn find_misplaced(node: Node<'_>) -> Field<ToolLists> {
    let found = node.entries().find(|entry| matches!(entry.key, "allow" | "deny" | "confirm" | MERGE_KEY));
    found.map_or(Field::Absent, |entry| Field::Unreadable(Spanned::new((), entry.value)))
}

/// Returns the help for a list at the wrong level.
pub(super) fn help_with_tools(entry: &Entry<'_>) -> Option<String> {
    ToolLists::is_key(entry.key).then(|| format!("indent `{}` below `tools`", entry.key))
}

impl Decode for ToolLists {
    const ORDER: KeyOrder = KeyOrder::of::<Self>();

    fn decode(node: Node<'_>, cx: &mut Context) -> Option<Self> {
        if is_older_form(node) {
            return Some(nested_lists(node, cx));
        }
        let mut lists = Self::from_fields(cx.fields(node)?, |entry| {
            let is_tool = ToolName::parse(entry.key).is_ok();
            is_tool.then(|| format!("add `{}` to the list `allow` or `deny`", entry.key))
        });
        // A merge key may contribute lists.
        if let Some(merged) = node.entries().find(|entry| entry.key == MERGE_KEY) {
            let each = [&mut lists.allow, &mut lists.deny, &mut lists.confirm];
            for list in each.into_iter().filter(|list| list.is_absent()) {
                *list = Field::Unreadable(Spanned::new((), merged.value));
            }
        }
        Some(lists)
    }
}

impl Decode for ToolName {
    fn decode(node: Node<'_>, cx: &mut Context) -> Option<Self> {
        let text = Text::decode(node, cx)?;
        name(node, &text, cx)
    }
}

impl ListItem for ToolName {
    const LIST: &'static str = "a list of names of tools";
}

inline_schema!(ToolName, |_| {
    string()
        .suggest(BUILTIN.iter().map(|tool| tool.name))
        .pattern(
            "^(mcp(\\.[A-Za-z0-9_-]{1,64}){1,2}|(?!mcp\\.)[a-z][a-z0-9_]*(\\.[a-z][a-z0-9_]*)+(@v[1-9][0-9]*)?)$",
            "must be the name of a tool, as `fs.read` or `mcp.SERVER.TOOL`",
        )
        .with("maxLength", json!(MAX_NAME_BYTES))
});

fn name(node: Node<'_>, text: &str, cx: &mut Context) -> Option<ToolName> {
    match ToolName::parse(text) {
        Ok(name) => Some(name),
        Err(error) => {
            invalid_tool::report(node, text, error, cx);
            None
        }
    }
}

/// Returns whether this is the older form, a mapping from names of tools to booleans.
fn is_older_form(node: Node<'_>) -> bool {
    let is_new = node.entries().any(|entry| matches!(entry.key, "allow" | "deny" | "confirm"));
    let mut tools = node.entries().filter(|entry| entry.key.contains('.') && !entry.key.starts_with("x-"));
    !is_new && tools.any(|entry| matches!(entry.value.value(), Value::Bool(_)))
}

fn nested_lists(node: Node<'_>, cx: &mut Context) -> ToolLists {
    let place = node.key().unwrap_or(node);
    legacy_form::report(place, "a mapping of tools to `true` and `false` is an older form", cx, |found| {
        found.help("write the lists `allow` and `deny`")
    });
    let (mut allow, mut deny) = (List::default(), List::default());
    let mut r#unsafe = Field::Absent;
    for entry in node.entries().filter(|entry| !entry.key.starts_with("x-")) {
        if cx.is_merge_key(&entry) {
            deny.is_complete = false;
            continue;
        }
        let is_on = bool::decode(entry.value, cx);
        if entry.key == "unsafe" {
            r#unsafe = match is_on {
                Some(is_on) => Field::Given(Spanned::new(is_on, entry.value)),
                None => Field::Unreadable(Spanned::new((), entry.value)),
            };
            continue;
        }
        match (name(entry.key_node, entry.key, cx), is_on) {
            (Some(name), Some(true)) => allow.items.push(Spanned::new(name, entry.key_node)),
            (Some(name), Some(false)) => deny.items.push(Spanned::new(name, entry.key_node)),
            // It may have been meant to deny.
            (_, Some(false) | None) => deny.is_complete = false,
            (None, Some(true)) => allow.is_complete = false,
        }
    }
    ToolLists {
        allow: Field::Given(Spanned::new(allow, node)),
        deny: Field::Given(Spanned::new(deny, node)),
        r#unsafe,
        confirm: Field::Absent,
    }
}
