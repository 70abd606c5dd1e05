//! The tools of an agent: what is offered, what may run, and running it.

use std::collections::BTreeMap;

use minds_exec::SupervisorProgram;
use minds_fleet_protocol::{AgentInfo, Failure};
use minds_vfs::Expected;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::arguments::{AgentsList, AgentsSpawn, Arguments, FsPath, FsRead, FsWrite, OsExec};
use crate::outcome::{EndedTool, Refusal, RunningTool, ToolOutcome, quote};
use crate::policy::Policy;
use crate::registry::{TOOLS, Tool, ToolKind, find_by_model_name, model_name};
use crate::settings::ToolSettings;
use crate::spawn::{self, AgentSpawner, SpawnRequest};
use crate::{commands, read_files, write_files};

/// Returns the registry entries of the fleet.
pub type AgentLister<'a> = Box<dyn Fn() -> Result<Vec<AgentInfo>, Failure> + Send + 'a>;

/// A call of a tool by a model.
#[derive(Clone, Copy, Debug)]
pub struct Call<'c> {
    /// Its id, unique among the calls that are judged and not run yet.
    pub id: &'c str,
    /// The name of the tool for models.
    pub name: &'c str,
    /// The arguments: JSON, or what the model wrote in its place.
    pub arguments: &'c Result<Map<String, Value>, String>,
}

/// A tool that is offered to a model.
#[derive(Clone, Debug, PartialEq)]
pub struct Offer {
    /// The name for models.
    pub name: String,
    /// What it does.
    pub description: String,
    /// The JSON Schema of its arguments.
    pub schema: Value,
}

/// Whether a call runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decision {
    /// It runs.
    Run,
    /// A person decides.
    Ask(Question),
    /// It does not run.
    Refuse(ToolOutcome),
}

/// A question to the owner of an agent about a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// One line.
    pub title: String,
    /// What the call would do, as text.
    pub body: String,
}

/// The tools of an agent.
///
/// A call is refused unless the settings of its step give its tool, so the answer never depends on what was offered.
pub struct Toolbox<'a> {
    settings: Option<ToolSettings>,
    list_agents: AgentLister<'a>,
    spawner: Option<AgentSpawner<'a>>,
    supervisor: SupervisorProgram,
    /// The calls that a person was asked about, by their ids, and what their files or new agents were then.
    asked: BTreeMap<String, Option<Expected>>,
    /// The widenings that were reported already.
    reported: Vec<String>,
}

/// The result of `agents.list`.
#[derive(Serialize)]
struct Agents {
    agents: Vec<AgentInfo>,
}

/// The arguments of a call, checked.
enum Checked {
    AgentsList,
    AgentsSpawn(Box<SpawnRequest>),
    FsList(FsPath),
    FsRead(FsRead),
    FsStat(FsPath),
    FsWrite(FsWrite),
    OsExec(OsExec),
}

impl<'a> Toolbox<'a> {
    /// Returns tools that give nothing until [`Toolbox::configure`]. `supervisor` is the program that supervises commands.
    pub fn new(list_agents: AgentLister<'a>, supervisor: SupervisorProgram) -> Self {
        Self {
            settings: None,
            list_agents,
            spawner: None,
            supervisor,
            asked: BTreeMap::new(),
            reported: Vec::new(),
        }
    }

    /// Returns tools that can start agents.
    #[must_use]
    pub fn with_spawner(self, spawner: AgentSpawner<'a>) -> Self {
        Self { spawner: Some(spawner), ..self }
    }

    /// Uses these settings from now on, before each step. Returns a warning if the files go beyond the accepted policy, once for
    /// each such change.
    pub fn configure(&mut self, settings: &ToolSettings) -> Option<String> {
        let widenings: Vec<String> = settings.find_widenings().iter().map(ToString::to_string).collect();
        self.settings = Some(settings.clone());
        self.asked.clear();
        if widenings == self.reported {
            return None;
        }
        self.reported = widenings;
        (!self.reported.is_empty()).then(|| {
            format!(
                "the files give the agent more rights than were accepted; the accepted ones count until `minds-fleet up` is confirmed on a terminal or run with `--accept`: {}",
                self.reported.join("; ")
            )
        })
    }

    /// Returns the tools that the model is offered.
    pub fn offers(&self) -> Vec<Offer> {
        let Some(settings) = &self.settings else { return Vec::new() };
        let given = TOOLS.iter().filter(|tool| settings.why_not(tool).is_none());
        given
            .map(|tool| Offer {
                name: model_name(tool.name),
                description: tool.description.to_owned(),
                schema: (tool.schema)(),
            })
            .collect()
    }

    /// Returns whether a call may change something outside the agent, so that it must not run twice. A call that is refused
    /// changes nothing.
    pub fn has_effect(&self, name: &str) -> bool {
        self.find(name).is_ok_and(|(tool, _)| tool.has_effect)
    }

    /// Decides whether a call may run.
    pub fn judge(&mut self, call: Call<'_>) -> Decision {
        match self.decide(call) {
            Ok(None) => Decision::Run,
            Ok(Some(question)) => Decision::Ask(question),
            Err(refusal) => Decision::Refuse(refusal.into()),
        }
    }

    /// Runs a call. It is judged again, so that only a call that may run does, whatever the caller did with the answer of
    /// [`Toolbox::judge`].
    pub fn run(&mut self, call: Call<'_>) -> Box<dyn RunningTool> {
        let asked = self.asked.remove(call.id);
        let running = self.check(call).and_then(|(tool, policy, checked)| {
            if asked.is_none() && needs_person(tool, &policy, &checked) {
                return Err(Refusal::deny("a person has to confirm the call first"));
            }
            self.start(&policy, checked, asked.flatten())
        });
        running.unwrap_or_else(|refusal| Box::new(EndedTool::new(refusal.into())))
    }

