//! The environment of a command.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt as _;

/// The variables that every command receives from its agent, where they are set.
pub const COMMAND_VARIABLES: &[&str] = &["PATH", "HOME", "LANG", "TERM", "TMPDIR", "USER"];

/// The variables with credentials of the bus and of servers, which a command never receives.
pub const BUS_VARIABLES: &[&str] = &["ATEAM_REDIS_URL", "ATEAM_BOOTSTRAP_TOKEN", "MINDS_MCP_TOKEN"];

/// The minimum length in bytes of a secret value that is searched in other variables. Shorter ones occur in values that have
/// nothing to do with them.
const MIN_SECRET_BYTES: usize = 8;

/// Returns the environment of a command, sorted by name.
///
/// `current` is the environment of the agent. Of it the command receives [`COMMAND_VARIABLES`] and `exec_env`, or everything
/// with `inherits`. `extra` comes last and overrides the rest.
///
/// Three kinds of variables are never part of the result, also if `exec_env` or `extra` has their name: those of
/// [`BUS_VARIABLES`], those of `secret_names` (the variables of API keys), and those of `current` whose value contains the value
/// of one of these. An entry of `extra` that is not a valid variable (its name is empty or contains `=` or a NUL character,
/// or its value contains a NUL character) is left out too, because no program can receive it.
pub fn environment(
    current: &[(OsString, OsString)],
    exec_env: &[String],
    extra: &[(OsString, OsString)],
    inherits: bool,
    secret_names: &[String],
) -> Vec<(OsString, OsString)> {
    let is_secret = |name: &OsStr| {
        BUS_VARIABLES.iter().any(|secret| name == *secret)
            || secret_names.iter().any(|secret| name == secret.as_str())
    };
    let secrets: Vec<&[u8]> = current
        .iter()
        .filter(|(name, value)| is_secret(name) && value.len() >= MIN_SECRET_BYTES)
        .map(|(_, value)| value.as_bytes())
        .collect();
    let is_passed = |name: &OsStr| {
        inherits
            || COMMAND_VARIABLES.iter().any(|passed| name == *passed)
            || exec_env.iter().any(|passed| name == passed.as_str())
    };
    let passed = current.iter().filter(|(name, value)| {
        is_passed(name) && !secrets.iter().any(|secret| contains(value.as_bytes(), secret))
    });
    let result: BTreeMap<&OsString, &OsString> = passed
        .chain(extra)
        .filter(|(name, value)| !is_secret(name) && is_variable(name, value))
        .map(|(name, value)| (name, value))
        .collect();
    result.into_iter().map(|(name, value)| (name.clone(), value.clone())).collect()
}

fn is_variable(name: &OsStr, value: &OsStr) -> bool {
    let (name, value) = (name.as_bytes(), value.as_bytes());
    !name.is_empty() && !name.contains(&b'=') && !name.contains(&0) && !value.contains(&0)
}

fn contains(value: &[u8], secret: &[u8]) -> bool {
    value.windows(secret.len()).any(|part| part == secret)
}
