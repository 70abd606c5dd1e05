//! `up`, `down` and `stop`.

use std::process::ExitCode;
use std::time::Duration;

use minds_diagnostics::JsonDocument;
use minds_fleet_agent::config_invalid;
use minds_fleet_protocol::methods::AgentStop;
use minds_fleet_protocol::{AgentId, ErrorCode, Failure, Json, Presence};
use minds_operations::FleetTransport;
use minds_output::Output;
use minds_process::{monotonic, pause};
use schemars::JsonSchema;
use serde::Serialize;

use super::FAILED;
use crate::acceptance::{review, settle, show_widenings};
use crate::agent_name::AgentName;
use crate::args::{DownArgs, StopArgs, UpArgs};
use crate::command_error::CommandError;
use crate::questions::confirm;
use crate::session::Session;
use crate::starter::{Started, command_line, start};
use crate::{document, table};

/// How long an agent may take to end.
const STOP_TIME: Duration = Duration::from_secs(15);
/// How long a killed agent may take to end.
const KILL_TIME: Duration = Duration::from_secs(2);
/// The interval of checks whether an agent has ended.
const TICK: Duration = Duration::from_millis(10);

/// What happened to the agents.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Agents {
    agents: Vec<AgentOutcome>,
    /// Why agents of the compose root are not among them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    errors: Vec<OutcomeError>,
}

impl JsonDocument for Agents {
    const NAME: &'static str = "fleet-outcome";
}

/// What happened to an agent.
#[derive(Serialize, JsonSchema)]
struct AgentOutcome {
    id: String,
    result: Outcome,
    #[serde(skip_serializing_if = "Option::is_none")]
    pid: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    command: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<OutcomeError>,
}

#[derive(Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum Outcome {
    Started,
    Running,
    WouldStart,
    Stopped,
    NotRunning,
    Killed,
    Failed,
}

#[derive(Serialize, JsonSchema)]
struct OutcomeError {
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<String>,
    message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    detail: Option<Json>,
}

impl From<Failure> for OutcomeError {
    fn from(failure: Failure) -> Self {
        let Failure { code, message, detail } = failure;
        Self { code: Some(code.into()), message, detail }
    }
}

impl Outcome {
    fn as_str(self) -> &'static str {
        match self {
            Self::Started => "started",
            Self::Running => "running",
            Self::WouldStart => "would-start",
            Self::Stopped => "stopped",
            Self::NotRunning => "not-running",
            Self::Killed => "killed",
            Self::Failed => "failed",
        }
    }
}

impl AgentOutcome {
    fn new(agent: &AgentId, result: Outcome, pid: Option<u32>) -> Self {
        Self { id: agent.to_string(), result, pid, command: None, error: None }
    }

    fn failure(agent: &AgentId, error: CommandError) -> Self {
        let error = match error {
            CommandError::Fleet(failure) => OutcomeError::from(*failure),
            CommandError::Usage(message) | CommandError::System(message) | CommandError::Refused(message) => {
                OutcomeError { code: None, message, detail: None }
            }
        };
        Self { error: Some(error), ..Self::new(agent, Outcome::Failed, None) }
    }
}

/// Runs `up`.
pub(super) fn up(session: &Session<'_>, args: &UpArgs, out: &mut Output) -> Result<ExitCode, CommandError> {
    // Files with errors may define agents.
    let place = &session.place;
    if place.has_files || !args.agents.is_empty() {
        session.expect_valid()?;
    }
    let agents = find_configured(session, &args.agents)?;
    let mut outcomes = Vec::new();
    for agent in &agents {
        if let Err(error) = settle_rights(session, agent, args) {
            outcomes.push(AgentOutcome::failure(agent, error));
            continue;
        }
        outcomes.push(match session.running_pid(agent)? {
            Some(pid) => AgentOutcome::new(agent, Outcome::Running, Some(pid)),
            None if args.dry_run => AgentOutcome {
                command: Some(command_line(session, agent, args.accept)),
                ..AgentOutcome::new(agent, Outcome::WouldStart, None)
            },
            None => match start(session, agent, args.accept) {
                Ok(Started::New(pid)) => AgentOutcome::new(agent, Outcome::Started, Some(pid)),
                Ok(Started::Already(pid)) => AgentOutcome::new(agent, Outcome::Running, Some(pid)),
                Err(error) => AgentOutcome::failure(agent, error),
            },
        });
    }
    let unlisted = if args.agents.is_empty() { place.unlisted.as_slice() } else { &[] };
    let errors: Vec<OutcomeError> =
        unlisted.iter().map(|problem| config_invalid(problem, 1).into()).collect();
    if outcomes.is_empty() && errors.is_empty() {
        Output::remark("the fleet has no agents; `minds init --fleet` creates one");
    }
    Ok(report(Agents { agents: outcomes, errors }, out))
}

