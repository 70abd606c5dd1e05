//! Reading merged values as they are in the files, without redaction.

use minds_document::{Node, Value};
use minds_fleet::merge::{MergedValue, merge};
use minds_fleet::{FleetFamily, FleetFile, Layer};

/// Merges a file of all layers.
pub(super) fn merge_files<'f, T: 'f>(
    family: &'f FleetFamily,
    get: impl Fn(&'f Layer) -> Option<&'f FleetFile<T>>,
) -> Option<MergedValue<'f>> {
    merge(family.roots(get))
}

/// Returns the name of the project that the files define.
pub(super) fn project_name(family: &FleetFamily) -> Option<String> {
    let project = merge_files(family, |layer| layer.project.as_ref())?;
    text(project.get("name")?).map(str::to_owned)
}

/// Returns a value below several keys.
pub(super) fn at<'v, 'd>(value: &'v MergedValue<'d>, keys: &[&str]) -> Option<&'v MergedValue<'d>> {
    keys.iter().try_fold(value, |value, key| value.get(key))
}

/// Returns a string.
pub(super) fn text<'d>(value: &MergedValue<'d>) -> Option<&'d str> {
    match value {
        MergedValue::Single(node) => string(*node),
        _ => None,
    }
}

/// Returns the string of a node.
fn string(node: Node<'_>) -> Option<&str> {
    node.scalar_text().filter(|_| node.value() != Value::Null)
}

/// Returns a whole number of at least 0.
pub(super) fn number(value: &MergedValue<'_>) -> Option<u64> {
    value.to_json().as_u64()
}

/// Returns whether a value is `true`.
pub(super) fn is_true(value: Option<&MergedValue<'_>>) -> bool {
    value.is_some_and(|value| value.to_json() == serde_json::Value::Bool(true))
}

/// Returns the strings of a list.
pub(super) fn strings(value: &MergedValue<'_>) -> Vec<String> {
    match value {
        MergedValue::List(items) => {
            items.iter().filter_map(|item| string(*item).map(str::to_owned)).collect()
        }
        _ => Vec::new(),
    }
}
