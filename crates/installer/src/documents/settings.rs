//! `minds source config`

use minds_diagnostics::JsonDocument;
use schemars::JsonSchema;
use serde::Serialize;

use crate::{ConfigReport, HomesOrigin, LobeReport};

/// The configuration of sources.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ConfigDocument<'a> {
    /// The origin of the agent homes.
    from: HomesOrigin,
    /// The data directory.
    home: &'a str,
    /// The agent homes.
    lobes: &'a [LobeReport],
    /// Whether repositories are fetched by SSH if their URL is HTTPS.
    ssh: bool,
}

impl<'a> From<&'a ConfigReport> for ConfigDocument<'a> {
    fn from(config: &'a ConfigReport) -> Self {
        Self { from: config.from, home: &config.home, lobes: &config.lobes, ssh: config.ssh }
    }
}

impl JsonDocument for ConfigDocument<'_> {
    const NAME: &'static str = "source-config";
}

/// The agent homes.
#[derive(Debug, Serialize, JsonSchema)]
pub struct AgentHomesDocument<'a> {
    /// Their absolute paths.
    lobes: Vec<&'a str>,
}

impl<'a> From<&'a ConfigReport> for AgentHomesDocument<'a> {
    fn from(config: &'a ConfigReport) -> Self {
        Self { lobes: config.lobes.iter().map(|lobe| lobe.path.as_str()).collect() }
    }
}

impl JsonDocument for AgentHomesDocument<'_> {
    const NAME: &'static str = "source-homes";
}

/// A change to the list of agent homes.
#[derive(Debug, Serialize, JsonSchema)]
pub struct AgentHomeChangeDocument<'a> {
    /// The change.
    pub action: AgentHomeChange,
    /// The result.
    pub outcome: AgentHomeOutcome,
    /// The absolute path of the agent home.
    pub target: &'a str,
}

impl JsonDocument for AgentHomeChangeDocument<'_> {
    const NAME: &'static str = "source-homes-change";
}

/// The kind of change to the list of agent homes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum AgentHomeChange {
    /// Adding an agent home.
    Add,
    /// Removing an agent home.
    Remove,
}

/// The result of a change to the list of agent homes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum AgentHomeOutcome {
    /// It was added.
    Added,
    /// It was removed.
    Removed,
    /// It was already in the list.
    NoOp,
}
