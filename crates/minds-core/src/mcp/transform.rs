//! Decodes and applies the renaming of tools.

use minds_diagnostics::Diagnostic;
use minds_document::{Context, Decode, Field, Node, Text, Value, rules};

use super::model::Transform;
use crate::named_entries::own_entries;

/// The maximum length in bytes of a name that is followed. Longer names are not valid, and steps could make them grow
/// without limit.
const MAX_FOLLOWED_BYTES: usize = 1_024;

/// The maximum number of steps that are followed.
const MAX_STEPS: usize = 64;

/// Applies `steps` to the name of a tool; `None` if there are too many steps or the name becomes too long.
pub(crate) fn apply<'t>(name: &str, steps: impl IntoIterator<Item = &'t Transform>) -> Option<String> {
    let mut name = name.to_owned();
    for (at, step) in steps.into_iter().enumerate() {
        let (before, kept, behind) = match step {
            Transform::Prefix(prefix) => (prefix.as_str(), name.as_str(), ""),
            Transform::ReplacePrefix { remove, add } => {
                (add.as_str(), name.strip_prefix(remove.as_str()).unwrap_or(&name), "")
            }
            Transform::Suffix(suffix) => ("", name.as_str(), suffix.as_str()),
        };
        if at >= MAX_STEPS || before.len() + kept.len() + behind.len() > MAX_FOLLOWED_BYTES {
            return None;
        }
        name = [before, kept, behind].concat();
    }
    Some(name)
}

impl Decode for Transform {
    fn decode(node: Node<'_>, cx: &mut Context) -> Option<Self> {
        if node.value() != Value::Mapping {
            cx.type_error(node, "a mapping with `prefix` or `suffix`");
            return None;
        }
        let (prefix_key, suffix_key) = (key(node, "prefix"), key(node, "suffix"));
        let mut fields = cx.fields(node)?;
        let prefix = fields.read_with("prefix", prefix);
        let suffix: Field<Text> = fields.read("suffix");
        let has_others = own_entries(node).any(|entry| !matches!(entry.key, "prefix" | "suffix"));
        let _ = fields.finish();
        match (prefix, suffix) {
            (Field::Given(prefix), Field::Absent) => Some(prefix.value),
            (Field::Absent, Field::Given(suffix)) => Some(Self::Suffix(suffix.value)),
            (Field::Absent, Field::Absent) => {
                // An unknown key has been reported, and is probably the intended one.
                if !has_others {
                    cx.value_error(node, "a mapping with `prefix` or `suffix`", |found| found);
                }
                None
            }
            (prefix, suffix) => {
                if !prefix.is_absent() && !suffix.is_absent() {
                    report_prefix_and_suffix(node, prefix_key, suffix_key, cx);
                }
                None
            }
        }
    }
}

fn key<'d>(node: Node<'d>, name: &str) -> Option<Node<'d>> {
    node.entries().find(|entry| entry.key == name).map(|entry| entry.key_node)
}

/// Reports an entry with both a prefix and a suffix.
fn report_prefix_and_suffix(
    node: Node<'_>,
    prefix: Option<Node<'_>>,
    suffix: Option<Node<'_>>,
    cx: &mut Context,
) {
    let (Some(prefix), Some(suffix)) = (prefix, suffix) else { return };
    cx.report(suffix, &rules::CONFLICTING_KEYS, || {
        Diagnostic::new(&rules::CONFLICTING_KEYS, "an entry of `transform` has both `prefix` and `suffix`")
            .primary(suffix.label().message("would be ignored"))
            .secondary(prefix.label().message("is applied"))
            .help("write two entries: `- prefix: …`, then `- suffix: …`")
            .pointer(node.pointer())
    });
}

fn prefix(node: Node<'_>, cx: &mut Context) -> Option<Transform> {
    match node.value() {
        Value::String(text) => Some(Transform::Prefix(text.to_owned())),
        Value::Mapping => {
            let mut fields = cx.fields(node)?;
            let mut remove: Field<Text> = fields.read("remove");
            let mut add: Field<Text> = fields.read("add");
            let meant = fields.finish();
            meant.mark_unreadable("remove", &mut remove);
            meant.mark_unreadable("add", &mut add);
            let lacks = [("remove", remove.is_absent()), ("add", add.is_absent())];
            let missing: Vec<&str> = lacks.iter().filter(|(_, lacks)| *lacks).map(|(key, _)| *key).collect();
            cx.missing_keys(node, &missing, None);
            let (remove, add) = (remove.as_given()?.value.clone(), add.as_given()?.value.clone());
            Some(Transform::ReplacePrefix { remove, add })
        }
        Value::Null | Value::Sequence => {
            cx.type_error(node, "a string or a mapping with `remove` and `add`");
            None
        }
        _ => Text::decode(node, cx).map(Transform::Prefix),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(name: &str, steps: &[Transform], expected: &str) {
        assert_eq!(apply(name, steps).as_deref(), Some(expected), "{name}: {steps:?}");
    }

    fn replace(remove: &str, add: &str) -> Transform {
        Transform::ReplacePrefix { remove: remove.into(), add: add.into() }
    }

    #[test]
    fn steps_are_applied_in_order() {
        check("open", &[], "open");
        check("open", &[Transform::Prefix("p_".into()), Transform::Suffix("_s".into())], "p_open_s");
        check("open", &[Transform::Prefix("a".into()), Transform::Prefix("b".into())], "baopen");
        check("stock_x", &[replace("stock_", "my_")], "my_x");
        check("x", &[replace("stock_", "my_")], "my_x");
        check("x", &[Transform::Prefix("stock_".into()), replace("stock_", "")], "x");
    }

    #[test]
    fn names_do_not_grow_without_limit() {
        assert_eq!(apply("x", &[Transform::Prefix("y".repeat(2_000))]), None);
        assert_eq!(apply("x", &vec![Transform::Prefix("y".into()); 65]), None);
        assert_eq!(apply("x", &vec![Transform::Prefix("y".into()); 64]).map(|name| name.len()), Some(65));
    }
}
