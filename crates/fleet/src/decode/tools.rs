//! `tools.yaml`

use minds_diagnostics::Diagnostic;
use minds_document::{
    Context, Decode, Entry, EnvVar, Field, Node, Spanned, Text, UrlKind, Value, decode_list, rules,
};

use super::says_nothing;
use super::tool_lists::find_misplaced;
use crate::model::{Security, Tools, Transport, TransportKind, TransportValue};
use crate::rules::{invalid_pattern, legacy_form};
use crate::scalars::{not_blank, one_of};

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
        let mut mcp = fields.read_with("mcp", |node, cx| {
            transport = mcp(node, cx);
            Some(())
        });
        let mut tools = Self {
            transport: Field::Absent,
            tools: fields.read("tools"),
            redact: fields.read_with("redact", |node, cx| {
                decode_list(node, cx, "a list of regular expressions", invalid_pattern::decode)
            }),
            security: fields.read("security"),
        };
        let meant = fields.finish_with(|entry| {
            let is_list = matches!(entry.key, "allow" | "deny" | "unsafe");
            is_list.then(|| format!("indent `{}` below `tools`", entry.key))
        });
        meant.mark_unreadable("mcp", &mut mcp);
        meant.mark_unreadable("tools", &mut tools.tools);
        meant.mark_unreadable("redact", &mut tools.redact);
        meant.mark_unreadable("security", &mut tools.security);
        if mcp.is_unreadable() && transport.is_absent() {
            transport = Field::Unreadable(Spanned::new((), node));
        }
        tools.transport = transport;
        if tools.tools.is_absent() {
            tools.tools = find_misplaced(node);
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
        let mut transport = fields.read("transport");
        fields.finish().mark_unreadable("transport", &mut transport);
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
        // Its own values are checked too, so that fixing the conflict reveals no new finding.
        let _ = Transport::decode(newer.value, cx);
        return Field::Unreadable(Spanned::new((), newer.value));
    }
    legacy_form::report(
        first.key_node,
        "the transport is directly below `mcp`, in an older form",
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
            kind: fields.read("kind"),
            url: fields.read_with("url", |node, cx| {
                transport_value(node, cx, |node, cx| UrlKind::REDIS.decode(node, cx))
            }),
            username: fields.read_with("username", |node, cx| transport_value(node, cx, Text::decode)),
            password: fields.read_with("password", |node, cx| transport_value(node, cx, Text::decode)),
            tls: fields.read("tls"),
            ca_file: fields.read_with("ca_file", not_blank),
        };
        let meant = fields.finish();
        meant.mark_unreadable("kind", &mut transport.kind);
        meant.mark_unreadable("url", &mut transport.url);
        meant.mark_unreadable("username", &mut transport.username);
        meant.mark_unreadable("password", &mut transport.password);
        meant.mark_unreadable("tls", &mut transport.tls);
        Some(transport)
    }
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
    let mut fields = cx.fields(node)?;
    let mut env: Field<EnvVar> = fields.read("env");
    fields.finish().mark_unreadable("env", &mut env);
    if env.is_absent() {
        cx.missing_keys(node, &["env"], Some("write a string, or `{env: NAME}`"));
    }
    env.as_given().map(|env| TransportValue::Variable(env.value.clone()))
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
        let mut security = Self { require_bootstrap: fields.read("require_bootstrap") };
        fields.finish().mark_unreadable("require_bootstrap", &mut security.require_bootstrap);
        Some(security)
    }
}
