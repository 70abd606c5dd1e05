//! A model lacks a key in all layers together: `schema/missing-key`, at the highest place of the model.

use minds_document::{Context, Field};

use super::Check;

pub(super) fn check(check: &mut Check<'_>) {
    let family = check.family;
    let mut cx = Context::new();
    let models = family.models();
    for places in models.by_id.values() {
        let fields: Option<Vec<_>> =
            places.iter().map(|place| place.model.fields.as_given().map(|fields| &fields.value)).collect();
        // A part of a layer that could not be read may define the missing key.
        let (Some(fields), Some(first)) = (fields, places.first()) else { continue };
        let Some(node) = first.model.fields.as_given().map(|given| first.document.node(given.node)) else {
            continue;
        };
        let is_partial = places.iter().any(|place| place.document.is_partial());
        if is_partial || !models.is_complete {
            continue;
        }
        let lacks_provider = fields.iter().all(|fields| fields.provider.is_absent());
        let lacks_size = fields.iter().all(|fields| Field::is_absent(&fields.context_window_size));
        let keys = [("provider", lacks_provider), ("context_window_size", lacks_size)];
        let missing: Vec<&str> = keys.iter().filter(|(_, lacks)| *lacks).map(|(key, _)| *key).collect();
        cx.missing_keys(node, &missing, None);
    }
    check.problems.append(cx.into_problems());
}
