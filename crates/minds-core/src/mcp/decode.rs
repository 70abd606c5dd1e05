//! Decodes `mcp.yaml`.

use minds_document::json_schema::{
    Keywords as _, Schema, SchemaGenerator, any_of, json, json_schema, mapping_of, not_blank, string,
};
use minds_document::yaml::KeyOrder;
use minds_document::{Context, Decode, Entry, Field, Keys as _, List, Node, Spanned, Text, Value};

use super::model::{Mcp, Server, ServerFields, Transform, Transport};
use crate::named_entries::{NamedEntries, own_entries};
use crate::rules::unused_key;
use crate::string_values::{decode_non_blank, decode_one_of};

/// Keys that only servers have, for a hint about a server at the wrong level.
const SERVER_KEYS: [&str; 3] = ["transport", "command", "url"];

impl Decode for Mcp {
    const ORDER: KeyOrder = KeyOrder::of::<Self>();

    fn decode(node: Node<'_>, cx: &mut Context) -> Option<Self> {
        let mut mcp = Self::from_fields(cx.fields(node)?, |entry| {
            looks_like_a_server(entry)
                .then(|| format!("indent `{}` below `servers` if it is meant as a server", entry.key))
        });
        cx.missing_keys(node, &mcp.missing_keys(), Some("add `version: 1`"));
        mcp.is_complete = !own_entries(node).any(|entry| looks_like_a_server(&entry));
        if let Some(place) = mcp.servers_field.as_given() {
            let named = NamedEntries::of(node.document().node(place.node), cx);
            mcp.is_complete &= named.is_complete;
            mcp.servers = named.entries.iter().map(|entry| server(entry, cx)).collect();
        }
        Some(mcp)
    }
}

/// Checks that the servers are a mapping.
pub(super) fn servers(node: Node<'_>, cx: &mut Context) -> Option<()> {
    if node.value() == Value::Mapping {
        return Some(());
    }
    cx.type_error_with(node, "a mapping from ids to servers", |found| {
        if node.value() == Value::Null {
            return found.help("write `servers: {}`, or remove the line, if there are none");
        }
        found
    });
    None
}

pub(super) fn servers_schema(generator: &mut SchemaGenerator) -> Schema {
    mapping_of::<ServerFields>(generator)
        .snippet(
            "stdio server",
            "A local program",
            &json!({ "${1:server}": { "transport": "stdio", "command": "${2:npx}", "args": ["${3:-y}"] } }),
        )
        .snippet(
            "http server",
            "A server at a URL",
            &json!({ "${1:server}": { "transport": "streamable_http", "url": "${2:http://127.0.0.1:3000/mcp}" } }),
        )
}

pub(super) fn version_schema(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "const": 1 })
}

/// Checks the version of the format. There is only one.
pub(super) fn version(node: Node<'_>, cx: &mut Context) -> Option<()> {
    match node.value() {
        Value::Integer(1) => return Some(()),
        Value::Integer(_) => cx.value_error(node, "1", |found| {
            found.note("the format has no other version").help("write `version: 1`")
        }),
        _ => cx.type_error_with(node, "the integer 1", |found| found.help("write `version: 1`")),
    }
    None
}

fn looks_like_a_server(entry: &Entry<'_>) -> bool {
    entry.key != "servers" && entry.value.entries().any(|entry| SERVER_KEYS.contains(&entry.key))
}

fn server(entry: &Entry<'_>, cx: &mut Context) -> Server {
    let fields = match ServerFields::decode(entry.value, cx) {
        Some(fields) => Field::Given(Spanned::new(fields, entry.value)),
        None => Field::Unreadable(Spanned::new((), entry.value)),
    };
    Server { id: Spanned::new(entry.key.to_owned(), entry.key_node), fields }
}

impl Decode for ServerFields {
    const ORDER: KeyOrder = KeyOrder::of::<Self>();

    fn decode(node: Node<'_>, cx: &mut Context) -> Option<Self> {
        let mut fields = cx.fields(node)?;
        // An invalid transport is reported when it is read.
        let given = node.get("transport");
        let transport = given.and_then(|given| Some((Transport::decode(given, &mut Context::new())?, given)));
        // Keys that the transport does not use are reported and not read. If the transport is not known, all keys are read.
        if let Some((transport, given)) = transport {
            for key in transport.other().own_keys() {
                if let Some(entry) = fields.take_entry(key) {
                    unused_key::report(&entry, &Spanned::new(transport, given), fields.cx());
                }
            }
        }
        let is_typed = node.get("type").is_some();
        let server = Self::from_fields(fields, hint);
        server.report_missing(node, is_typed, cx);
        Some(server)
    }
}

