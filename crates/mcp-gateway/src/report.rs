//! The gateways of a workspace as commands show them.

use std::time::Duration;

use minds_core::MCP_FILE;
use minds_fs::Root;
use minds_process::{SystemError, pause};
use minds_state::journal::Journal;
use minds_toolset::{ForeignTool, Refusal, ServerAction, ServerState, ToolSource as _};
use minds_vfs::{Location, MountId, Scope, WorkspacePath};

use crate::client::ListedTool;
use crate::documents::{GatewayState, GatewayStatusDocument, GatewaySummary, RestartOutcome, ServerStatus};
use crate::{Config, ConfigError, Link, ListedServer, Options, RunningGateway, Transport, expose};

/// The interval at which a gateway is asked whether its servers have started.
const INTERVAL: Duration = Duration::from_millis(20);
/// The longest time for that; each start has a limit of its own.
const MAX_INTERVALS: usize = 100_000;

/// Why there is nothing to report.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReportError {
    /// The file cannot be used.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// A file cannot be read.
    #[error(transparent)]
    System(#[from] SystemError),
    /// A gateway does not answer.
    #[error("{}", .0.message)]
    Gateway(Refusal),
}

/// Returns the state of the servers in the gateways that run. Without a gateway it is that of the file.
///
/// # Errors
///
/// Fails if the file cannot be used, or a gateway does not answer.
pub fn status(options: &Options, gateways: &[RunningGateway]) -> Result<GatewayStatusDocument, ReportError> {
    let idle = idle_servers(options)?;
    let state = |gateway: &RunningGateway| match gateway.link.state() {
        // It has ended meanwhile.
        Err(_) if gateway.link.has_ended() => None,
        state => Some(state.map_err(ReportError::Gateway)),
    };
    let states: Vec<GatewayState> = gateways.iter().filter_map(state).collect::<Result<_, _>>()?;
    Ok(combine(idle, states))
}

/// Waits until each server of a gateway that is to be started has started or failed, and returns their state.
///
/// # Errors
///
/// Fails if the gateway does not answer.
pub fn wait_for_starts(link: &Link) -> Result<GatewayState, Refusal> {
    let is_open = |server: &ServerStatus| match server.state {
        ServerState::Starting => true,
        // A server whose tools are remembered may not be needed.
        ServerState::NotStarted => server.enabled && !server.from_memory,
        _ => false,
    };
    link.wait_for_tools();
    let mut state = link.state()?;
    for _ in 0..MAX_INTERVALS {
        if !state.servers.iter().any(is_open) {
            break;
        }
        pause(INTERVAL);
        state = link.state()?;
    }
    Ok(state)
}

/// Returns the document for one gateway.
pub fn of_gateway(state: GatewayState) -> GatewayStatusDocument {
    combine(Vec::new(), vec![state])
}

fn combine(idle: Vec<ServerStatus>, states: Vec<GatewayState>) -> GatewayStatusDocument {
    let mut document =
        GatewayStatusDocument { gateways: Vec::new(), servers: Vec::new(), problems: Vec::new() };
    for state in states {
        let GatewayState { pid, started_at, caller, conversations, servers, problems } = state;
        document.gateways.push(GatewaySummary { pid, started_at, caller, conversations });
        for server in servers {
            match document.servers.iter_mut().find(|known| known.id == server.id) {
                Some(known) => merge(known, server),
                None => document.servers.push(server),
            }
        }
        for problem in problems {
            if !document.problems.contains(&problem) {
                document.problems.push(problem);
            }
        }
    }
    if document.gateways.is_empty() {
        document.servers = idle;
    }
    document
}

/// Adds the state of a server in another gateway.
fn merge(known: &mut ServerStatus, other: ServerStatus) {
    let sums =
        (known.leases + other.leases, known.in_flight + other.in_flight, known.restarts + other.restarts);
    if concern(other.state) > concern(known.state) {
        *known = other;
    }
    (known.leases, known.in_flight, known.restarts) = sums;
}

/// Returns how much a state concerns the user.
fn concern(state: ServerState) -> u8 {
    match state {
        ServerState::Failing => 6,
        ServerState::Invalid => 5,
        ServerState::Starting => 4,
        ServerState::Stopping => 3,
        ServerState::Ready => 2,
        ServerState::NotStarted => 1,
        ServerState::Disabled => 0,
    }
}

