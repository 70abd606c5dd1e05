//! From the tree of `team-compose.yaml` to the model.

mod limits;

use minds_document::{Context, Decode, Field, Fields, Node, Value, decode_list};

use crate::model::{
    Attachments, Broker, Budget, Compose, Hitl, Interface, ProjectEntry, RateLimits, Scanner, Supervisor,
};
use crate::spelled::Spelled;
use crate::texts::{
    MAX_32_BITS, count, count_in_32_bits, list_of_texts, nullable, number, one_of, unless_empty, whole,
};

/// Reads the version of the format.
pub(crate) fn version(fields: &mut Fields<'_, '_>) -> Field<u64> {
    fields.required_with("version", |node, cx| {
        if let Value::Integer(_) = node.value() {
            return whole(node, MAX_32_BITS, cx);
        }
        cx.type_error_with(node, "an integer", |found| found.help("write `version: 2`"));
        None
    })
}

impl Decode for Compose {
    fn decode(node: Node<'_>, cx: &mut Context) -> Option<Self> {
        let mut fields = cx.fields(node)?;
        let mut compose = Self {
            version: version(&mut fields),
            broker: unless_empty(&mut fields, "broker", Broker::decode),
            supervisor: unless_empty(&mut fields, "supervisor", Supervisor::decode),
            budget: unless_empty(&mut fields, "budget", Budget::decode),
            hitl: unless_empty(&mut fields, "hitl", Hitl::decode),
            rate_limits: unless_empty(&mut fields, "rate_limits", RateLimits::decode),
            interfaces: unless_empty(&mut fields, "interfaces", |node, cx| {
                decode_list(node, cx, "a list of interfaces", Interface::decode)
            }),
            projects: unless_empty(&mut fields, "projects", |node, cx| {
                decode_list(node, cx, "a list of project files", ProjectEntry::decode)
            }),
            attachments: unless_empty(&mut fields, "attachments", Attachments::decode),
        };
        let meant = fields.finish();
        meant.mark("rate_limits", &mut compose.rate_limits);
        meant.mark("projects", &mut compose.projects);
        Some(compose)
    }
}

impl Decode for Broker {
    fn decode(node: Node<'_>, cx: &mut Context) -> Option<Self> {
        let mut fields = cx.fields(node)?;
        let broker = Self {
            kind: fields.optional_with("type", |node, cx| word(node, &Compose::BROKERS, cx)),
            path: fields.optional("path"),
        };
        let _ = fields.finish();
        Some(broker)
    }
}

impl Decode for Supervisor {
    fn decode(node: Node<'_>, cx: &mut Context) -> Option<Self> {
        let mut fields = cx.fields(node)?;
        let supervisor = Self {
            kind: fields.optional_with("type", |node, cx| word(node, &Compose::SUPERVISORS, cx)),
            tmux_prefix: fields.optional("tmux_prefix"),
            drain_timeout_secs: fields
                .optional_with("drain_timeout_secs", |node, cx| whole(node, Compose::MAX_DRAIN_SECONDS, cx)),
        };
        let _ = fields.finish();
        Some(supervisor)
    }
}

/// Reads a text that is one of `words`.
pub(crate) fn word(node: Node<'_>, words: &[&str], cx: &mut Context) -> Option<Spelled> {
    one_of(node, words, cx).map(|word| Spelled(word.to_owned()))
}

impl Decode for Budget {
    fn decode(node: Node<'_>, cx: &mut Context) -> Option<Self> {
        let mut fields = cx.fields(node)?;
        let budget = Self {
            daily_usd_limit: nullable(&mut fields, "daily_usd_limit", number),
            warn_threshold_pct: nullable(&mut fields, "warn_threshold_pct", count_in_32_bits),
            message_ttl_hours: nullable(&mut fields, "message_ttl_hours", count_in_32_bits),
            per_project_usd_limit: unless_empty(&mut fields, "per_project_usd_limit", |node, cx| {
                if node.value() != Value::Mapping {
                    cx.type_error(node, "a mapping from projects to numbers");
                    return None;
                }
                let mut limits = Vec::new();
                for entry in node.entries() {
                    // Each key is a project, whatever it is called.
                    if !cx.is_merge_key(&entry)
                        && let Some(limit) = number(entry.value, cx)
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
        let interface = Self { kind: fields.required("type"), name: fields.required("name") };
        // What an adapter is told is known to the adapter alone.
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
        let file = fields.required("file");
        let _ = fields.finish();
        Some(Self { file })
    }
}

impl Decode for Attachments {
    fn decode(node: Node<'_>, cx: &mut Context) -> Option<Self> {
        let mut fields = cx.fields(node)?;
        let attachments = Self {
            enabled: fields.optional("enabled"),
            max_size_bytes: fields.optional_with("max_size_bytes", count),
            allowed_roots: unless_empty(&mut fields, "allowed_roots", list_of_texts),
            scanner: nullable(&mut fields, "scanner", Scanner::decode),
            audit_log_path: nullable(&mut fields, "audit_log_path", Spelled::decode),
            tempfile_ttl_seconds: fields.optional_with("tempfile_ttl_seconds", count),
        };
        let _ = fields.finish();
        Some(attachments)
    }
}

impl Decode for Scanner {
    fn decode(node: Node<'_>, cx: &mut Context) -> Option<Self> {
        let mut fields = cx.fields(node)?;
        let scanner = Self {
            command: fields.required("command"),
            timeout_seconds: fields.optional_with("timeout_seconds", count),
        };
        let _ = fields.finish();
        Some(scanner)
    }
}

/// Reads a text that must not be blank.
pub(crate) fn not_blank(node: Node<'_>, cx: &mut Context) -> Option<Spelled> {
    let text = Spelled::decode(node, cx)?;
    if text.trim().is_empty() {
        cx.value_error(node, "a string that is not blank", |found| found);
        return None;
    }
    Some(text)
}
