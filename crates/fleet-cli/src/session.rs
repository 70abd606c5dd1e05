//! One run of a command: the fleet that it is about, and its bus.

use std::path::PathBuf;

use minds_diagnostics::find_nearest;
use minds_fleet_bus::{Bus, Follower, Listed, LocalBus, Start};
use minds_fleet_protocol::{AgentId, Caller, ErrorCode, Failure, Json, Presence, Timeout};
use minds_operations::{FleetAgent, FleetOptions, FleetPlace, FleetProblem, FleetTuning, open_fleet};
use serde::Serialize;

use crate::agent_name::{AgentName, is_name};
use crate::args::Options;
use crate::client::Client;
use crate::clock::{new_caller, now};
use crate::command_error::CommandError;
use crate::questions::confirm;
use crate::transport;

/// The kind of client that the commands are.
const CLIENT: &str = "cli";

/// A fleet, and this client of it.
pub(crate) struct Session<'o> {
    pub(crate) options: &'o Options,
    pub(crate) place: FleetPlace,
    pub(crate) bus: Box<dyn Bus>,
    caller: Caller,
}

/// The details of `config.invalid`: the first error, and all of them.
#[derive(Serialize)]
struct InvalidFiles<'p> {
    file: Option<&'p str>,
    line: Option<usize>,
    message: &'p str,
    errors: Vec<InvalidFile<'p>>,
}

#[derive(Serialize)]
struct InvalidFile<'p> {
    file: Option<&'p str>,
    line: Option<usize>,
    message: &'p str,
}

impl<'p> From<&'p FleetProblem> for InvalidFile<'p> {
    fn from(problem: &'p FleetProblem) -> Self {
        Self { file: problem.file.as_deref(), line: problem.line, message: &problem.message }
    }
}

impl<'o> Session<'o> {
    /// Opens the fleet of the options.
    pub(crate) fn open(options: &'o Options) -> Result<Self, CommandError> {
        Self::open_as(options, None)
    }

    /// Opens the fleet for a client that has a name already.
    pub(crate) fn open_for(options: &'o Options, caller: Caller) -> Result<Self, CommandError> {
        let place = find_place(options, None)?;
        let bus = transport::open(&place)?;
        Ok(Self { options, place, bus, caller })
    }

    /// Opens the fleet of the options as another kind of client.
    pub(crate) fn open_as_client(options: &'o Options, client: &str) -> Result<Self, CommandError> {
        Self::open_for(options, new_caller(client)?)
    }
    /// Opens the fleet with another name of the project.
    pub(crate) fn open_as(options: &'o Options, project: Option<&str>) -> Result<Self, CommandError> {
        let place = find_place(options, project)?;
        let bus = transport::open(&place)?;
        Ok(Self { options, place, bus, caller: new_caller(CLIENT)? })
    }

    /// Returns the id of an agent. A name without a project is that of an agent of the layers, else that of the only agent of
    /// the compose root with this name.
    pub(crate) fn id(&self, agent: &AgentName) -> Result<AgentId, CommandError> {
        let name = &agent.name;
        let of_compose_root: Vec<&FleetAgent> = if agent.project.is_some() || self.place.agent(name).is_some()
        {
            Vec::new()
        } else {
            self.place.agents.iter().filter(|known| known.is_of_compose_root && known.name == *name).collect()
        };
        if let [first, second, ..] = of_compose_root.as_slice() {
            return Err(CommandError::Usage(format!(
                "several projects have an agent `{name}`; name `{}` or `{}`",
                first.id, second.id
            )));
        }
        let of_compose_root = of_compose_root.first().and_then(|known| known.id.split_once('/'));
        let of_compose_root = of_compose_root.map(|(project, _)| project);
        let project = agent.project.as_deref().or(of_compose_root).unwrap_or(&self.place.project);
        AgentId::parse(&format!("{project}/{}", agent.name)).map_err(|_| {
            let reason = self.why_no_project().unwrap_or_default();
            CommandError::fleet(ErrorCode::AgentNotFound, format!("no agent `{}` runs: {reason}", agent.name))
        })
    }

    /// Returns whether the compose root of the workspace defines an agent.
    pub(crate) fn is_of_compose_root(&self, agent: &AgentId) -> bool {
        self.place.find(agent.as_str()).is_some_and(|known| known.is_of_compose_root)
    }

    /// Returns whether an agent is configured.
    pub(crate) fn is_configured(&self, agent: &AgentId) -> bool {
        self.place.find(agent.as_str()).is_some()
    }

    /// Returns why the name of the project cannot be a part of ids; none if it can.
    pub(crate) fn why_no_project(&self) -> Option<String> {
        let name = &self.place.project;
        let origin =
            if self.place.is_project_of_directory { "the name of the directory" } else { "the name" };
        (!is_name(name)).then(|| {
            format!(
                "{origin}, `{name}`, cannot be the name of a project, which has 1 to 64 characters of `A-Za-z0-9_-`; set `name` in `.ateam/project.yaml`"
            )
        })
    }

    /// Fails with `config.invalid` if the files have errors.
    pub(crate) fn expect_valid(&self) -> Result<(), CommandError> {
        if let Some(first) = self.place.problems.first() {
            return Err(invalid_files(first, &self.place.problems).into());
        }
        // Agents of a compose root have projects of their own.
        let needs_project =
            self.place.has_files || !self.place.agents.iter().any(|agent| agent.is_of_compose_root);
        match self.why_no_project().filter(|_| needs_project) {
            Some(reason) => Err(CommandError::fleet(ErrorCode::ConfigInvalid, reason)),
            None => Ok(()),
        }
    }

