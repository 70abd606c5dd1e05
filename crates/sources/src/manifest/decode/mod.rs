//! Decoding the syntax tree of the file to the model.

mod discover;
mod hooks;
mod items;
mod values;

use minds_document::{Context, Decode, Node};

use super::file::require_value;
use super::model::{Manifest, PinFields, SourceTable};
use crate::rules::conflicting_pins;
use minds_document::Fields;

impl Decode for Manifest {
    fn decode(node: Node<'_>, cx: &mut Context) -> Option<Self> {
        let mut fields = cx.fields(node)?;
        let mut manifest = Self {
            source: fields.read("source"),
            hooks: fields.read_with("hooks", hooks::list),
            items: fields.read_with("items", items::list),
            discover: fields.read("discover"),
        };
        let misspelled = fields.finish_with(|entry| match entry.key {
            "sources" | "skills" | "agents" | "rules" | "tools" => {
                Some(format!("write it below `[discover]`, as `discover.{}`", entry.key))
            }
            "description" | "prefix" | "min-mind-version" | "follow-branch" | "pin-tag" | "pin-ref"
            | "roots" => Some(format!("write it below `[source]`, as `source.{}`", entry.key)),
            _ => None,
        });
        misspelled.mark_unreadable("source", &mut manifest.source);
        misspelled.mark_unreadable("hooks", &mut manifest.hooks);
        misspelled.mark_unreadable("items", &mut manifest.items);
        misspelled.mark_unreadable("discover", &mut manifest.discover);
        Some(manifest)
    }
}

impl Decode for SourceTable {
    fn decode(node: Node<'_>, cx: &mut Context) -> Option<Self> {
        let mut fields = cx.fields(node)?;
        let mut head = Self {
            description: fields.read_with("description", values::description),
            prefix: fields.read_with("prefix", values::prefix),
            min_mind_version: fields.read("min-mind-version"),
            pin: pin(&mut fields),
            roots: fields.read_with("roots", values::roots),
            install: fields.read_with("install", values::command),
        };
        let misspelled = fields.finish();
        misspelled.mark_unreadable("prefix", &mut head.prefix);
        misspelled.mark_unreadable("roots", &mut head.roots);
        misspelled.mark_unreadable("install", &mut head.install);
        conflicting_pins::check(node, &head.pin, cx);
        Some(head)
    }
}

/// Decodes the three keys of a pin.
fn pin(fields: &mut Fields<'_, '_>) -> PinFields {
    PinFields {
        follow_branch: fields.read_with("follow-branch", values::revision),
        pin_tag: fields.read_with("pin-tag", values::revision),
        pin_ref: fields.read_with("pin-ref", values::revision),
    }
}
