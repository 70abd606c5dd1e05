//! Decoding `[[discover.sources]]`.

use minds_document::{Context, Decode, Keys as _, Node, decode_keys};

use crate::manifest::model::{AuthFailureAction, AuthFailureEntry, AuthFailureKeys, NestedEntry, NestedKeys};
use crate::rules::{conflicting_pins, conflicting_selection};

impl Decode for NestedEntry {
    fn decode(node: Node<'_>, cx: &mut Context) -> Option<Self> {
        let keys: NestedKeys = decode_keys(node, cx, |_| None)?;
        conflicting_pins::check(node, &keys.pin, cx);
        conflicting_selection::check(node, &keys.install, &keys.install_items, cx);
        keys.complete()
    }
}

impl Decode for AuthFailureEntry {
    fn decode(node: Node<'_>, cx: &mut Context) -> Option<Self> {
        let keys = AuthFailureKeys::from_fields(cx.fields(node)?, |_| None);
        let actions = AuthFailureAction::ALL.map(|action| format!("`{}`", action.name())).join(", ");
        let help = format!("add `action =` with one of {actions}");
        cx.missing_keys(node, &keys.missing_keys(), Some(&help));
        keys.complete()
    }
}
