//! Decodes `mcp.yaml`.

use minds_document::{Context, Decode, Entry, Field, List, Node, Spanned, Text, Value};

use super::ServerUrl;
use super::model::{Mcp, Server, ServerFields, ToolFilter, Transform, Transport};
use super::settings::{env, headers};
use crate::named_entries::{NamedEntries, own_entries};
use crate::rules::unused_key;
use crate::string_values::{decode_non_blank, decode_one_of};

/// Keys that only servers have, for a hint about a server at the wrong level.
const SERVER_KEYS: [&str; 3] = ["transport", "command", "url"];

impl Decode for Mcp {
    fn decode(node: Node<'_>, cx: &mut Context) -> Option<Self> {
        let mut fields = cx.fields(node)?;
        let mut version = fields.read_with("version", version);
        let mut servers = Vec::new();
        let mut is_complete = true;
        let mut servers_field = fields.read_with("servers", |node, cx| {
            if node.value() != Value::Mapping {
                cx.type_error_with(node, "a mapping from ids to servers", |found| {
                    if node.value() == Value::Null {
                        return found.help("write `servers: {}`, or remove the line, if there are none");
                    }
                    found
                });
                return None;
            }
            let named = NamedEntries::of(node, cx);
            is_complete = named.is_complete;
            servers = named.entries.iter().map(|entry| server(entry, cx)).collect();
            Some(())
        });
        let meant = fields.finish_with(|entry| {
            looks_like_a_server(entry)
                .then(|| format!("indent `{}` below `servers` if it is meant as a server", entry.key))
        });
        meant.mark_unreadable("version", &mut version);
        meant.mark_unreadable("servers", &mut servers_field);
        if version.is_absent() {
            cx.missing_keys(node, &["version"], Some("add `version: 1`"));
        }
        let has_misplaced = own_entries(node).any(|entry| looks_like_a_server(&entry));
        Some(Self { servers, servers_field, is_complete: is_complete && !has_misplaced })
    }
}

/// Checks the version of the format. There is only one.
fn version(node: Node<'_>, cx: &mut Context) -> Option<()> {
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
    fn decode(node: Node<'_>, cx: &mut Context) -> Option<Self> {
        let mut fields = cx.fields(node)?;
        let transport: Field<Transport> = fields.read("transport");
        if let Some(transport) = transport.as_given() {
            for key in transport.value.other().own_keys() {
                if let Some(entry) = fields.entry(key) {
                    unused_key::report(&entry, transport, fields.cx());
                }
            }
        }
        // Keys that the transport does not use are reported above and not read. If the transport is not known, all keys are read.
        let uses = |kind: Transport| transport.as_given().is_none_or(|transport| transport.value == kind);
        let mut server = Self::default();
        if uses(Transport::Stdio) {
            server.command = fields.read_with("command", command);
            server.args = fields.read("args");
            server.env = fields.read_with("env", env);
            server.cwd = fields.read_with("cwd", decode_non_blank);
        }
        if uses(Transport::StreamableHttp) {
            server.url = fields.read::<ServerUrl>("url");
            server.headers = fields.read_with("headers", headers);
            server.session_id = fields.read("sessionId");
        }
        server.transport = transport;
        server.truely_stateless = fields.read("truely-stateless");
        server.tools = fields.read("tools");
        server.transform = fields.read_with("transform", transforms);
        server.enabled = fields.read("enabled");
        server.manual = fields.read_with("manual", |node, cx| {
            if !matches!(node.value(), Value::String(_) | Value::Mapping) {
                cx.type_error(node, "a string or a mapping");
            }
            Some(())
        });
        for (key, field) in [("prompts", &mut server.prompts), ("resources", &mut server.resources)] {
            *field = fields.read_with(key, |node, cx| {
                if node.value() != Value::Mapping {
                    cx.type_error(node, "a mapping");
                }
                Some(())
            });
        }
        let is_typed = node.get("type").is_some();
        let meant = fields.finish_with(hint);
        meant.mark_unreadable("transport", &mut server.transport);
        meant.mark_unreadable("command", &mut server.command);
        meant.mark_unreadable("url", &mut server.url);
        meant.mark_unreadable("tools", &mut server.tools);
        meant.mark_unreadable("transform", &mut server.transform);
        server.report_missing(node, is_typed, cx);
        Some(server)
    }
}

impl ServerFields {
    /// Reports missing required keys; `is_typed` means that `type` was given instead of `transport`.
    fn report_missing(&self, node: Node<'_>, is_typed: bool, cx: &mut Context) {
        match &self.transport {
            Field::Absent if !is_typed => {
                let meant = match (self.command.is_absent(), self.url.is_absent()) {
                    (false, true) => "add `transport: stdio`",
                    (true, false) => "add `transport: streamable_http`",
                    _ => {
                        "add `transport: stdio` and a `command`, or `transport: streamable_http` and a `url`"
                    }
                };
                cx.missing_keys(node, &["transport"], Some(meant));
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
                    "sse" => found.note("servers that speak only SSE are not supported").help(
                        "write `streamable_http` for a server with a `url`, `stdio` for one with a `command`",
                    ),
                    "http" | "https" => found.help("did you mean `streamable_http`?"),
                    _ => found,
                }
            })?;
        Self::ALL.into_iter().find(|transport| transport.as_str() == word)
    }
}

/// Decodes the program, without arguments.
fn command(node: Node<'_>, cx: &mut Context) -> Option<Text> {
    if node.value() == Value::Sequence {
        cx.type_error_with(node, "a string", |found| {
            found.help("put the first item into `command` and the remaining items into `args`")
        });
        return None;
    }
    decode_non_blank(node, cx)
}

impl Decode for ToolFilter {
    fn decode(node: Node<'_>, cx: &mut Context) -> Option<Self> {
        let mut fields = cx.fields(node)?;
        let mut filter = Self {
            whitelist: fields.read_with("whitelist", names),
            blacklist: fields.read_with("blacklist", names),
            transform: fields.read_with("transform", transforms),
        };
        let meant = fields.finish();
        meant.mark_unreadable("whitelist", &mut filter.whitelist);
        meant.mark_unreadable("blacklist", &mut filter.blacklist);
        meant.mark_unreadable("transform", &mut filter.transform);
        Some(filter)
    }
}

/// Decodes the names of tools, without blank entries.
fn names(node: Node<'_>, cx: &mut Context) -> Option<List<Text>> {
    let mut list = List::<Text>::decode(node, cx)?;
    list.items.retain(|item| !item.value.trim().is_empty());
    Some(list)
}

fn transforms(node: Node<'_>, cx: &mut Context) -> Option<List<Transform>> {
    minds_document::decode_list(node, cx, "a list of mappings", Transform::decode)
}
