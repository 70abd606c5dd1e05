//! The tools of an agent that its files configure.

use minds_agent_tools::{
    AgentLister, AgentSpawner, Call, Decision, RunningTool, SupervisorProgram, Toolbox, file_name,
};
use minds_model_client::{ToolCall, ToolDescription};

use crate::config::AgentConfig;
use crate::tools::{Question, Tools};
use crate::turn::Verdict;

/// The tools of an agent that its files configure.
#[derive(Debug)]
pub struct AgentTools<'a> {
    toolbox: Toolbox<'a>,
    /// The last question, and the id of its call.
    question: Option<(String, Question)>,
}

impl<'a> AgentTools<'a> {
    /// Returns the tools. `list_agents` returns the registry entries of the fleet, and `supervisor` supervises commands.
    pub fn new(list_agents: AgentLister<'a>, supervisor: SupervisorProgram) -> Self {
        Self { toolbox: Toolbox::new(list_agents, supervisor), question: None }
    }

    /// Returns tools that can start agents.
    #[must_use]
    pub fn with_spawner(self, spawner: AgentSpawner<'a>) -> Self {
        Self { toolbox: self.toolbox.with_spawner(spawner), ..self }
    }
}

impl Tools for AgentTools<'_> {
    fn configure(&mut self, config: &AgentConfig) -> Option<String> {
        self.question = None;
        self.toolbox.configure(&config.tools)
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
        file_name(name).map_or_else(|| name.to_owned(), str::to_owned)
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
