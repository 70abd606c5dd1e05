//! `ps`

use std::process::ExitCode;

use minds_diagnostics::JsonDocument;
use minds_fleet_bus::Listed;
use minds_fleet_protocol::{AgentInfo, AgentState, Presence};
use minds_operations::FleetTransport;
use minds_output::Output;
use schemars::JsonSchema;
use serde::Serialize;

use crate::args::PsArgs;
use crate::command_error::CommandError;
use crate::session::Session;
use crate::{document, table};

/// The agents of a fleet.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Listing {
    fleet: Fleet,
    agents: Vec<AgentInfo>,
}

impl JsonDocument for Listing {
    const NAME: &'static str = "fleet-ps";
}

/// Where a fleet is.
#[derive(Serialize, JsonSchema)]
struct Fleet {
    transport: &'static str,
    id: String,
    server: Option<String>,
}

pub(super) fn run(session: &Session<'_>, args: &PsArgs, out: &mut Output) -> Result<ExitCode, CommandError> {
    let mut agents = Vec::new();
    for Listed { mut info, presence } in session.list()? {
        let Some(state) = displayed_state(info.state, presence, args.all) else { continue };
        info.state = state;
        agents.push(info);
    }
    if agents.is_empty() && !out.is_json() {
        Output::remark("no agent of the fleet runs; `minds-fleet up` starts those of the workspace");
    }
    if out.is_json() {
        let server = match &session.place.transport {
            FleetTransport::Local => None,
            FleetTransport::Redis(server) => Some(without_account(server.url.expose())),
        };
        let transport = session.place.transport.kind();
        let fleet = Fleet { transport, id: session.place.fleet_id.clone(), server };
        document::write(out, &Listing { fleet, agents });
    } else if !agents.is_empty() {
        let rows: Vec<Vec<String>> = agents.iter().map(row).collect();
        let heading = ["AGENT", "STATE", "CTX", "QUEUE", "MODEL", "HOST", "PID"];
        let text = table::render(&heading, &rows, out.is_colored());
        out.push_styled(&text);
    }
    Ok(ExitCode::SUCCESS)
}

/// Returns the state in which an agent is displayed; none if it is not.
pub(super) fn displayed_state(state: AgentState, presence: Presence, shows_all: bool) -> Option<AgentState> {
    match presence {
        Presence::Alive | Presence::Restarting => Some(state),
        Presence::Disconnected => Some(AgentState::Disconnected),
        Presence::Forgotten => shows_all.then_some(AgentState::Disconnected),
        Presence::Left => shows_all.then_some(AgentState::Shutdown),
    }
}

fn row(info: &AgentInfo) -> Vec<String> {
    let parked =
        if info.queue.parked == 0 { String::new() } else { format!(" +{} parked", info.queue.parked) };
    vec![
        info.id.to_string(),
        info.state.as_str().to_owned(),
        format!("{:.0}%", info.ctx_pct * 100.0),
        format!("{}{parked}", info.queue.pending),
        info.model.clone().unwrap_or_default(),
        info.host.clone(),
        info.pid.to_string(),
    ]
}

/// Returns a URL without the account in it.
fn without_account(url: &str) -> String {
    let (scheme, rest) = url.split_once("://").map_or(("", url), |(scheme, rest)| (scheme, rest));
    let rest = rest.rsplit_once('@').map_or(rest, |(_, host)| host);
    let rest = rest.split(['?', '#']).next().unwrap_or_default();
    if scheme.is_empty() { rest.to_owned() } else { format!("{scheme}://{rest}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agents_that_ended_are_displayed_if_all_are() {
        use AgentState::{Busy, Disconnected, Shutdown};
        for (presence, usual, all) in [
            (Presence::Alive, Some(Busy), Some(Busy)),
            (Presence::Restarting, Some(Busy), Some(Busy)),
            (Presence::Disconnected, Some(Disconnected), Some(Disconnected)),
            (Presence::Forgotten, None, Some(Disconnected)),
            (Presence::Left, None, Some(Shutdown)),
        ] {
            assert_eq!(displayed_state(Busy, presence, false), usual, "{presence:?}");
            assert_eq!(displayed_state(Busy, presence, true), all, "{presence:?}");
        }
    }

    #[test]
    fn a_server_is_shown_without_secrets() {
        for (url, expected) in [
            ("redis://127.0.0.1:6379/0", "redis://127.0.0.1:6379/0"),
            ("redis://ann:hunter2@db/1", "redis://db/1"),
            ("rediss://:hun@ter2@db", "rediss://db"),
            ("redis://db/0?password=hunter2", "redis://db/0"),
            ("ann:hunter2@db", "db"),
        ] {
            assert_eq!(without_account(url), expected, "{url}");
        }
    }
}
