//! `tools.yaml`

use minds_diagnostics::Diagnostic;
use minds_document::{Context, Decode, Entry, Field, Node, Spanned, Text, Value, decode_list, rules};

use super::says_nothing;
use super::tool_lists::misplaced;
use crate::model::{Security, Tools, Transport, TransportKind};
use crate::rules::{invalid_pattern, legacy_form};
use crate::texts::{not_blank, one_of};

/// The kinds of transport.
pub(crate) const TRANSPORT_KINDS: &[&str] = &["redis"];

/// Kinds that have a name and do not exist yet.
const RESERVED_KINDS: [&str; 2] = ["zmq", "amqp"];

/// Keys that only a transport has, which an older form has directly below `mcp`.
const TRANSPORT_KEYS: [&str; 6] = ["kind", "url", "username", "password", "tls", "ca_file"];

impl Decode for Tools {
    fn decode(node: Node<'_>, cx: &mut Context) -> Option<Self> {
        if says_nothing(node) {
            return Some(Self::default());
        }
        let mut fields = cx.fields(node)?;
        let mut transport = Field::Absent;
        let mut mcp = fields.optional_with("mcp", |node, cx| {
            transport = mcp(node, cx);
            Some(())
        });
        let mut tools = Self {
            transport: Field::Absent,
            tools: fields.optional("tools"),
            redact: fields.optional_with("redact", |node, cx| {
                decode_list(node, cx, "a list of regular expressions", invalid_pattern::decode)
            }),
            security: fields.optional("security"),
        };
        let meant = fields.finish_with(|entry| {
            let is_list = matches!(entry.key, "allow" | "deny" | "unsafe");
            is_list.then(|| format!("indent `{}` below `tools`", entry.key))
        });
        meant.mark("mcp", &mut mcp);
        meant.mark("tools", &mut tools.tools);
        meant.mark("redact", &mut tools.redact);
        meant.mark("security", &mut tools.security);
        if mcp.is_unreadable() && transport.is_absent() {
            transport = Field::Unreadable(Spanned::new((), node));
        }
        tools.transport = transport;
        if tools.tools.is_absent() {
            tools.tools = misplaced(node);
        }
        Some(tools)
    }
}

/// Reads `mcp`: a mapping with a transport, or in an older form the transport itself.
fn mcp(node: Node<'_>, cx: &mut Context) -> Field<Transport> {
    let older: Vec<Entry<'_>> = node.entries().filter(|entry| TRANSPORT_KEYS.contains(&entry.key)).collect();
    let newer = node.entries().find(|entry| entry.key == "transport");
    let Some(first) = older.first() else {
        let Some(mut fields) = cx.fields(node) else { return Field::Unreadable(Spanned::new((), node)) };
        let mut transport = fields.optional("transport");
        fields.finish().mark("transport", &mut transport);
        return transport;
    };
    if let Some(newer) = newer {
        cx.report(newer.key_node, &rules::CONFLICTING_KEYS, || {
            let message = format!("`transport` and `{}` are both below `mcp`", first.key);
            Diagnostic::new(&rules::CONFLICTING_KEYS, message)
                .primary(newer.key_node.label().message("the transport"))
                .secondary(first.key_node.label().message("belongs to a transport as well"))
                .help("move all of it below `transport`")
        });
        // Its own values are checked as well: mending the conflict must reveal nothing new.
        let _ = Transport::decode(newer.value, cx);
        return Field::Unreadable(Spanned::new((), newer.value));
    }
    legacy_form::report(
        first.key_node,
        "the transport stands directly below `mcp`, in an older form",
        cx,
        |found| found.help("write `transport:` below `mcp`, and indent its keys below that"),
    );
    match Transport::decode(node, cx) {
        Some(transport) => Field::Given(Spanned::new(transport, node)),
        None => Field::Unreadable(Spanned::new((), node)),
    }
}

impl Decode for Transport {
    fn decode(node: Node<'_>, cx: &mut Context) -> Option<Self> {
        let mut fields = cx.fields(node)?;
        let mut transport = Self {
            kind: fields.optional("kind"),
            url: fields.optional_with("url", url),
            username: fields.optional("username"),
            password: fields.optional("password"),
            tls: fields.optional("tls"),
            ca_file: fields.optional_with("ca_file", not_blank),
        };
        let meant = fields.finish();
        meant.mark("kind", &mut transport.kind);
        meant.mark("url", &mut transport.url);
        meant.mark("tls", &mut transport.tls);
        Some(transport)
    }
}

impl Decode for TransportKind {
    fn decode(node: Node<'_>, cx: &mut Context) -> Option<Self> {
        one_of(node, TRANSPORT_KINDS, cx, |found, text| {
            if RESERVED_KINDS.contains(&text) {
                return found.note(format!("`{text}` is a name for later, and nothing speaks it yet"));
            }
            found
        })?;
        Some(Self::Redis)
    }
}

impl Decode for Security {
    fn decode(node: Node<'_>, cx: &mut Context) -> Option<Self> {
        let mut fields = cx.fields(node)?;
        let mut security = Self { require_bootstrap: fields.optional("require_bootstrap") };
        fields.finish().mark("require_bootstrap", &mut security.require_bootstrap);
        Some(security)
    }
}

/// Reads the URL of a Redis server.
fn url(node: Node<'_>, cx: &mut Context) -> Option<Text> {
    let Value::String(text) = node.value() else {
        // Quotes would not make a number a URL, so they are not offered.
        cx.type_error(node, "a string");
        return None;
    };
    let rest = text.strip_prefix("redis://").or_else(|| text.strip_prefix("rediss://"));
    let is_url = rest.is_some_and(|rest| {
        let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
        let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
        has_host(host) && !text.contains(|c: char| c.is_whitespace() || c.is_control())
    });
    if !is_url {
        cx.value_error(node, "a `redis://` or `rediss://` URL with a host", |found| {
            found.help("write for example `redis://127.0.0.1:6379/0`")
        });
        return None;
    }
    Some(text.to_owned())
}

/// Returns whether a text is a host, with or without a port. A password with a `/` or `?` that is not escaped ends there,
/// and is no number.
fn has_host(text: &str) -> bool {
    let (host, port) = match text.strip_prefix('[').and_then(|inside| inside.split_once(']')) {
        Some((host, "")) => (host, ""),
        Some((host, rest)) => match rest.strip_prefix(':') {
            Some(port) => (host, port),
            None => return false,
        },
        None => text.split_once(':').unwrap_or((text, "")),
    };
    let is_port =
        port.is_empty() || (port.bytes().all(|b| b.is_ascii_digit()) && port.parse::<u16>().is_ok());
    !host.is_empty() && is_port
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_has_a_number_for_a_port() {
        for (text, expected) in [
            ("a", true),
            ("a:", true),
            ("a:6379", true),
            ("[::1]", true),
            ("[::1]:6379", true),
            ("", false),
            (":6379", false),
            ("a:65536", false),
            ("a:+1", false),
            ("user:hunter2", false),
            ("a:1:2", false),
            ("[]", false),
            ("[::1]6379", false),
        ] {
            assert_eq!(has_host(text), expected, "{text}");
        }
    }
}
