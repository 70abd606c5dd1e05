//! Decodes the fields of a member and of `member_defaults`.

use minds_document::json_schema::{Keywords as _, Schema, SchemaGenerator, integer, list, string};
use minds_document::yaml::KeyOrder;
use minds_document::{Context, Decode, Keys as _, Node, Value, inline_schema};

use super::model_params;
use crate::catalog::{PROVIDERS, TOOLSETS, find_toolset, toolset_names};
use crate::model::{Effort, MemberFields};
use crate::params::SECTIONS;

/// Returns whether `key` is a key of members, for hints about keys at the wrong level.
pub(super) fn is_key(key: &str) -> bool {
    MemberFields::KEYS.iter().any(|known| known.name == key)
}

impl Decode for MemberFields {
    const ORDER: KeyOrder = KeyOrder::of::<Self>();

    fn decode(node: Node<'_>, cx: &mut Context) -> Option<Self> {
        let hint = |key: &str| model_params::hint(key, SECTIONS, "model_params.");
        Some(Self::from_fields(cx.fields(node)?, |entry| hint(entry.key)))
    }
}

impl Decode for Effort {
    fn decode(node: Node<'_>, cx: &mut Context) -> Option<Self> {
        const EXPECTED: &str = "an integer from 0 to 100";
        let number = match node.value() {
            Value::Integer(number) => number,
            #[expect(
                clippy::cast_possible_truncation,
                reason = "a float without a fraction that is out of range stays so"
            )]
            Value::Float(number) if number.fract() == 0.0 => number as i64,
            _ => {
                cx.type_error(node, EXPECTED);
                return None;
            }
        };
        if !(0..=100).contains(&number) {
            cx.value_error(node, EXPECTED, |found| found);
            return None;
        }
        Some(Self(number))
    }
}

inline_schema!(Effort, |_| integer(0, Some(100)));

pub(crate) fn provider_schema(_: &mut SchemaGenerator) -> Schema {
    string().suggest(PROVIDERS.iter().map(|provider| provider.key))
}

/// Suggests the distinct keys of all built-in models.
pub(crate) fn model_schema(_: &mut SchemaGenerator) -> Schema {
    let mut models: Vec<&str> =
        PROVIDERS.iter().flat_map(|provider| provider.models).map(|model| model.key).collect();
    models.sort_unstable();
    models.dedup();
    string().suggest(models)
}

pub(crate) fn toolsets_schema(_: &mut SchemaGenerator) -> Schema {
    let assignable = |name: &&str| find_toolset(name).is_some_and(|toolset| toolset.is_assignable);
    let names: Vec<&str> = toolset_names().filter(assignable).collect();
    let excluded: Vec<String> = names.iter().map(|name| format!("!{name}")).collect();
    list(string().suggest(names.into_iter().chain(["*"]).chain(excluded.iter().map(String::as_str))))
}

pub(crate) fn tools_schema(_: &mut SchemaGenerator) -> Schema {
    let mut names: Vec<&str> = TOOLSETS.iter().flat_map(|toolset| toolset.tools).copied().collect();
    names.sort_unstable();
    names.dedup();
    list(string().suggest(names))
}