    fn start(
        &self,
        policy: &Policy,
        checked: Checked,
        previewed: Option<Expected>,
    ) -> Result<Box<dyn RunningTool>, Refusal> {
        if let (Checked::OsExec(arguments), Some(settings)) = (&checked, &self.settings) {
            return commands::start(settings, policy, &self.supervisor, arguments);
        }
        let outcome = self.perform(policy, checked, previewed)?;
        Ok(Box::new(EndedTool::new(outcome)))
    }

    fn perform(
        &self,
        policy: &Policy,
        checked: Checked,
        previewed: Option<Expected>,
    ) -> Result<ToolOutcome, Refusal> {
        match checked {
            Checked::AgentsList => {
                let agents = (self.list_agents)().map_err(|failure| Refusal {
                    code: failure.code().unwrap_or(minds_fleet_protocol::ErrorCode::HandlerError),
                    message: failure.message,
                })?;
                Ok(ToolOutcome::success(&Agents { agents }))
            }
            Checked::AgentsSpawn(request) => spawn::spawn(self.spawner.as_ref(), &request, previewed),
            Checked::FsList(arguments) => read_files::list(policy, &arguments),
            Checked::FsRead(arguments) => read_files::read(policy, &arguments),
            Checked::FsStat(arguments) => read_files::stat(policy, &arguments),
            Checked::FsWrite(arguments) => write_files::write(policy, &arguments, previewed),
            Checked::OsExec(_) => Err(Refusal::deny("the tools are not configured")),
        }
    }

    fn decide(&mut self, call: Call<'_>) -> Result<Option<Question>, Refusal> {
        let (tool, policy, checked) = self.check(call)?;
        if !needs_person(tool, &policy, &checked) {
            return Ok(None);
        }
        if let Checked::FsWrite(arguments) = &checked {
            let preview = write_files::preview(&policy, arguments)?;
            self.asked.insert(call.id.to_owned(), Some(preview.expected));
            let title = format!("write the file {}", quote(&arguments.path));
            return Ok(Some(Question { title, body: preview.diff }));
        }
        if let Checked::AgentsSpawn(request) = &checked {
            self.asked.insert(call.id.to_owned(), Some(spawn::expected(request)));
            return Ok(Some(spawn::question(request)));
        }
        self.asked.insert(call.id.to_owned(), None);
        let place = if is_unsafe(&checked) { " without the sandbox" } else { "" };
        let title = format!("run the tool `{}`{place}", tool.name);
        let body = call.arguments.as_ref().map(|given| Value::Object(given.clone()).to_string());
        Ok(Some(Question { title, body: body.unwrap_or_default() }))
    }

    /// Returns the tool of a call if the agent has it.
    fn find(&self, name: &str) -> Result<(&'static Tool, &ToolSettings), Refusal> {
        let denied =
            |reason: &str| Refusal::deny(format!("the agent does not have the tool {}{reason}", quote(name)));
        let (Some(settings), Some(tool)) = (&self.settings, find_by_model_name(name)) else {
            return Err(denied(""));
        };
        match settings.why_not(tool) {
            None => Ok((tool, settings)),
            Some(reason) => Err(denied(&format!(": {reason}"))),
        }
    }

    /// Checks a call, and returns its tool, the policy of the step and its arguments.
    fn check(&self, call: Call<'_>) -> Result<(&'static Tool, Policy, Checked), Refusal> {
        let (tool, settings) = self.find(call.name)?;
        let policy = settings.effective();
        let checked = check_arguments(tool, &policy, call.arguments)?;
        if is_unsafe(&checked) && !policy.r#unsafe {
            return Err(Refusal::deny("`unsafe` needs `tools.unsafe: true` in the project and in the agent"));
        }
        Ok((tool, policy, checked))
    }
}

impl std::fmt::Debug for Toolbox<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Toolbox").field("settings", &self.settings).finish_non_exhaustive()
    }
}

fn check_arguments(
    tool: &Tool,
    policy: &Policy,
    given: &Result<Map<String, Value>, String>,
) -> Result<Checked, Refusal> {
    Ok(match tool.kind {
        ToolKind::AgentsList => {
            AgentsList::read(given)?;
            Checked::AgentsList
        }
        ToolKind::AgentsSpawn => {
            Checked::AgentsSpawn(Box::new(spawn::prepare(policy, &AgentsSpawn::read(given)?)?))
        }
        ToolKind::FsList => Checked::FsList(FsPath::read(given)?),
        ToolKind::FsRead => Checked::FsRead(FsRead::read(given)?),
        ToolKind::FsStat => Checked::FsStat(FsPath::read(given)?),
        ToolKind::FsWrite => Checked::FsWrite(FsWrite::read(given)?),
        ToolKind::OsExec => Checked::OsExec(OsExec::read(given)?),
    })
}

/// Returns whether a person has to confirm a call.
fn needs_person(tool: &Tool, policy: &Policy, checked: &Checked) -> bool {
    is_unsafe(checked) || tool.kind == ToolKind::AgentsSpawn || policy.needs_confirmation(tool.name)
}

fn is_unsafe(checked: &Checked) -> bool {
    matches!(checked, Checked::OsExec(OsExec { r#unsafe: Some(true), .. }))
}
