//! `tools.yaml`

use minds_diagnostics::Diagnostic;
use minds_document::json_schema::{Schema, SchemaGenerator, any_of, string};
use minds_document::yaml::KeyOrder;
use minds_document::{
    Context, Decode, Entry, Field, Keys as _, List, Node, Spanned, Text, UrlKind, Value, decode_list, rules,
};

use super::is_empty_layer;
use super::tool_lists::{find_misplaced, help_with_tools};
use crate::model::{Mcp, Tools, Transport, TransportKind, TransportValue, Variable};
use crate::rules::{invalid_pattern, legacy_form};
use crate::scalars::{Identifier, one_of};

/// Kinds that have a name and do not exist yet.
const RESERVED_KINDS: [&str; 2] = ["zmq", "amqp"];

/// The name of a fleet on one machine.
const NAME: Identifier =
    Identifier { punctuation: "_-", max_length: 64, expected: "1 to 64 letters, digits, `_` and `-`" };
/// The prefix of keys and channels on a Redis server.
const PREFIX: Identifier =
    Identifier { punctuation: ":_-", max_length: 32, expected: "1 to 32 letters, digits, `:`, `_` and `-`" };

impl Decode for Tools {
    const ORDER: KeyOrder = KeyOrder::of::<Self>();

    fn decode(node: Node<'_>, cx: &mut Context) -> Option<Self> {
        if is_empty_layer(node) {
            return Some(Self::default());
        }
        let mut tools = Self::from_fields(cx.fields(node)?, help_with_tools);
        if tools.tools.is_absent() {
            tools.tools = find_misplaced(node);
        }
        Some(tools)
    }
}

pub(crate) fn expressions(node: Node<'_>, cx: &mut Context) -> Option<List<Text>> {
    decode_list(node, cx, "a list of regular expressions", invalid_pattern::decode)
}

pub(crate) fn expressions_schema(generator: &mut SchemaGenerator) -> Schema {
    generator.subschema_for::<List<Text>>()
}

impl Decode for Mcp {
    const ORDER: KeyOrder = KeyOrder::of::<Self>();

    fn decode(node: Node<'_>, cx: &mut Context) -> Option<Self> {
        let Some(first) = node.entries().find(|entry| Transport::is_key(entry.key)) else {
            return Some(Self::from_fields(cx.fields(node)?, |_| None));
        };
        Some(Self { transport: transport_without_kind(node, &first, cx) })
    }
}

/// Reads a transport that is directly below `mcp`, where `first` is one of its keys.
fn transport_without_kind(node: Node<'_>, first: &Entry<'_>, cx: &mut Context) -> Field<Transport> {
    let newer = node.entries().find(|entry| Mcp::is_key(entry.key));
    if let Some(newer) = newer {
        cx.report(newer.key_node, &rules::CONFLICTING_KEYS, || {
            let message = format!("`transport` and `{}` are both below `mcp`", first.key);
            Diagnostic::new(&rules::CONFLICTING_KEYS, message)
                .primary(newer.key_node.label().message("the transport"))
                .secondary(first.key_node.label().message("belongs to a transport as well"))
                .help("move all of it below `transport`")
        });
        // Its own values are checked too, so that fixing the conflict reveals no new finding.
        let _ = Transport::decode(newer.value, cx);
        return Field::Unreadable(Spanned::new((), newer.value));
    }
    legacy_form::report(first.key_node, "a transport directly below `mcp` is an older form", cx, |found| {
        found.help("write `transport:` below `mcp`, and indent its keys below that")
    });
    match Transport::decode(node, cx) {
        Some(transport) => Field::Given(Spanned::new(transport, node)),
        None => Field::Unreadable(Spanned::new((), node)),
    }
}

pub(crate) fn transport_url(node: Node<'_>, cx: &mut Context) -> Option<TransportValue> {
    transport_value(node, cx, |node, cx| UrlKind::REDIS.decode(node, cx))
}

pub(crate) fn transport_url_schema(generator: &mut SchemaGenerator) -> Schema {
    any_of([UrlKind::REDIS.json_schema(), generator.subschema_for::<Variable>()])
}

pub(crate) fn transport_text(node: Node<'_>, cx: &mut Context) -> Option<TransportValue> {
    transport_value(node, cx, Text::decode)
}

pub(crate) fn transport_text_schema(generator: &mut SchemaGenerator) -> Schema {
    any_of([string(), generator.subschema_for::<Variable>()])
}

pub(crate) fn transport_name(node: Node<'_>, cx: &mut Context) -> Option<Text> {
    NAME.decode(node, cx)
}

pub(crate) fn transport_name_schema(_: &mut SchemaGenerator) -> Schema {
    NAME.schema()
}

pub(crate) fn transport_prefix(node: Node<'_>, cx: &mut Context) -> Option<Text> {
    PREFIX.decode(node, cx)
}

pub(crate) fn transport_prefix_schema(_: &mut SchemaGenerator) -> Schema {
    PREFIX.schema()
}

/// Reads `{env: NAME}`, or a value as `literal` reads it.
fn transport_value(
    node: Node<'_>,
    cx: &mut Context,
    literal: impl FnOnce(Node<'_>, &mut Context) -> Option<Text>,
) -> Option<TransportValue> {
    if node.value() != Value::Mapping {
        return literal(node, cx).map(TransportValue::Literal);
    }
    let variable = Variable::from_fields(cx.fields(node)?, |_| None);
    cx.missing_keys(node, &variable.missing_keys(), Some("write a string, or `{env: NAME}`"));
    variable.env.into_given().map(|env| TransportValue::Variable(env.value))
}

impl Decode for TransportKind {
    fn decode(node: Node<'_>, cx: &mut Context) -> Option<Self> {
        let kinds = Self::ALL.map(Self::as_str);
        let name = one_of(node, &kinds, cx, |found, text| {
            if RESERVED_KINDS.contains(&text) {
                return found.note(format!("`{text}` is reserved for a later version and not supported yet"));
            }
            found
        })?;
        Self::ALL.into_iter().find(|kind| kind.as_str() == name)
    }
}
