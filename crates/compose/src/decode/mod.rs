//! Decodes `team-compose.yaml`.

mod limits;

use minds_document::{Context, Decode, Field, Fields, Node, Value, decode_list};

use crate::field_decoders::{
    MAX_32_BITS, decode_count, decode_integer, decode_keyword, decode_nullable, decode_number,
    decode_strings, decode_u32, decode_unless_empty,
};
use crate::model::{
    Attachments, Broker, Budget, Compose, Hitl, Interface, ProjectEntry, RateLimits, Scanner, Supervisor,
};
use crate::raw_scalar::RawScalar;

/// Decodes the version of the format.
pub(crate) fn decode_version(fields: &mut Fields<'_, '_>) -> Field<u64> {
    fields.require_with("version", |node, cx| {
        if let Value::Integer(_) = node.value() {
            return decode_integer(node, MAX_32_BITS, cx);
        }
        cx.type_error_with(node, "an integer", |found| found.help("write `version: 2`"));
        None
    })
}

impl Decode for Compose {
    fn decode(node: Node<'_>, cx: &mut Context) -> Option<Self> {
        let mut fields = cx.fields(node)?;
        let mut compose = Self {
            version: decode_version(&mut fields),
            broker: decode_unless_empty(&mut fields, "broker", Broker::decode),
            supervisor: decode_unless_empty(&mut fields, "supervisor", Supervisor::decode),
            budget: decode_unless_empty(&mut fields, "budget", Budget::decode),
            hitl: decode_unless_empty(&mut fields, "hitl", Hitl::decode),
            rate_limits: decode_unless_empty(&mut fields, "rate_limits", RateLimits::decode),
            interfaces: decode_unless_empty(&mut fields, "interfaces", |node, cx| {
                decode_list(node, cx, "a list of interfaces", Interface::decode)
            }),
            projects: decode_unless_empty(&mut fields, "projects", |node, cx| {
                decode_list(node, cx, "a list of project files", ProjectEntry::decode)
            }),
            attachments: decode_unless_empty(&mut fields, "attachments", Attachments::decode),
        };
        let misspelled = fields.finish();
        misspelled.mark_unreadable("rate_limits", &mut compose.rate_limits);
        misspelled.mark_unreadable("projects", &mut compose.projects);
        Some(compose)
    }
}

impl Decode for Broker {
    fn decode(node: Node<'_>, cx: &mut Context) -> Option<Self> {
        let mut fields = cx.fields(node)?;
        let broker = Self {
            kind: fields.read_with("type", |node, cx| decode_raw_keyword(node, &Compose::BROKERS, cx)),
            path: fields.read("path"),
        };
        let _ = fields.finish();
        Some(broker)
    }
}

impl Decode for Supervisor {
    fn decode(node: Node<'_>, cx: &mut Context) -> Option<Self> {
        let mut fields = cx.fields(node)?;
        let supervisor = Self {
            kind: fields.read_with("type", |node, cx| decode_raw_keyword(node, &Compose::SUPERVISORS, cx)),
            tmux_prefix: fields.read("tmux_prefix"),
            drain_timeout_secs: fields.read_with("drain_timeout_secs", |node, cx| {
                decode_integer(node, Compose::MAX_DRAIN_SECONDS, cx)
            }),
        };
        let _ = fields.finish();
        Some(supervisor)
    }
}

/// Decodes a string that must be one of `keywords`.
pub(crate) fn decode_raw_keyword(node: Node<'_>, keywords: &[&str], cx: &mut Context) -> Option<RawScalar> {
    decode_keyword(node, keywords, cx).map(|keyword| RawScalar(keyword.to_owned()))
}

impl Decode for Budget {
    fn decode(node: Node<'_>, cx: &mut Context) -> Option<Self> {
        let mut fields = cx.fields(node)?;
        let budget = Self {
            daily_usd_limit: decode_nullable(&mut fields, "daily_usd_limit", decode_number),
            warn_threshold_pct: decode_nullable(&mut fields, "warn_threshold_pct", decode_u32),
            message_ttl_hours: decode_nullable(&mut fields, "message_ttl_hours", decode_u32),
            per_project_usd_limit: decode_unless_empty(&mut fields, "per_project_usd_limit", |node, cx| {
                if node.value() != Value::Mapping {
                    cx.type_error(node, "a mapping from projects to numbers");
                    return None;
                }
                let mut limits = Vec::new();
                for entry in node.entries() {
                    // Each key is a project, even one that begins with `x-`.
                    if !cx.is_merge_key(&entry)
                        && let Some(limit) = decode_number(entry.value, cx)
                    {
                        limits.push((entry.key.to_owned(), limit));
                    }
                }
                Some(limits)
            }),
        };
        let _ = fields.finish();
        Some(budget)
    }
}

impl Decode for Interface {
    fn decode(node: Node<'_>, cx: &mut Context) -> Option<Self> {
        let mut fields = cx.fields(node)?;
        let interface = Self { kind: fields.require("type"), name: fields.require("name") };
        // The keys of `config` are defined by the adapter.
        let _ = fields.entry("config");
        let _ = fields.finish();
        Some(interface)
    }
}

impl Decode for ProjectEntry {
    fn decode(node: Node<'_>, cx: &mut Context) -> Option<Self> {
        if let Value::String(path) = node.value() {
            cx.type_error_with(node, "a mapping", |found| found.help(format!("write `file: {path}`")));
            return None;
        }
        let mut fields = cx.fields(node)?;
        let file = fields.require("file");
        let _ = fields.finish();
        Some(Self { file })
    }
}

impl Decode for Attachments {
    fn decode(node: Node<'_>, cx: &mut Context) -> Option<Self> {
        let mut fields = cx.fields(node)?;
        let attachments = Self {
            enabled: fields.read("enabled"),
            max_size_bytes: fields.read_with("max_size_bytes", decode_count),
            allowed_roots: decode_unless_empty(&mut fields, "allowed_roots", decode_strings),
            scanner: decode_nullable(&mut fields, "scanner", Scanner::decode),
            audit_log_path: decode_nullable(&mut fields, "audit_log_path", RawScalar::decode),
            tempfile_ttl_seconds: fields.read_with("tempfile_ttl_seconds", decode_count),
        };
        let _ = fields.finish();
        Some(attachments)
    }
}

impl Decode for Scanner {
    fn decode(node: Node<'_>, cx: &mut Context) -> Option<Self> {
        let mut fields = cx.fields(node)?;
        let scanner = Self {
            command: fields.require("command"),
            timeout_seconds: fields.read_with("timeout_seconds", decode_count),
        };
        let _ = fields.finish();
        Some(scanner)
    }
}

/// Decodes a string that must not be blank.
pub(crate) fn decode_not_blank(node: Node<'_>, cx: &mut Context) -> Option<RawScalar> {
    let text = RawScalar::decode(node, cx)?;
    if text.trim().is_empty() {
        cx.value_error(node, "a string that is not blank", |found| found);
        return None;
    }
    Some(text)
}
