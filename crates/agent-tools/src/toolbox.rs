//! The tools of an agent: what is offered, what may run, and running it.

use std::collections::BTreeMap;

use minds_exec::SupervisorProgram;
use minds_fleet_protocol::{AgentInfo, Failure};
use minds_vfs::Expected;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::arguments::{AgentsList, AgentsSpawn, Arguments, FsPath, FsRead, FsWrite, OsExec};
use crate::foreign::{ForeignTool, ForeignTools, with_own_names};
use crate::member::{MemberReader, Members};
use crate::outcome::{EndedTool, Refusal, RunningTool, ToolOutcome, quote};
use crate::policy::Policy;
use crate::reach::Bounds;
use crate::registry::{TOOLS, Tool, ToolKind, file_name, find_by_model_name, model_name};
use crate::settings::ToolSettings;
use crate::spawn::{self, AgentSpawner, SpawnRequest};
use crate::{commands, foreign_arguments, read_files, write_files};

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
    /// Reads the members of the team; without it, none of them permits anything.
    members: Option<MemberReader<'a>>,
    /// The tools of MCP servers.
    foreign: Option<Box<dyn ForeignTools + 'a>>,
    /// Those that the model is offered in this step.
    offered: Vec<ForeignTool>,
    /// The calls that a person was asked about, by their ids, and what their files or new agents were then.
    asked: BTreeMap<String, Option<Expected>>,
    /// The widenings that were reported already.
    reported: Vec<String>,
    /// The names that were reported already.
    reported_names: Vec<String>,
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
    Foreign(ForeignTool, Map<String, Value>),
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
            members: None,
            foreign: None,
            offered: Vec::new(),
            asked: BTreeMap::new(),
            reported: Vec::new(),
            reported_names: Vec::new(),
        }
    }

    /// Returns tools that can start agents.
    #[must_use]
    pub fn with_spawner(self, spawner: AgentSpawner<'a>) -> Self {
        Self { spawner: Some(spawner), ..self }
    }

    /// Reads the members of the team, which decide about files as well, with `reader`, again for each call.
    #[must_use]
    pub fn with_members(mut self, reader: MemberReader<'a>) -> Self {
        self.members = Some(reader);
        self
    }

    /// Gives the agent tools of MCP servers, as far as its settings list them.
    #[must_use]
    pub fn with_foreign(mut self, tools: Box<dyn ForeignTools + 'a>) -> Self {
        self.foreign = Some(tools);
        self
    }

    /// Uses these settings from now on, before each step. Returns warnings, each once for a change: that the files go beyond the
    /// accepted policy, and that a tool of a server is not offered because of its name.
    pub fn configure(&mut self, settings: &ToolSettings) -> Vec<String> {
        let widenings: Vec<String> = settings.find_widenings().iter().map(ToString::to_string).collect();
        self.settings = Some(settings.clone());
        self.asked.clear();
        let (offered, names) = with_own_names(self.given_foreign());
        self.offered = offered;
        let mut warnings: Vec<String> =
            names.iter().filter(|name| !self.reported_names.contains(name)).cloned().collect();
        self.reported_names = names;
        if widenings == self.reported {
            return warnings;
        }
        self.reported = widenings;
        let widened = (!self.reported.is_empty()).then(|| {
            format!(
                "the files give the agent more rights than were accepted; the accepted ones count until `minds-fleet up` is confirmed on a terminal or run with `--accept`: {}",
                self.reported.join("; ")
            )
        });
        warnings.extend(widened);
        warnings
    }

    /// Returns the tools of MCP servers that the agent has now.
    fn given_foreign(&self) -> Vec<ForeignTool> {
        let (Some(foreign), Some(settings)) = (&self.foreign, &self.settings) else { return Vec::new() };
        let Ok(members) = self.members_of(settings) else { return Vec::new() };
        let given = foreign.list().into_iter();
        given.filter(|tool| why_not_foreign(settings, &members, tool).is_none()).collect()
    }

    /// Reads the members that bound the agent, as they are now.
    fn members_of(&self, settings: &ToolSettings) -> Result<Members, Refusal> {
        Members::read(&settings.effective().members, self.members.as_ref())
    }

    /// Returns the tools that the model is offered.
    pub fn offers(&self) -> Vec<Offer> {
        let Some(settings) = &self.settings else { return Vec::new() };
        let given = TOOLS.iter().filter(|tool| settings.why_not(tool).is_none());
        let given = given.map(|tool| Offer {
            name: model_name(tool.name),
            description: tool.description.to_owned(),
            schema: (tool.schema)(),
        });
        given.chain(self.offered.iter().map(ForeignTool::offer)).collect()
    }

    /// Returns whether a call may change something outside the agent, so that it must not run twice. A call that is refused
    /// changes nothing.
    pub fn has_effect(&self, name: &str) -> bool {
        // What a server says about the effects of its tools is not known to be true.
        self.find(name).is_ok_and(|found| match found {
            GivenTool::BuiltIn(tool) => tool.has_effect,
            GivenTool::Foreign(_) => true,
        })
    }

    /// Returns the name of a tool in files, by its name for models; none if the agent does not know it.
    pub fn file_name(&self, name: &str) -> Option<String> {
        let foreign = self.offered.iter().find(|tool| tool.name == name);
        file_name(name).map(str::to_owned).or_else(|| foreign.map(ForeignTool::file_name))
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
        let running = self.check(call).and_then(|(tool, bounds, checked)| {
            if asked.is_none() && needs_person(&tool, &bounds.policy, &checked) {
                return Err(Refusal::deny("a person has to confirm the call first"));
            }
            self.start(&bounds, checked, asked.flatten())
        });
        running.unwrap_or_else(|refusal| Box::new(EndedTool::new(refusal.into())))
    }

    fn start(
        &self,
        bounds: &Bounds,
        checked: Checked,
        previewed: Option<Expected>,
    ) -> Result<Box<dyn RunningTool>, Refusal> {
        if let (Checked::OsExec(arguments), Some(settings)) = (&checked, &self.settings) {
            return commands::start(settings, &bounds.policy, &self.supervisor, arguments);
        }
        let checked = match (checked, &self.foreign) {
            (Checked::Foreign(tool, arguments), Some(foreign)) => return Ok(foreign.start(&tool, arguments)),
            (checked, _) => checked,
        };
        let outcome = self.perform(bounds, checked, previewed)?;
        Ok(Box::new(EndedTool::new(outcome)))
    }

    fn perform(
        &self,
        bounds: &Bounds,
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
            Checked::FsList(arguments) => read_files::list(bounds, &arguments),
            Checked::FsRead(arguments) => read_files::read(bounds, &arguments),
            Checked::FsStat(arguments) => read_files::stat(bounds, &arguments),
            Checked::FsWrite(arguments) => write_files::write(bounds, &arguments, previewed),
            Checked::OsExec(_) | Checked::Foreign(..) => Err(Refusal::deny("the tools are not configured")),
        }
    }

    fn decide(&mut self, call: Call<'_>) -> Result<Option<Question>, Refusal> {
        let (tool, bounds, checked) = self.check(call)?;
        if !needs_person(&tool, &bounds.policy, &checked) {
            return Ok(None);
        }
        if let Checked::FsWrite(arguments) = &checked {
            let preview = write_files::preview(&bounds, arguments)?;
            self.asked.insert(call.id.to_owned(), Some(preview.expected));
            let title = format!("write the file {}", quote(&arguments.path));
            return Ok(Some(Question { title, body: preview.diff }));
        }
        if let Checked::AgentsSpawn(request) = &checked {
            self.asked.insert(call.id.to_owned(), Some(spawn::hash_request(request)));
            return Ok(Some(spawn::question(request)));
        }
        self.asked.insert(call.id.to_owned(), None);
        let place = if is_unsafe(&checked) { " without the sandbox" } else { "" };
        let title = format!("run the tool `{tool}`{place}");
        let body = call.arguments.as_ref().map(|given| Value::Object(given.clone()).to_string());
        Ok(Some(Question { title, body: body.unwrap_or_default() }))
    }

    /// Returns the tool of a call if the agent has it.
    fn find(&self, name: &str) -> Result<GivenTool<'_>, Refusal> {
        let denied =
            |reason: &str| Refusal::deny(format!("the agent does not have the tool {}{reason}", quote(name)));
        let because = |reason: String| denied(&format!(": {reason}"));
        let Some(settings) = &self.settings else { return Err(denied("")) };
        if let Some(tool) = find_by_model_name(name) {
            return settings
                .why_not(tool)
                .map_or(Ok(GivenTool::BuiltIn(tool)), |reason| Err(because(reason)));
        }
        let tool = self.offered.iter().find(|tool| tool.name == name).ok_or_else(|| denied(""))?;
        let members = self.members_of(settings)?;
        why_not_foreign(settings, &members, tool)
            .map_or(Ok(GivenTool::Foreign(tool)), |reason| Err(because(reason)))
    }

    /// Checks a call, and returns the name of its tool in files, what bounds it and its arguments.
    fn check(&self, call: Call<'_>) -> Result<(String, Bounds, Checked), Refusal> {
        let found = self.find(call.name)?;
        let policy = self.settings.as_ref().map(ToolSettings::effective).unwrap_or_default();
        let bounds = Bounds { members: Members::read(&policy.members, self.members.as_ref())?, policy };
        let (name, checked) = match found {
            GivenTool::BuiltIn(tool) => {
                (tool.name.to_owned(), check_arguments(tool, &bounds, call.arguments)?)
            }
            GivenTool::Foreign(tool) => (tool.file_name(), self.check_foreign(tool, call.arguments)?),
        };
        if is_unsafe(&checked) && !bounds.policy.r#unsafe {
            return Err(Refusal::deny("`unsafe` needs `tools.unsafe: true` in the project and in the agent"));
        }
        Ok((name, bounds, checked))
    }

    /// Checks that the server still has a tool that was offered, and the arguments by the schema that it has now.
    fn check_foreign(
        &self,
        tool: &ForeignTool,
        given: &Result<Map<String, Value>, String>,
    ) -> Result<Checked, Refusal> {
        let arguments =
            given.as_ref().map_err(|_| Refusal::invalid("the arguments are not a JSON object"))?;
        let listed = self.foreign.as_ref().map(|foreign| foreign.list()).unwrap_or_default();
        let now = listed.into_iter().find(|now| now.is_same(tool)).ok_or_else(|| {
            let (tool, server) = (quote(&tool.name), quote(&tool.server));
            Refusal::deny(format!("the MCP server {server} does not offer the tool {tool} any more"))
        })?;
        foreign_arguments::check(&now.schema, arguments)?;
        Ok(Checked::Foreign(now, arguments.clone()))
    }
}

