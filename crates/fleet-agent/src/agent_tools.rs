//! The tools of an agent that its files configure.

use std::path::PathBuf;
use std::sync::Arc;

use minds_agent_tools::{
    AgentLister, AgentSpawner, Call, Decision, FileAccess, MemberRights, RunningTool, SupervisorProgram,
    Toolbox,
};
use minds_model_client::{ToolCall, ToolDescription};
use minds_operations::{Access, FleetMember};

use crate::config::AgentConfig;
use crate::servers::{GatewayLauncher, Servers, SharedServers};
use crate::tools::{Question, Tools};
use crate::turn::Verdict;

/// The tools of an agent that its files configure.
#[derive(Debug)]
pub struct AgentTools<'a> {
    toolbox: Toolbox<'a>,
    servers: Option<Arc<Servers>>,
    /// The last question, and the id of its call.
    question: Option<(String, Question)>,
}

impl<'a> AgentTools<'a> {
    /// Returns the tools of an agent of a workspace. `list_agents` returns the registry entries of the fleet, and `supervisor`
    /// supervises commands.
    pub fn new(workspace: PathBuf, list_agents: AgentLister<'a>, supervisor: SupervisorProgram) -> Self {
        let member = move |id: &str| match FleetMember::read(&workspace, id) {
            Ok(member) => Ok(Box::new(TeamMember(member)) as Box<dyn MemberRights>),
            Err(error) => Err(error.to_string()),
        };
        let toolbox = Toolbox::new(list_agents, supervisor).with_members(Box::new(member));
        Self { toolbox, servers: None, question: None }
    }

    /// Gives the agent the tools of the MCP servers of a workspace, which run in processes that `launch` starts.
    #[must_use]
    pub fn with_servers(self, workspace: PathBuf, launch: GatewayLauncher) -> Self {
        let servers = Arc::new(Servers::new(workspace, launch));
        let toolbox = self.toolbox.with_foreign(Box::new(SharedServers(Arc::clone(&servers))));
        Self { toolbox, servers: Some(servers), question: self.question }
    }

    /// Returns tools that can start agents.
    #[must_use]
    pub fn with_spawner(self, spawner: AgentSpawner<'a>) -> Self {
        Self { toolbox: self.toolbox.with_spawner(spawner), ..self }
    }
}

/// A member of the team of the workspace.
struct TeamMember(FleetMember);

impl MemberRights for TeamMember {
    fn check(&self, access: FileAccess, path: &str) -> Result<(), String> {
        let access = match access {
            FileAccess::Read => Access::Read,
            FileAccess::Write => Access::Write,
        };
        self.0.check(access, path)
    }

    fn has_server_tool(&self, server: &str, tool: &str) -> bool {
        self.0.has_server_tool(server, tool)
    }
}

impl Tools for AgentTools<'_> {
    fn configure(&mut self, config: &AgentConfig) -> Vec<String> {
        self.question = None;
        let warning = self.servers.as_ref().and_then(|servers| servers.configure(config));
        let warnings = self.toolbox.configure(&config.tools).into_iter();
        warnings.chain(warning).collect()
    }

    fn list(&mut self) -> Vec<ToolDescription> {
        let offers = self.toolbox.offers().into_iter();
        offers
            .map(|offer| ToolDescription {
                name: offer.name,
                description: offer.description,
                schema: offer.schema,
            })
            .collect()
    }

    fn file_name(&self, name: &str) -> String {
        self.toolbox.file_name(name).unwrap_or_else(|| name.to_owned())
    }

    fn has_effect(&self, call: &ToolCall) -> bool {
        self.toolbox.has_effect(&call.name)
    }

    fn judge(&mut self, call: &ToolCall) -> Verdict {
        match self.toolbox.judge(to_call(call)) {
            Decision::Run => Verdict::Run,
            Decision::Refuse(outcome) => Verdict::Refuse(outcome),
            Decision::Ask(question) => {
                let question = Question { title: question.title, body: question.body };
                self.question = Some((call.id.clone(), question));
                Verdict::Confirm
            }
        }
    }

    fn question(&self, call: &ToolCall) -> Option<Question> {
        self.question.as_ref().filter(|(id, _)| *id == call.id).map(|(_, question)| question.clone())
    }

    fn run(&mut self, call: &ToolCall, _: &str) -> Box<dyn RunningTool> {
        self.toolbox.run(to_call(call))
    }
}

fn to_call(call: &ToolCall) -> Call<'_> {
    Call { id: &call.id, name: &call.name, arguments: &call.arguments }
}
