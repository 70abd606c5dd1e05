//! Decoding `[[items]]`.

use minds_document::{Context, Decode, List, Node, decode_list};

use super::{hooks, require_value, values};
use crate::ItemKind;
use crate::manifest::model::ItemEntry;
use crate::rules::{invalid_link, tool_only_key};

pub(super) fn list(node: Node<'_>, cx: &mut Context) -> Option<List<ItemEntry>> {
    decode_list(node, cx, "a list of tables", ItemEntry::decode)
}

impl Decode for ItemEntry {
    fn decode(node: Node<'_>, cx: &mut Context) -> Option<Self> {
        let mut fields = cx.fields(node)?;
        let kind = fields.read_with("kind", kind);
        let name = fields.read_with("name", values::name);
        let path = fields.read_with("path", values::path);
        let link_node = fields.entry("link").map(|entry| entry.value);
        let mut link = fields.read_with("link", values::relative_path);
        let mut description = fields.read_with("description", values::description);
        let mut bin = fields.read_with("bin", values::relative_path);
        let mut build = fields.read_with("build", values::command);
        let mut install = fields.read_with("install", values::command);
        let mut uninstall = fields.read_with("uninstall", values::command);
        let mut hooks = fields.read_with("hooks", hooks::list);
        let misspelled = fields.finish();
        misspelled.mark_unreadable("link", &mut link);
        misspelled.mark_unreadable("description", &mut description);
        misspelled.mark_unreadable("bin", &mut bin);
        misspelled.mark_unreadable("build", &mut build);
        misspelled.mark_unreadable("install", &mut install);
        misspelled.mark_unreadable("uninstall", &mut uninstall);
        misspelled.mark_unreadable("hooks", &mut hooks);
        let missing = [("kind", kind.is_absent()), ("name", name.is_absent()), ("path", path.is_absent())];
        for (key, _) in missing.into_iter().filter(|(key, missing)| *missing && !misspelled.contains(key)) {
            let kinds = ItemKind::ALL.map(|kind| format!("`{}`", kind.name())).join(", ");
            let help = (key == "kind").then(|| format!("add `kind =` with one of {kinds}"));
            cx.missing_keys(node, &[key], help.as_deref());
        }
        if let Some(kind) = kind.as_given() {
            tool_only_key::check(node, kind.value, cx);
            if let (Some(given), Some(link_node)) = (link.as_given(), link_node)
                && !invalid_link::check(link_node, kind.value, &given.value, cx)
            {
                link = minds_document::Field::Unreadable(minds_document::Spanned::new((), link_node));
            }
        }
        Some(Self {
            kind: require_value(kind)?,
            name: require_value(name)?,
            path: require_value(path)?,
            link,
            description,
            bin,
            build,
            install,
            uninstall,
            hooks,
        })
    }
}

fn kind(node: Node<'_>, cx: &mut Context) -> Option<ItemKind> {
    values::keyword(node, &ItemKind::ALL.map(ItemKind::name), cx, ItemKind::find)
}