    /// Returns the agents in the registry.
    pub(crate) fn list(&self) -> Result<Vec<Listed>, CommandError> {
        Ok(self.bus.list(now())?)
    }

    /// Returns the agents that run.
    pub(crate) fn running(&self) -> Result<Vec<Listed>, CommandError> {
        let mut listed = self.list()?;
        listed.retain(|listed| listed.presence == Presence::Alive);
        Ok(listed)
    }

    /// Returns whether an agent runs.
    pub(crate) fn is_running(&self, agent: &AgentId) -> Result<bool, CommandError> {
        Ok(self.running()?.iter().any(|listed| listed.info.id == *agent))
    }

    /// Connects to an agent.
    pub(crate) fn connect(&self, agent: &AgentId) -> Result<Client, CommandError> {
        let connected = Client::connect(self.bus.as_ref(), agent, &self.caller, self.timeout());
        connected.map_err(|failure| self.explain(failure, agent))
    }

    /// Follows the frames of an agent, which need not run.
    pub(crate) fn follow(&self, agent: &AgentId, start: Start) -> Result<Box<dyn Follower>, CommandError> {
        self.bus.follow(agent, start).map_err(|failure| self.explain(failure, agent))
    }

    /// Returns the timeout of the option or of the files; none for that of each method.
    fn timeout(&self) -> Option<Timeout> {
        let configured = self.place.settings.tuning.console_rpc_timeout;
        let is_default = configured == FleetTuning::default().console_rpc_timeout;
        let configured = u32::try_from(configured).ok().filter(|_| !is_default);
        self.options.rpc_timeout.or_else(|| Timeout::from_seconds(f64::from(configured?)))
    }

    /// Connects to an agent, claims it, acts, and releases it.
    pub(crate) fn act<T>(
        &self,
        agent: &AgentId,
        is_takeover: bool,
        action: impl FnOnce(&mut Client) -> Result<T, CommandError>,
    ) -> Result<T, CommandError> {
        let mut client = self.connect(agent)?;
        self.claim(&mut client, is_takeover)?;
        let done = action(&mut client);
        // The ownership also ends with the connection, only later.
        let _ = client.release();
        done
    }

    /// Claims an agent. Another owner is only replaced if a person confirms it.
    pub(crate) fn claim(&self, client: &mut Client, is_takeover: bool) -> Result<(), CommandError> {
        match client.claim(false) {
            Err(failure) if is_takeover && failure.code() == Some(ErrorCode::OwnershipDenied) => {
                confirm(&format!("take over `{}` from its owner?", client.agent()))?;
                Ok(client.claim(true)?)
            }
            claimed => claimed.map_err(|failure| self.explain(failure, &client.agent().clone())),
        }
    }

    /// Adds to `agent.not_found` what to do.
    pub(crate) fn explain(&self, failure: Failure, agent: &AgentId) -> CommandError {
        if failure.code() != Some(ErrorCode::AgentNotFound) {
            return failure.into();
        }
        if self.is_configured(agent) {
            let message =
                format!("the agent `{agent}` does not run; `minds-fleet up {}` starts it", agent.name());
            return CommandError::fleet(ErrorCode::AgentNotFound, message);
        }
        self.not_found(agent)
    }

    /// Returns `agent.not_found` for an agent that is neither configured nor running, with the nearest names.
    pub(crate) fn not_found(&self, agent: &AgentId) -> CommandError {
        let running = self.running().unwrap_or_default();
        let running = running.iter().map(|listed| listed.info.id.as_str());
        let known: Vec<&str> =
            self.place.agents.iter().map(|agent| agent.id.as_str()).chain(running).collect();
        let mut near: Vec<&str> = find_nearest(agent.as_str(), known.iter().copied(), 3);
        near.dedup();
        let help = match near.first() {
            Some(near) => format!("did you mean `{near}`?"),
            None if known.is_empty() => "the fleet has no agents".to_owned(),
            None => "`minds-fleet ps` lists the agents that run".to_owned(),
        };
        let message = format!("there is no agent `{agent}`; {help}");
        let detail = Json::from_value(&serde_json::json!({ "near": near })).ok();
        Failure { detail, ..Failure::new(ErrorCode::AgentNotFound, message) }.into()
    }

    /// Returns the runtime folder of an agent, which has its log.
    pub(crate) fn runtime_folder(&self, agent: &AgentId) -> Result<PathBuf, CommandError> {
        Ok(LocalBus::new(&self.place.fleet_id)?.agent_folder(agent))
    }
}

/// Finds the fleet of the options.
pub(crate) fn find_place(options: &Options, project: Option<&str>) -> Result<FleetPlace, CommandError> {
    let found = FleetOptions { is_local: options.local, redis: options.redis.as_deref(), project };
    Ok(open_fleet(&options.directory, &found)?)
}

/// Returns `config.invalid` with the errors of the files.
fn invalid_files(first: &FleetProblem, problems: &[FleetProblem]) -> Failure {
    let InvalidFile { file, line, message } = InvalidFile::from(first);
    let mut text = String::new();
    if let Some(file) = file {
        text.push_str(file);
        text.extend(line.map(|line| format!(":{line}")));
        text.push_str(": ");
    }
    text.push_str(message);
    if problems.len() > 1 {
        text.extend(["; and ", &(problems.len() - 1).to_string(), " more"]);
    }
    text.push_str("; `minds check` explains it");
    let detail =
        InvalidFiles { file, line, message, errors: problems.iter().map(InvalidFile::from).collect() };
    Failure { detail: Json::from_value(&detail).ok(), ..Failure::new(ErrorCode::ConfigInvalid, text) }
}
