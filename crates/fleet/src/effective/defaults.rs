//! The built-in values of keys that no layer has.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::EffectiveValue;
use crate::model::{
    DEFAULT_ALLOW_PLAINTEXT, DEFAULT_ALLOW_URLS, DEFAULT_CONSOLE_RPC_TIMEOUT, DEFAULT_CWD,
    DEFAULT_HISTORY_MAX_BYTES, DEFAULT_INHERIT_ENV, DEFAULT_MAX_ITERATIONS, DEFAULT_MAX_STEPS,
    DEFAULT_PARTIAL_FLUSH_MS, DEFAULT_PREFIX, DEFAULT_PROMETHEUS_PORT, DEFAULT_REQUIRE_SANDBOX,
    DEFAULT_SCORE_LOWER_BOUND, DEFAULT_SUMMARY_TARGET_TOKENS, DEFAULT_TAIL_COALESCE_MS,
    DEFAULT_TAKEOVER_GRACE, DEFAULT_TOOL_OUTPUT_BYTES, DEFAULT_TURN_SECONDS, DEFAULT_URL, EngineKind,
    TransportKind,
};

/// The key of a transport that cannot be read.
const TRANSPORT_KEY: &str = "mcp.transport";
/// The key of the kind of the transport.
const KIND_KEY: &str = "mcp.transport.kind";
/// The key of the URL of the transport.
pub(super) const URL_KEY: &str = "mcp.transport.url";

/// Returns the built-in values for an agent with `fields`, which takes precedence.
pub(super) fn built_in(
    fields: &BTreeMap<String, EffectiveValue<'_>>,
    project: &str,
) -> Vec<(&'static str, Value)> {
    let mut values = vec![
        ("project.name", json!(project)),
        ("kb.allow_urls", json!(DEFAULT_ALLOW_URLS)),
        ("tuning.tail_coalesce_ms", json!(DEFAULT_TAIL_COALESCE_MS)),
        ("tuning.os_exec_partial_flush_ms", json!(DEFAULT_PARTIAL_FLUSH_MS)),
        ("tuning.history_max_bytes", json!(DEFAULT_HISTORY_MAX_BYTES)),
        ("tuning.summary_target_tokens", json!(DEFAULT_SUMMARY_TARGET_TOKENS)),
        ("tuning.console_rpc_timeout", json!(DEFAULT_CONSOLE_RPC_TIMEOUT)),
        ("tuning.ownership_takeover_grace", json!(DEFAULT_TAKEOVER_GRACE)),
        ("scratchpad.max_iterations", json!(DEFAULT_MAX_ITERATIONS)),
        ("scratchpad.score_lower_bound", json!(DEFAULT_SCORE_LOWER_BOUND)),
        ("telemetry.prometheus_port", json!(DEFAULT_PROMETHEUS_PORT)),
        ("exec.inherit_env", json!(DEFAULT_INHERIT_ENV)),
        ("exec.require_sandbox", json!(DEFAULT_REQUIRE_SANDBOX)),
        ("cwd", json!(DEFAULT_CWD)),
        ("limits.max_steps", json!(DEFAULT_MAX_STEPS)),
        ("limits.turn_seconds", json!(DEFAULT_TURN_SECONDS)),
        ("limits.tool_output_bytes", json!(DEFAULT_TOOL_OUTPUT_BYTES)),
    ];
    // A short form has no keys.
    if !fields.contains_key("engine") {
        values.push(("engine.kind", json!(EngineKind::Llm.as_str())));
    }
    if let Some(kind) = transport_kind(fields) {
        values.push((KIND_KEY, json!(kind.as_str())));
        if kind == TransportKind::Redis {
            values.extend([
                (URL_KEY, json!(DEFAULT_URL)),
                ("mcp.transport.prefix", json!(DEFAULT_PREFIX)),
                ("mcp.transport.allow_plaintext", json!(DEFAULT_ALLOW_PLAINTEXT)),
            ]);
        }
    }
    values
}

/// Returns the kind of the transport; `None` if it cannot be read.
///
/// A URL without a kind means a Redis server, as in files that are older than the kind `local`.
pub(super) fn transport_kind(fields: &BTreeMap<String, EffectiveValue<'_>>) -> Option<TransportKind> {
    match fields.get(KIND_KEY) {
        Some(kind) => {
            let name = kind.value.as_str()?;
            TransportKind::ALL.into_iter().find(|kind| kind.as_str() == name)
        }
        // An empty mapping can be read.
        None if fields.get(TRANSPORT_KEY).is_some_and(|field| field.value != json!({})) => None,
        None if fields.contains_key(URL_KEY) => Some(TransportKind::Redis),
        None => Some(TransportKind::Local),
    }
}
