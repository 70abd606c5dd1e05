//! `engine` of an agent.

use std::collections::BTreeMap;

use minds_diagnostics::Diagnostic;
use minds_document::json_schema::{
    Keywords as _, Schema, SchemaGenerator, any_of, json, mapping, string_values,
};
use minds_document::yaml::KeyOrder;
use minds_document::{Context, Decode, EnvVar, Keys as _, Node, Spanned, Value, rules};

use super::tools::{transport_text as env_value, transport_text_schema as env_value_schema};
use crate::model::{Engine, EngineFields, EngineKind, EnginePermission, SHORT_ENGINES, TransportValue};
use crate::rules::shorten;
use crate::scalars::one_of;

/// Reads a short form, or a mapping.
pub(crate) fn engine(node: Node<'_>, cx: &mut Context) -> Option<Engine> {
    if node.value() == Value::Mapping {
        return EngineFields::decode(node, cx).map(|fields| Engine::Full(Box::new(fields)));
    }
    let name = one_of(node, &SHORT_ENGINES, cx, |found, _| {
        found.note("any other program is `{kind: acp, command: PROGRAM}`")
    })?;
    SHORT_ENGINES.into_iter().find(|short| *short == name).map(Engine::Short)
}

pub(crate) fn engine_schema(generator: &mut SchemaGenerator) -> Schema {
    any_of([string_values(SHORT_ENGINES.map(|name| (name, ""))), generator.subschema_for::<EngineFields>()])
}

impl Decode for EngineFields {
    const ORDER: KeyOrder = KeyOrder::of::<Self>();

    fn decode(node: Node<'_>, cx: &mut Context) -> Option<Self> {
        let fields = Self::from_fields(cx.fields(node)?, |_| None);
        let mut missing = fields.missing_keys();
        let is_acp = fields.kind.as_given().is_some_and(|kind| kind.value == EngineKind::Acp);
        if is_acp && fields.command.is_absent() {
            missing.push("command");
        }
        cx.missing_keys(node, &missing, None);
        Some(fields)
    }
}

impl Decode for EngineKind {
    fn decode(node: Node<'_>, cx: &mut Context) -> Option<Self> {
        let names: Vec<&str> = Self::all().map(Self::as_str).collect();
        let name = one_of(node, &names, cx, |found, _| found)?;
        Self::all().find(|kind| kind.as_str() == name)
    }
}

impl Decode for EnginePermission {
    fn decode(node: Node<'_>, cx: &mut Context) -> Option<Self> {
        let name = one_of(node, &Self::ALL.map(Self::as_str), cx, |found, _| found)?;
        Self::ALL.into_iter().find(|one| one.as_str() == name)
    }
}

/// Reads a mapping from names of environment variables to strings or `{env: NAME}`.
pub(crate) fn engine_env(
    node: Node<'_>,
    cx: &mut Context,
) -> Option<BTreeMap<String, Spanned<TransportValue>>> {
    if node.value() != Value::Mapping {
        cx.type_error(node, "a mapping from names of environment variables to strings");
        return None;
    }
    let mut variables = BTreeMap::new();
    let mut is_complete = true;
    for entry in node.entries().filter(|entry| !entry.key.starts_with("x-")) {
        if cx.is_merge_key(&entry) {
            is_complete = false;
            continue;
        }
        if EnvVar::parse(entry.key).is_none() {
            cx.report(entry.key_node, &rules::VALUE, || {
                let message = format!("`{}` is not the name of an environment variable", shorten(entry.key));
                Diagnostic::new(&rules::VALUE, message)
                    .primary(entry.key_node.label())
                    .help("write a name of ASCII letters, digits and `_` that does not begin with a digit")
            });
            is_complete = false;
        }
        match env_value(entry.value, cx) {
            Some(value) => {
                variables.insert(entry.key.to_owned(), Spanned::new(value, entry.value));
            }
            None => is_complete = false,
        }
    }
    is_complete.then_some(variables)
}

pub(crate) fn engine_env_schema(generator: &mut SchemaGenerator) -> Schema {
    mapping(env_value_schema(generator))
        .user_keys()
        .no_merge_key()
        .with("propertyNames", json!({ "pattern": "^([A-Za-z_][A-Za-z0-9_]*|x-.*)$" }))
}
