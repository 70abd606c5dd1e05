//! Decoding the syntax tree of the file to the model.

pub(super) mod conditions;
mod discover;
mod items;
pub(super) mod values;

use minds_document::{Context, Decode, Entry, Keys as _, Node, decode_keys};

use super::model::{Discover, SourceTable};
use crate::rules::conflicting_pins;

/// Returns the help for a key of a table that is outside of it.
pub(super) fn help_with_table(entry: &Entry<'_>) -> Option<String> {
    let key = entry.key;
    if Discover::is_key(key) {
        return Some(format!("write it below `[discover]`, as `discover.{key}`"));
    }
    // `install` is deprecated.
    (SourceTable::is_key(key) && key != "install")
        .then(|| format!("write it below `[source]`, as `source.{key}`"))
}

impl Decode for SourceTable {
    fn decode(node: Node<'_>, cx: &mut Context) -> Option<Self> {
        let table: Self = decode_keys(node, cx, |_| None)?;
        conflicting_pins::check(node, &table.pin, cx);
        Some(table)
    }
}
