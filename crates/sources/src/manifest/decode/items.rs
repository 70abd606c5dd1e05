//! Decoding `[[items]]`.

use minds_document::{Context, Decode, Field, Keys as _, Node, Spanned};

use crate::ItemKind;
use crate::manifest::model::{ItemEntry, ItemKeys};
use crate::rules::{invalid_link, tool_only_key};

impl Decode for ItemEntry {
    fn decode(node: Node<'_>, cx: &mut Context) -> Option<Self> {
        let mut keys = ItemKeys::from_fields(cx.fields(node)?, |_| None);
        for key in keys.missing_keys() {
            let kinds = ItemKind::ALL.map(|kind| format!("`{}`", kind.name())).join(", ");
            let help = (key == "kind").then(|| format!("add `kind =` with one of {kinds}"));
            cx.missing_keys(node, &[key], help.as_deref());
        }
        if let Some(kind) = keys.kind.as_given() {
            tool_only_key::check(node, kind.value, cx);
            if let Some(link) = keys.link.as_given() {
                let place = node.document().node(link.node);
                if !invalid_link::check(place, kind.value, &link.value, cx) {
                    keys.link = Field::Unreadable(Spanned::new((), place));
                }
            }
        }
        keys.complete()
    }
}
