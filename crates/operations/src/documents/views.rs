//! `minds team show`, `minds compose show` and `minds fleet show`

use minds_diagnostics::JsonDocument;
use minds_workspace::{AgentView, FleetAgentView, MemberView};
use schemars::JsonSchema;
use serde::Serialize;

/// The members of the team after inheritance.
#[derive(Debug, Serialize, JsonSchema)]
pub struct TeamDocument<'a> {
    /// The members: those of the file in file order, then the built-in ones.
    pub members: &'a [MemberView],
}

impl JsonDocument for TeamDocument<'_> {
    const NAME: &'static str = "team-show";
}

/// The agents of a compose root.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ComposeDocument<'a> {
    /// The agents by project, managers first.
    pub agents: &'a [AgentView],
}

impl JsonDocument for ComposeDocument<'_> {
    const NAME: &'static str = "compose-show";
}

/// The agents of a fleet after merging all layers.
#[derive(Debug, Serialize, JsonSchema)]
pub struct FleetDocument<'a> {
    /// The agents by name.
    pub agents: &'a [FleetAgentView],
}

impl JsonDocument for FleetDocument<'_> {
    const NAME: &'static str = "fleet-show";
}
