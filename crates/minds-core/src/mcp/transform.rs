//! Decodes and applies the renaming of tools.

use std::borrow::Cow;

use minds_diagnostics::Diagnostic;
use minds_document::json_schema::{JsonSchema, Keywords as _, Schema, SchemaGenerator, any_of, json, string};
use minds_document::yaml::KeyOrder;
use minds_document::{Context, Decode, Field, Keys, Node, Text, Value, decode_keys, rules};

use super::model::Transform;
use crate::named_entries::own_entries;

/// The maximum length in bytes of a name that is followed. Longer names are not valid, and steps could make them grow
/// without limit.
pub(crate) const MAX_FOLLOWED_BYTES: usize = 1_024;

/// The maximum number of steps that are followed.
pub(crate) const MAX_STEPS: usize = 64;

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

/// The order of the keys in a list of steps.
pub(super) const TRANSFORMS: KeyOrder = KeyOrder::Items(const { &KeyOrder::of::<TransformFields>() });

/// The keys of a step.
#[derive(Default, Keys)]
#[keys(title = "transform", define = "transform", extend = require_one)]
struct TransformFields {
    /// The text that is prepended to the name.
    #[key(decode = prefix, schema = prefix_schema, order = KeyOrder::of::<ReplacedPrefix>())]
    prefix: Field<Transform>,
    /// The text that is appended to the name.
    suffix: Field<Text>,
}

/// The keys of a prefix that replaces another one.
#[derive(Default, Keys)]
#[keys(title = "prefix")]
struct ReplacedPrefix {
    /// The prefix to remove, if present.
    #[key(required)]
    remove: Field<Text>,
    /// The prefix to add in any case.
    #[key(required)]
    add: Field<Text>,
}

/// Demands one of the keys, and not both.
fn require_one(schema: Schema) -> Schema {
    schema.condition(json!({
        "if": { "required": ["prefix"] },
        "then": { "properties": { "suffix": false } },
        "else": { "required": ["suffix"] },
    }))
}

impl JsonSchema for Transform {
    fn schema_name() -> Cow<'static, str> {
        TransformFields::schema_name()
    }

    fn schema_id() -> Cow<'static, str> {
        TransformFields::schema_id()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        TransformFields::json_schema(generator)
    }
}

impl Decode for Transform {
    const ORDER: KeyOrder = KeyOrder::of::<TransformFields>();

    fn decode(node: Node<'_>, cx: &mut Context) -> Option<Self> {
        if node.value() != Value::Mapping {
            cx.type_error(node, "a mapping with `prefix` or `suffix`");
            return None;
        }
        let (prefix_key, suffix_key) = (key(node, "prefix"), key(node, "suffix"));
        let mut fields = cx.fields(node)?;
        let TransformFields { prefix, suffix } = TransformFields::read_keys(&mut fields);
        let has_others =
            own_entries(node).any(|entry| TransformFields::KEYS.iter().all(|key| key.name != entry.key));
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
            let ReplacedPrefix { remove, add } = decode_keys(node, cx, |_| None)?;
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

fn prefix_schema(generator: &mut SchemaGenerator) -> Schema {
    any_of([string(), generator.subschema_for::<ReplacedPrefix>()])
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