/// Returns why the agent does not have a tool of an MCP server; none if it has the tool.
fn why_not_foreign(settings: &ToolSettings, members: &Members, tool: &ForeignTool) -> Option<String> {
    settings.why_not_listed(&tool.file_name()).or_else(|| {
        let member = members.find_without(&tool.server, &tool.name)?;
        Some(format!("the team does not give it to the member {}", quote(member)))
    })
}

/// A tool of the agent.
enum GivenTool<'t> {
    BuiltIn(&'static Tool),
    Foreign(&'t ForeignTool),
}

impl std::fmt::Debug for Toolbox<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Toolbox").field("settings", &self.settings).finish_non_exhaustive()
    }
}

fn check_arguments(
    tool: &Tool,
    bounds: &Bounds,
    given: &Result<Map<String, Value>, String>,
) -> Result<Checked, Refusal> {
    Ok(match tool.kind {
        ToolKind::AgentsList => {
            AgentsList::read(given)?;
            Checked::AgentsList
        }
        ToolKind::AgentsSpawn => {
            Checked::AgentsSpawn(Box::new(spawn::prepare(bounds, &AgentsSpawn::read(given)?)?))
        }
        ToolKind::FsList => Checked::FsList(FsPath::read(given)?),
        ToolKind::FsRead => Checked::FsRead(FsRead::read(given)?),
        ToolKind::FsStat => Checked::FsStat(FsPath::read(given)?),
        ToolKind::FsWrite => Checked::FsWrite(FsWrite::read(given)?),
        ToolKind::OsExec => Checked::OsExec(OsExec::read(given)?),
    })
}

/// Returns whether a person has to confirm a call.
fn needs_person(tool: &str, policy: &Policy, checked: &Checked) -> bool {
    is_unsafe(checked) || matches!(checked, Checked::AgentsSpawn(_)) || policy.needs_confirmation(tool)
}

fn is_unsafe(checked: &Checked) -> bool {
    matches!(checked, Checked::OsExec(OsExec { r#unsafe: Some(true), .. }))
}
