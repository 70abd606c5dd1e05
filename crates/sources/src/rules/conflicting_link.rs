use std::collections::BTreeMap;

use minds_diagnostics::{Diagnostic, rule};
use minds_document::{Context, Document, Node};
use minds_vfs::portable;

use super::escape;
use crate::manifest::{ItemEntry, Manifest};

rule! {
    pub(crate) static RULE {
        code: "source/conflicting-link",
        summary: "two items of a source have the same or nested links",
        severity: Error,
        suppressible: false,
        since: "0.1.0",
        page: "conflicting_link.md",
    }
}

/// Compares the links of the items that the file lists. Links of other items are only known on installation.
pub(crate) fn check(document: &Document, manifest: &Manifest, cx: &mut Context) {
    let mut places: BTreeMap<String, LinkedItem<'_, '_>> = BTreeMap::new();
    for item in manifest.items.as_given().into_iter().flat_map(|list| &list.value.items) {
        let item = &item.value;
        let Some(link) = link(item, manifest) else { continue };
        let node = document.node(item.link.as_given().map_or(item.name.node, |link| link.node));
        let place = portable::fold(&link);
        let Some(other) = find_conflict(&places, &place) else {
            places.insert(place, LinkedItem { link, node, item });
            continue;
        };
        // Duplicate items have their own rule.
        if is_same(other.item, item) {
            continue;
        }
        cx.report(node, &RULE, || {
            Diagnostic::new(
                &RULE,
                format!("link `{}` conflicts with the link of another item", escape(&link)),
            )
            .primary(node.label().message(format!("linked at `{}`", escape(&link))))
            .secondary(other.node.label().message(format!("linked at `{}`", escape(&other.link))))
            .help("change one of the links")
        });
    }
}

struct LinkedItem<'m, 'd> {
    link: String,
    node: Node<'d>,
    item: &'m ItemEntry,
}

/// Returns a link that is equal to `at`, above it or below it.
fn find_conflict<'p, 'm, 'd>(
    places: &'p BTreeMap<String, LinkedItem<'m, 'd>>,
    place: &str,
) -> Option<&'p LinkedItem<'m, 'd>> {
    let mut above = std::iter::successors(Some(place), |path| path.rsplit_once('/').map(|(above, _)| above));
    if let Some(found) = above.find_map(|path| places.get(path)) {
        return Some(found);
    }
    let below = format!("{place}/");
    let next = places.range(below.clone()..).next();
    next.filter(|(path, _)| path.starts_with(&below)).map(|(_, found)| found)
}

/// Returns the link of an item: its own, or the default for its kind and name. Tools have no default.
fn link(item: &ItemEntry, manifest: &Manifest) -> Option<String> {
    if let Some(link) = item.link.as_given() {
        return Some(link.value.as_str().to_owned());
    }
    if item.link.is_unreadable() {
        return None;
    }
    item.kind.value.link(&item.name.value.with_prefix(manifest.prefix()).ok()?)
}

fn is_same(a: &ItemEntry, b: &ItemEntry) -> bool {
    a.kind.value == b.kind.value && portable::is_same_name(a.name.value.as_str(), b.name.value.as_str())
}