/// Lets a person accept what the files permit, for agents that run too. A dry run only shows it.
fn settle_rights(session: &Session<'_>, agent: &AgentId, args: &UpArgs) -> Result<(), CommandError> {
    let review = review(session, agent)?;
    if args.dry_run {
        return show_widenings(agent, &review).map(|_| ());
    }
    settle(agent, &review, args.accept)
}

/// Returns the ids of configured agents: those that are named, or all.
fn find_configured(session: &Session<'_>, names: &[AgentName]) -> Result<Vec<AgentId>, CommandError> {
    if names.is_empty() {
        let parse = |id: &str| {
            let invalid = |error: minds_fleet_protocol::IdError| {
                CommandError::fleet(ErrorCode::ConfigInvalid, error.to_string())
            };
            AgentId::parse(id).map_err(invalid)
        };
        return session.place.agents.iter().map(|agent| parse(&agent.id)).collect();
    }
    let mut ids: Vec<AgentId> = Vec::new();
    for name in names {
        let id = session.id(name)?;
        if !session.is_configured(&id) {
            return Err(session.not_found(&id));
        }
        if !ids.contains(&id) {
            ids.push(id);
        }
    }
    Ok(ids)
}

/// Runs `down`.
pub(super) fn down(
    session: &Session<'_>,
    args: &DownArgs,
    out: &mut Output,
) -> Result<ExitCode, CommandError> {
    let mut agents = Vec::new();
    for name in &args.agents {
        let id = session.id(name)?;
        if !agents.contains(&id) {
            agents.push(id);
        }
    }
    let running = session.running()?;
    if args.agents.is_empty() {
        let is_ours = |id: &AgentId| {
            // On this machine, all agents of the fleet belong to the workspace.
            session.is_configured(id) || session.place.transport == FleetTransport::Local
        };
        agents.extend(running.iter().map(|listed| listed.info.id.clone()).filter(is_ours));
        if agents.is_empty() {
            Output::remark("no agent of the fleet runs");
        }
    }
    let stopped = agents.iter().map(|agent| {
        let Some(listed) = running.iter().find(|listed| listed.info.id == *agent) else {
            return AgentOutcome::new(agent, Outcome::NotRunning, None);
        };
        match stop_agent(session, agent, false, args.owner.takeover) {
            Ok(result) => AgentOutcome::new(agent, result, Some(listed.info.pid)),
            Err(error) => AgentOutcome::failure(agent, error),
        }
    });
    let stopped = stopped.collect();
    Ok(report(Agents { agents: stopped, errors: Vec::new() }, out))
}

/// Runs `stop`.
pub(super) fn stop(
    session: &Session<'_>,
    args: &StopArgs,
    out: &mut Output,
) -> Result<ExitCode, CommandError> {
    let agent = session.id(&args.agent)?;
    let pid = session.running_pid(&agent)?;
    if pid.is_none() {
        let failure = Failure::new(ErrorCode::AgentNotFound, format!("the agent `{agent}` does not run"));
        return Err(session.explain(failure, &agent));
    }
    if args.hard {
        confirm(&format!("kill `{agent}` and its child processes?"))?;
    }
    let result = stop_agent(session, &agent, args.hard, args.owner.takeover)?;
    let agents = vec![AgentOutcome::new(&agent, result, pid)];
    Ok(report(Agents { agents, errors: Vec::new() }, out))
}

