//! Decoding `[[hooks]]` of the source, an item or a nested source.

use minds_document::{Context, Decode, List, Node, decode_list};

use super::{require_value, values};
use crate::HookEvent;
use crate::manifest::model::HookEntry;

pub(super) fn list(node: Node<'_>, cx: &mut Context) -> Option<List<HookEntry>> {
    decode_list(node, cx, "a list of tables", HookEntry::decode)
}

impl Decode for HookEntry {
    fn decode(node: Node<'_>, cx: &mut Context) -> Option<Self> {
        let mut fields = cx.fields(node)?;
        let run = fields.read_with("run", values::command);
        let mut name = fields.read_with("name", values::description);
        let mut optional = fields.read("optional");
        let mut event = fields.read_with("event", event);
        let misspelled = fields.finish();
        misspelled.mark_unreadable("name", &mut name);
        misspelled.mark_unreadable("optional", &mut optional);
        misspelled.mark_unreadable("event", &mut event);
        if run.is_absent() && !misspelled.contains("run") {
            cx.missing_keys(node, &["run"], None);
        }
        Some(Self { run: require_value(run)?, name, optional, event })
    }
}

fn event(node: Node<'_>, cx: &mut Context) -> Option<HookEvent> {
    values::keyword(node, &HookEvent::ALL.map(HookEvent::name), cx, HookEvent::find)
}