/// Checks the instructions about the tools, which are not stored.
pub(super) fn manual(node: Node<'_>, cx: &mut Context) -> Option<()> {
    if !matches!(node.value(), Value::String(_) | Value::Mapping) {
        cx.type_error(node, "a string or a mapping");
        return None;
    }
    Some(())
}

pub(super) fn manual_schema(generator: &mut SchemaGenerator) -> Schema {
    any_of([string(), any_mapping_schema(generator)])
}

/// Checks that a value is a mapping, which is not stored.
pub(super) fn any_mapping(node: Node<'_>, cx: &mut Context) -> Option<()> {
    if node.value() != Value::Mapping {
        cx.type_error(node, "a mapping");
        return None;
    }
    Some(())
}

pub(super) fn any_mapping_schema(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "object" })
}

impl ServerFields {
    /// Reports missing required keys; `is_typed` means that `type` was given instead of `transport`.
    fn report_missing(&self, node: Node<'_>, is_typed: bool, cx: &mut Context) {
        match &self.transport {
            Field::Absent if !is_typed => {
                let transport = match (self.command.is_absent(), self.url.is_absent()) {
                    (false, true) => "add `transport: stdio`",
                    (true, false) => "add `transport: streamable_http`",
                    _ => {
                        "add `transport: stdio` and a `command`, or `transport: streamable_http` and a `url`"
                    }
                };
                cx.missing_keys(node, &["transport"], Some(transport));
            }
            Field::Given(transport) => {
                let (key, field_is_absent) = match transport.value {
                    Transport::Stdio => ("command", self.command.is_absent()),
                    Transport::StreamableHttp => ("url", self.url.is_absent()),
                };
                if field_is_absent {
                    cx.missing_keys(node, &[key], None);
                }
            }
            Field::Absent | Field::Unreadable(_) => {}
        }
    }
}

/// Returns hints for keys of other formats, and for the unusual spelling of `truely-stateless`.
fn hint(entry: &Entry<'_>) -> Option<String> {
    let folded: String = entry.key.chars().filter(char::is_ascii_alphabetic).collect();
    match folded.to_ascii_lowercase().as_str() {
        "trulystateless" | "truelystateless" => {
            Some("write `truely-stateless`: the format uses this spelling".to_owned())
        }
        "type" => Some("did you mean `transport`?".to_owned()),
        "disabled" => Some("write `enabled: false` to turn the server off".to_owned()),
        _ => None,
    }
}

impl Decode for Transport {
    fn decode(node: Node<'_>, cx: &mut Context) -> Option<Self> {
        let word =
            decode_one_of(node, Self::ALL.into_iter().map(Self::as_str), cx, |found, word| {
                match word.to_ascii_lowercase().as_str() {
                    "sse" => found.note("the transport SSE is not supported").help(
                        "write `streamable_http` for a server with a `url`, `stdio` for one with a `command`",
                    ),
                    "http" | "https" => found.help("did you mean `streamable_http`?"),
                    _ => found,
                }
            })?;
        Self::ALL.into_iter().find(|transport| transport.as_str() == word)
    }
}

pub(super) fn not_blank_schema(_: &mut SchemaGenerator) -> Schema {
    not_blank()
}

/// Decodes the program, without arguments.
pub(super) fn command(node: Node<'_>, cx: &mut Context) -> Option<Text> {
    if node.value() == Value::Sequence {
        cx.type_error_with(node, "a string", |found| {
            found.help("put the first item into `command` and the remaining items into `args`")
        });
        return None;
    }
    decode_non_blank(node, cx)
}

/// Decodes the names of tools, without blank entries.
pub(super) fn names(node: Node<'_>, cx: &mut Context) -> Option<List<Text>> {
    let mut list = List::<Text>::decode(node, cx)?;
    list.items.retain(|item| !item.value.trim().is_empty());
    Some(list)
}

pub(super) fn transforms(node: Node<'_>, cx: &mut Context) -> Option<List<Transform>> {
    minds_document::decode_list(node, cx, "a list of mappings", Transform::decode)
}

pub(super) fn names_schema(generator: &mut SchemaGenerator) -> Schema {
    generator.subschema_for::<List<Text>>()
}

pub(super) fn transforms_schema(generator: &mut SchemaGenerator) -> Schema {
    generator.subschema_for::<List<Transform>>()
}
