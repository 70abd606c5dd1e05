//! What the tools of an agent may do.

use std::path::PathBuf;

use minds_fleet::EffectiveAgent;
use minds_fleet::merge::MergedValue;
use minds_fs::home_directory;
use serde_json::Value;

use super::values::{at, is_true, number, strings, text};

/// What the tools of an agent may do, as its files say.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FleetRights {
    /// The folders that it may access besides its working directory, absolute paths.
    pub whitelist: Vec<PathBuf>,
    /// Whether commands see the environment of the agent.
    pub inherit_env: bool,
    /// The variables of the agent that commands see.
    pub env: Vec<String>,
    /// What commands may read in addition, absolute paths.
    pub read: Vec<PathBuf>,
    /// What commands may write in addition, absolute paths.
    pub write: Vec<PathBuf>,
    /// Whether commands run only in a complete sandbox.
    pub require_sandbox: bool,
    /// Whether the project and the agent let commands run without the sandbox.
    pub is_unsafe: bool,
    /// The member of the team whose tools it has, and whose access lists apply as well.
    pub member: Option<String>,
    /// The maximum length of the output of a tool that the model receives, in bytes; `None` for the default.
    pub tool_output_bytes: Option<u64>,
}

/// Reads the rights of an agent from its file and the fields after merging all layers.
pub(super) fn read(own: Option<&MergedValue<'_>>, effective: Option<&EffectiveAgent<'_>>) -> FleetRights {
    let value = |keys: &[&str]| own.and_then(|own| at(own, keys));
    let list = |keys: &[&str]| value(keys).map(strings).unwrap_or_default();
    let paths = |keys: &[&str]| -> Vec<PathBuf> { list(keys).iter().map(|path| expand(path)).collect() };
    let is_unsafe = effective.and_then(|agent| agent.fields.get("tools.unsafe"));
    FleetRights {
        whitelist: paths(&["fs", "whitelist"]),
        inherit_env: is_true(value(&["exec", "inherit_env"])),
        env: list(&["exec", "env"]),
        read: paths(&["exec", "read"]),
        write: paths(&["exec", "write"]),
        require_sandbox: is_true(value(&["exec", "require_sandbox"])),
        is_unsafe: is_unsafe.is_some_and(|field| field.value == Value::Bool(true)),
        member: value(&["member"]).and_then(text).map(str::to_owned),
        tool_output_bytes: value(&["limits", "tool_output_bytes"]).and_then(number),
    }
}

/// Returns the path of an entry, which is absolute or begins with `~/`.
fn expand(entry: &str) -> PathBuf {
    let below = entry.strip_prefix("~/").or_else(|| (entry == "~").then_some(""));
    match (below, home_directory()) {
        (Some(below), Some(home)) => home.join(below),
        _ => PathBuf::from(entry),
    }
}
