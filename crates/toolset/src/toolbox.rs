//! All tools.

use serde_json::Value;

use crate::answer::{Answer, Refusal, Success};
use crate::arguments::Arguments;
use crate::call::Call;
use crate::standing::Standing;
use crate::{Caller, Tool, ToolDescriptor, Workbench, tools};

/// The tools that can be called, which more can join.
#[derive(Debug)]
pub struct Toolbox {
    tools: Vec<&'static Tool>,
}

impl Default for Toolbox {
    fn default() -> Self {
        Self::new()
    }
}

impl Toolbox {
    /// Returns the tools that are built in.
    pub fn new() -> Self {
        Self { tools: tools::ALL.to_vec() }
    }

    /// Adds a tool.
    pub fn add(&mut self, tool: &'static Tool) {
        self.tools.push(tool);
    }

    /// Returns all tools, each once, under the first of its toolsets.
    pub fn list(&self) -> Vec<ToolDescriptor> {
        let first = |tool: &&'static Tool| Some(tool.descriptor(tool.toolsets.first()?));
        self.tools.iter().filter_map(first).collect()
    }

    /// Returns the tools of a toolset; none if there is no such toolset here.
    pub fn toolset(&self, name: &str) -> Vec<ToolDescriptor> {
        let in_it = |tool: &&'static Tool| {
            tool.toolsets.iter().find(|known| **known == name).map(|known| tool.descriptor(known))
        };
        self.tools.iter().filter_map(in_it).collect()
    }

    /// Returns the tools that a caller has in a workspace; none if the team has no such member.
    pub fn granted(&self, bench: &Workbench, caller: &Caller) -> Vec<ToolDescriptor> {
        let Ok(standing) = Standing::of(bench, caller) else { return Vec::new() };
        let granted = self.tools.iter().filter(|tool| standing.has(tool.name));
        granted.filter_map(|tool| Some(tool.descriptor(tool.toolsets.first()?))).collect()
    }

    /// Returns nothing if the workspace knows a caller.
    ///
    /// # Errors
    ///
    /// Refuses a member that the team does not have.
    pub fn admit(&self, bench: &Workbench, caller: &Caller) -> Result<(), Refusal> {
        Standing::of(bench, caller).map(|_| ())
    }

    /// Returns whether there is such a tool.
    pub fn has(&self, name: &str) -> bool {
        self.tools.iter().any(|tool| tool.name == name)
    }

    /// Calls a tool. Whatever is wrong is in the answer; a refused call leaves the disk as it was.
    pub fn call(&self, bench: &Workbench, name: &str, args: Value, caller: &Caller) -> Answer {
        Answer { tool: name.to_owned(), result: self.result(bench, name, args, caller) }
    }

    fn result(
        &self,
        bench: &Workbench,
        name: &str,
        args: Value,
        caller: &Caller,
    ) -> Result<Success, Refusal> {
        let standing = Standing::of(bench, caller)?;
        let tool = self.tools.iter().find(|tool| tool.name == name).filter(|_| standing.has(name));
        let tool = tool.ok_or_else(|| standing.not_granted(name, caller))?;
        let arguments = Arguments::read(tool.arguments, args)?;
        (tool.run)(&Call { tool, bench, caller, arguments, policy: standing.policy() })
    }
}