/// Asks an agent to end, and waits until it has ended.
fn stop_agent(
    session: &Session<'_>,
    agent: &AgentId,
    is_hard: bool,
    is_takeover: bool,
) -> Result<Outcome, CommandError> {
    let pid = session.running_pid(agent)?;
    let mut client = session.connect(agent)?;
    session.claim(&mut client, is_takeover)?;
    match client.call(&AgentStop { hard: is_hard }) {
        Ok(_) => {}
        // It has ended before it could answer.
        Err(failure) if failure.code() == Some(ErrorCode::AgentNotFound) => {}
        Err(failure) => return Err(failure.into()),
    }
    let time = if is_hard { KILL_TIME } else { STOP_TIME };
    if has_ended(session, agent, time)? {
        return Ok(if is_hard { Outcome::Killed } else { Outcome::Stopped });
    }
    let is_here = session.place.transport == FleetTransport::Local;
    if let Some(pid) = pid.filter(|_| is_hard && is_here) {
        minds_process::kill(pid);
        if has_ended(session, agent, KILL_TIME)? {
            return Ok(Outcome::Killed);
        }
    }
    let message = format!(
        "`{agent}` still runs after {} seconds; `minds-fleet stop {agent} --hard` kills it",
        time.as_secs()
    );
    Err(CommandError::fleet(ErrorCode::Timeout, message))
}

/// Waits until an agent has ended, and returns whether it has.
fn has_ended(session: &Session<'_>, agent: &AgentId, time: Duration) -> Result<bool, CommandError> {
    let deadline = monotonic().saturating_add(time);
    loop {
        if !session.is_running(agent)? {
            return Ok(true);
        }
        if monotonic() >= deadline {
            return Ok(false);
        }
        pause(TICK);
    }
}

impl Session<'_> {
    /// Returns the process id of an agent that runs.
    fn running_pid(&self, agent: &AgentId) -> Result<Option<u32>, CommandError> {
        let found = self.list()?.into_iter().find(|listed| listed.info.id == *agent);
        Ok(found.filter(|listed| listed.presence == Presence::Alive).map(|listed| listed.info.pid))
    }
}

/// Prints what happened, and returns 1 if one agent failed.
fn report(done: Agents, out: &mut Output) -> ExitCode {
    let is_failed =
        !done.errors.is_empty() || done.agents.iter().any(|agent| agent.result == Outcome::Failed);
    if out.is_json() {
        document::write(out, &done);
        return if is_failed { ExitCode::from(FAILED) } else { ExitCode::SUCCESS };
    }
    let Agents { agents, errors } = done;
    if !agents.is_empty() {
        let rows: Vec<Vec<String>> = agents
            .iter()
            .map(|agent| {
                let pid = agent.pid.map(|pid| pid.to_string()).unwrap_or_default();
                vec![agent.id.clone(), agent.result.as_str().to_owned(), pid]
            })
            .collect();
        let text = table::render(&["AGENT", "RESULT", "PID"], &rows, out.is_colored());
        out.push_styled(&text);
    }
    for agent in &agents {
        if let Some(command) = &agent.command {
            out.data(&format!("{}: {command}\n", agent.id));
        }
    }
    let of_agents = agents.iter().filter_map(|agent| agent.error.as_ref());
    for OutcomeError { code, message, detail } in of_agents.chain(&errors) {
        let code = code.as_deref().unwrap_or("failed");
        out.trailing_warning(&format!("error[{code}]: {message}"));
        if let Some(log) = detail.as_ref().and_then(log_of) {
            out.trailing_remark(&format!("the log is `{log}`"));
        }
    }
    if is_failed { ExitCode::from(FAILED) } else { ExitCode::SUCCESS }
}

fn log_of(detail: &Json) -> Option<String> {
    let detail: serde_json::Value = detail.decode().ok()?;
    detail.get("log")?.as_str().map(str::to_owned)
}
