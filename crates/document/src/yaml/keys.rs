//! Reports duplicate keys of a mapping.

use minds_diagnostics::{Diagnostic, Problems};

use super::duplicates::duplicates;
use crate::rules;
use crate::tree::{Content, Document, NodeId};

/// Reports the keys of a mapping that repeat an earlier one, and returns their nodes. Keys that are not strings are
/// skipped. `most` is an upper limit of the number of keys.
pub(super) fn check_keys(document: &Document, mapping: u32, most: u32, problems: &mut Problems) -> Vec<u32> {
    let nodes = &document.nodes;
    let end = nodes.get(mapping as usize).map_or(0, |raw| raw.end);
    let mut keys: Vec<(&str, NodeId)> = Vec::with_capacity(most as usize);
    let mut next = mapping + 1;
    while next < end {
        let Some(raw) = nodes.get(next as usize) else { break };
        let target = match raw.content {
            Content::Alias(target) => target,
            _ => next,
        };
        if let Some(text) = document.node(NodeId(target)).scalar_text() {
            keys.push((text, NodeId(next)));
        }
        // The value follows its key, and the next key follows the value.
        let value = raw.end.max(next + 1);
        next = nodes.get(value as usize).map_or(end, |raw| raw.end.max(value + 1));
    }
    let mut repeated = Vec::new();
    duplicates(&keys, |at, first| {
        let (Some((key, again)), Some((_, first))) = (keys.get(at), keys.get(first)) else { return };
        repeated.push(again.0);
        let (again, first) = (document.node(*again), document.node(*first));
        problems.report(document.source(), again.span(), &rules::DUPLICATE_KEY, || {
            Diagnostic::new(&rules::DUPLICATE_KEY, format!("the key `{key}` is defined twice"))
                .primary(again.label().message("defined again"))
                .secondary(first.label().message("first defined here"))
                .pointer(again.pointer())
                .help("remove one of the two")
        });
    });
    repeated
}
