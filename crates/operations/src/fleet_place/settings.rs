//! The settings of all agents of a fleet.

use minds_fleet::FleetFamily;
use minds_process::variable;

use super::unusable;
use super::values::{at, is_true, merge_files, number, strings};
use crate::OperationError;

/// The settings of all agents of a fleet.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FleetSettings {
    /// The number of days for which data is kept; `None` for no limit.
    pub retention_days: Option<u64>,
    /// The regular expressions of text to redact.
    pub redact: Vec<String>,
    /// Whether an agent needs a token to start for the first time.
    pub requires_bootstrap: bool,
    /// Limits and intervals.
    pub tuning: FleetTuning,
}

/// Limits and intervals, each from the variable `ATEAM_<KEY>`, `tuning.<key>` in `tools.yaml`, or its default.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FleetTuning {
    /// How long tokens are collected for one event, in milliseconds.
    pub tail_coalesce_ms: u64,
    /// How long an incomplete line of a command is held back, in milliseconds.
    pub os_exec_partial_flush_ms: u64,
    /// The size above which the history is rotated, in bytes.
    pub history_max_bytes: u64,
    /// The size of a summary, in tokens.
    pub summary_target_tokens: u64,
    /// The time for an answer to a console, in seconds.
    pub console_rpc_timeout: u64,
    /// The time after which a takeover is final, in seconds.
    pub ownership_takeover_grace: u64,
}

impl Default for FleetTuning {
    fn default() -> Self {
        Self {
            tail_coalesce_ms: 50,
            os_exec_partial_flush_ms: 40,
            history_max_bytes: 52_428_800,
            summary_target_tokens: 400,
            console_rpc_timeout: 15,
            ownership_takeover_grace: 2,
        }
    }
}

/// Reads the settings.
pub(super) fn read(family: &FleetFamily) -> Result<FleetSettings, OperationError> {
    let project = merge_files(family, |layer| layer.project.as_ref());
    let tools = merge_files(family, |layer| layer.tools.as_ref());
    let project_at = |keys: &[&str]| project.as_ref().and_then(|project| at(project, keys));
    let tools_at = |keys: &[&str]| tools.as_ref().and_then(|tools| at(tools, keys));
    let days = project_at(&["retention_days"]).or_else(|| project_at(&["retention", "days"]));
    let mut tuning = FleetTuning::default();
    let FleetTuning {
        tail_coalesce_ms,
        os_exec_partial_flush_ms,
        history_max_bytes,
        summary_target_tokens,
        console_rpc_timeout,
        ownership_takeover_grace,
    } = &mut tuning;
    for (key, value) in [
        ("tail_coalesce_ms", tail_coalesce_ms),
        ("os_exec_partial_flush_ms", os_exec_partial_flush_ms),
        ("history_max_bytes", history_max_bytes),
        ("summary_target_tokens", summary_target_tokens),
        ("console_rpc_timeout", console_rpc_timeout),
        ("ownership_takeover_grace", ownership_takeover_grace),
    ] {
        if let Some(given) = tools_at(&["tuning", key]).and_then(number) {
            *value = given;
        }
        if let Some(given) = setting(key)? {
            *value = given;
        }
    }
    Ok(FleetSettings {
        retention_days: days.and_then(number),
        redact: tools_at(&["redact"]).map(strings).unwrap_or_default(),
        requires_bootstrap: is_true(tools_at(&["security", "require_bootstrap"])),
        tuning,
    })
}

/// Returns the setting of the environment.
fn setting(key: &str) -> Result<Option<u64>, OperationError> {
    let name = format!("ATEAM_{}", key.to_ascii_uppercase());
    let Some(given) = variable(&name)?.filter(|given| !given.is_empty()) else { return Ok(None) };
    let number = given.trim().parse();
    number
        .map(Some)
        .map_err(|_| unusable(format!("the variable `{name}` is not a whole number of at least 0")))
}