/// Returns the servers of the file, none of which runs.
///
/// # Errors
///
/// Fails if the file cannot be used.
fn idle_servers(options: &Options) -> Result<Vec<ServerStatus>, ReportError> {
    let config = read_config(options)?;
    let journal =
        Journal::new(&options.state).map_err(|error| SystemError::new("read", &options.state, error))?;
    let server = |entry: &crate::ServerEntry| {
        let server = entry.server.as_ref().ok();
        let fingerprint = server.map(crate::Server::fingerprint);
        let remembered = fingerprint.and_then(|fingerprint| journal.recall::<ListedTool>(&fingerprint));
        ServerStatus {
            id: entry.id.clone(),
            transport: server.map(|server| server.transport.name().to_owned()),
            enabled: server.is_none_or(|server| server.is_enabled),
            state: match server {
                None => ServerState::Invalid,
                Some(server) if !server.is_enabled => ServerState::Disabled,
                Some(_) => ServerState::NotStarted,
            },
            since: None,
            fingerprint: fingerprint.map(|fingerprint| fingerprint.to_string()),
            protocol: remembered.as_ref().map(|remembered| remembered.protocol.clone()),
            tools: remembered.as_ref().map_or(0, |remembered| remembered.tools.len()),
            skipped: 0,
            leases: 0,
            in_flight: 0,
            restarts: 0,
            from_memory: remembered.is_some(),
            last_error: entry.server.as_ref().err().map(ToString::to_string),
            log: Vec::new(),
        }
    };
    Ok(config.servers.iter().map(server).collect())
}

/// Reads the servers of a workspace, among them that of the toolset `fleet`.
///
/// # Errors
///
/// Fails if the file cannot be used.
pub fn read_config(options: &Options) -> Result<Config, ReportError> {
    let workspace = &options.workspace;
    let root = Root::open(workspace, MountId::WORKSPACE)?;
    let file = WorkspacePath::parse(MCP_FILE).map(|path| Location::new(MountId::WORKSPACE, path));
    let snapshot = root.snapshot(&Scope::of_files(file));
    let variable = |name: &str| minds_process::variable(name).ok().flatten();
    Ok(Config::read(&snapshot, workspace, &variable)?.with_fleet(options))
}

/// Returns the tools that the enabled servers had when they last started with their present configuration. No server is
/// started, and the tools of a server without a record are left out.
///
/// # Errors
///
/// Fails if the file cannot be used, or the state folder cannot be read.
pub fn recorded_tools(options: &Options) -> Result<Vec<ForeignTool>, ReportError> {
    let config = read_config(options)?;
    let journal =
        Journal::new(&options.state).map_err(|error| SystemError::new("read", &options.state, error))?;
    let recorded = config.servers.iter().filter_map(|entry| {
        let server = entry.server.as_ref().ok().filter(|server| server.is_enabled)?;
        Some((entry, server, journal.recall::<ListedTool>(&server.fingerprint())?.tools))
    });
    let recorded: Vec<_> = recorded.collect();
    let listed = recorded.iter().map(|(entry, server, tools)| {
        let (id, is_built_in) = (entry.id.as_str(), entry.is_built_in);
        ListedServer { id, server, tools, is_available: true, is_built_in }
    });
    Ok(expose(listed).tools)
}

/// Restarts a server in each gateway that has not ended meanwhile.
pub fn restart(gateways: &[RunningGateway], server: &str) -> Vec<RestartOutcome> {
    let restart = |gateway: &RunningGateway| {
        let outcome = gateway.link.act("", server, ServerAction::Restart);
        if outcome.is_err() && gateway.link.has_ended() {
            return None;
        }
        let state = gateway.link.state().ok();
        let status = state.and_then(|state| state.servers.into_iter().find(|status| status.id == server));
        Some(RestartOutcome {
            pid: gateway.pid,
            ok: outcome.is_ok(),
            state: status.as_ref().map(|status| status.state),
            tools: status.map_or(0, |status| status.tools),
            error: outcome.err().map(|refusal| refusal.message),
        })
    };
    gateways.iter().filter_map(restart).collect()
}

impl Transport {
    /// Returns the value of the key `transport`.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Stdio(_) => "stdio",
            Self::Http(_) => "streamable_http",
        }
    }
}
