//! The arguments of the tools.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::outcome::Refusal;

/// The maximum number of bytes of a file that one call reads: 256 KiB.
pub(crate) const MAX_READ_BYTES: u64 = 256 << 10;
/// The longest time for a command, in seconds: an hour.
pub(crate) const MAX_EXEC_SECONDS: u64 = 3_600;

/// The arguments of `agents.list`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct AgentsList {}

/// The arguments of `agents.spawn`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct AgentsSpawn {
    /// The name of the project, which is that of this agent.
    pub(crate) project: String,
    /// The name of the new agent: 1 to 64 characters of `A-Za-z0-9_-`.
    pub(crate) name: String,
    /// The working folder of the new agent, an existing directory relative to that of this agent, or absolute.
    pub(crate) cwd: String,
    /// The model of the new agent, by its name in `models.yaml`.
    pub(crate) model_id: String,
    /// The path of a file with its system prompt.
    pub(crate) system_base_path: Option<String>,
    /// The files for its knowledge base; this version has none.
    pub(crate) kb_seeds: Option<Vec<String>>,
}

/// The arguments of `fs.read`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct FsRead {
    /// The path of the file, relative to the working folder, or absolute.
    pub(crate) path: String,
    /// The position of the first byte to read; 0 by default.
    #[schemars(range(min = 0))]
    pub(crate) offset: Option<u64>,
    /// The maximum number of bytes to read; 262144 by default, which is the most.
    #[schemars(range(min = 1, max = 262_144))]
    pub(crate) limit: Option<u64>,
}

/// The arguments of `fs.write`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct FsWrite {
    /// The path of the file, relative to the working folder, or absolute.
    pub(crate) path: String,
    /// The complete new content.
    pub(crate) content: String,
    /// Whether directories of the path that do not exist are created; false by default.
    pub(crate) create_dirs: Option<bool>,
    /// The hash that the file must have now, as `fs.write` returned it; otherwise nothing is written.
    pub(crate) expected_hash: Option<String>,
}

/// The arguments of `fs.list` and `fs.stat`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct FsPath {
    /// The path, relative to the working folder, or absolute.
    pub(crate) path: String,
}

/// The arguments of `os.exec`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct OsExec {
    /// The command, for `sh -c`.
    pub(crate) cmd: String,
    /// The directory in which it starts, in the working folder; the working folder by default.
    pub(crate) cwd: Option<String>,
    /// The time after which it is ended, in seconds; 300 by default.
    #[schemars(range(min = 1, max = 3_600))]
    pub(crate) timeout: Option<u64>,
    /// Further environment variables.
    pub(crate) env: Option<BTreeMap<String, String>>,
    /// Whether it runs in a pseudo terminal, which has no separate stderr; false by default.
    pub(crate) pty: Option<bool>,
    /// Whether it runs without the sandbox; a person has to confirm it. False by default.
    pub(crate) r#unsafe: Option<bool>,
}

/// Arguments with limits that their types do not express.
pub(crate) trait Arguments: DeserializeOwned + JsonSchema {
    /// Checks the limits.
    fn check(&self) -> Result<(), Refusal> {
        Ok(())
    }

    /// Reads arguments.
    fn read(given: &Result<Map<String, Value>, String>) -> Result<Self, Refusal> {
        let members = given.as_ref().map_err(|_| Refusal::invalid("the arguments are not a JSON object"))?;
        let read: Self = serde_json::from_value(Value::Object(members.clone()))
            .map_err(|error| Refusal::invalid(format!("invalid arguments: {error}")))?;
        read.check()?;
        Ok(read)
    }
}

impl Arguments for AgentsList {}
impl Arguments for AgentsSpawn {}
impl Arguments for FsPath {}
impl Arguments for FsWrite {}

impl Arguments for FsRead {
    fn check(&self) -> Result<(), Refusal> {
        expect_in_range("limit", self.limit, MAX_READ_BYTES)
    }
}

impl Arguments for OsExec {
    fn check(&self) -> Result<(), Refusal> {
        expect_in_range("timeout", self.timeout, MAX_EXEC_SECONDS)?;
        let is_valid = |name: &str| !name.is_empty() && !name.contains(['=', '\0']);
        for (name, value) in self.env.iter().flatten() {
            if !is_valid(name) || value.contains('\0') {
                return Err(Refusal::invalid("invalid arguments: `env` has an invalid name or value"));
            }
        }
        if self.cmd.contains('\0') {
            return Err(Refusal::invalid("invalid arguments: `cmd` contains a null character"));
        }
        Ok(())
    }
}

fn expect_in_range(name: &str, value: Option<u64>, most: u64) -> Result<(), Refusal> {
    if value.is_none_or(|value| (1..=most).contains(&value)) {
        return Ok(());
    }
    Err(Refusal::invalid(format!("invalid arguments: `{name}` is not between 1 and {most}")))
}
