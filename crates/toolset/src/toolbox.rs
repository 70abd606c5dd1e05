//! The tools that can be called.

use minds_diagnostics::find_nearest;
use minds_task_store::Author;
use minds_taskdoc::tools::CHANGE_MIND;
use serde_json::Value;

use crate::answer::{Answer, Fields, Refusal, Success};
use crate::call::Call;
use crate::file_refusal::{quote, truncate_to};
use crate::offer::Offer;
use crate::permissions::Permissions;
use crate::{Caller, Code, Tool, ToolContext, ToolDescriptor, tools};

/// A tool of programs that manage conversations themselves.
const CLEAR_MIND: &str = "clear_mind";

/// The maximum length of the name of a toolset in messages, in bytes.
const MAX_NAME_BYTES: usize = 64;

/// A set of tools that can be called. Tools can be added.
#[derive(Debug)]
pub struct Toolbox {
    tools: Vec<&'static Tool>,
    /// The canonical names of the toolsets to which it is restricted; `None` without a restriction.
    only: Option<Vec<String>>,
}

impl Default for Toolbox {
    fn default() -> Self {
        Self::new()
    }
}

impl Toolbox {
    /// Returns the built-in tools.
    pub fn new() -> Self {
        Self { tools: tools::ALL.to_vec(), only: None }
    }

    /// Adds a tool.
    pub fn add(&mut self, tool: &'static Tool) {
        self.tools.push(tool);
    }

    /// Restricts the tools, including those added later, to some toolsets. This grants nothing: callers still need the
    /// toolsets from the team. Restricting again keeps the intersection.
    #[must_use]
    pub fn restricted_to(mut self, toolsets: &[impl AsRef<str>]) -> Self {
        let mut only: Vec<String> =
            toolsets.iter().map(|toolset| canonical(toolset.as_ref()).to_owned()).collect();
        if let Some(before) = self.only {
            only.retain(|toolset| before.contains(toolset));
        }
        self.only = Some(only);
        self
    }

    /// Returns the names of the toolsets with at least one tool, without duplicates.
    pub fn toolsets(&self) -> Vec<&'static str> {
        let mut names = Vec::new();
        for name in self.tools().flat_map(|tool| tool.toolsets) {
            if !names.contains(name) && self.is_open(name) {
                names.push(*name);
            }
        }
        names
    }

    /// Returns the toolsets that are granted to a caller by name but have no tools here, without duplicates.
    ///
    /// Empty for a restricted toolbox, where tools are missing on purpose.
    pub fn toolsets_without_tools(&self, context: &ToolContext, caller: &Caller) -> Vec<String> {
        let Ok(permissions) = Permissions::load(context, caller) else { return Vec::new() };
        let here = self.toolsets();
        let mut names = Vec::new();
        for name in permissions.named_toolsets().filter(|name| self.only.is_none() && !here.contains(name)) {
            let name = truncate_to(name, MAX_NAME_BYTES);
            if !names.contains(&name) {
                names.push(name);
            }
        }
        names
    }

    /// Returns all tools, each under its first toolset.
    pub fn list(&self) -> Vec<ToolDescriptor> {
        self.tools().filter_map(|tool| self.descriptor(tool)).collect()
    }

    /// Returns the tools of a toolset, by its name or an alias; empty for an unknown toolset.
    pub fn toolset(&self, name: &str) -> Vec<ToolDescriptor> {
        let name = canonical(name);
        let known = |tool: &&'static Tool| tool.toolsets.iter().find(|known| **known == name).copied();
        let in_it = self.tools().filter(|_| self.is_open(name));
        in_it.filter_map(|tool| Some(tool.descriptor(known(&tool)?))).collect()
    }

    /// Returns the tools that a caller has in a workspace and can use; empty for an unknown member.
    pub fn granted_tools(&self, context: &ToolContext, caller: &Caller) -> Vec<ToolDescriptor> {
        let Ok(permissions) = Permissions::load(context, caller) else { return Vec::new() };
        let offer = Offer::new(context, caller, permissions.policy());
        let granted = self.tools().filter(|tool| permissions.has(tool) && offer.includes(tool));
        granted.filter_map(|tool| self.descriptor(tool)).collect()
    }

    /// Checks that the workspace knows a caller.
    ///
    /// # Errors
    ///
    /// Refuses an unknown member.
    pub fn admit(&self, context: &ToolContext, caller: &Caller) -> Result<(), Refusal> {
        Permissions::load(context, caller).map(|_| ())
    }

    /// Returns whether a tool exists.
    pub fn has(&self, name: &str) -> bool {
        self.find(name).is_some()
    }

    /// Calls a tool. Errors are part of the answer; a refused call changes nothing on disk.
    pub fn call(&self, context: &ToolContext, name: &str, args: &Value, caller: &Caller) -> Answer {
        Answer { tool: name.to_owned(), result: self.result(context, name, args, caller) }
    }

    /// Returns a caller as the author of a change of a task package that is made now, for code that does the same as a tool
    /// in another way. Nothing else returns a member as an author.
    ///
    /// # Errors
    ///
    /// Refuses an unknown member, and a member without the tool.
    pub fn author(&self, context: &ToolContext, name: &str, caller: &Caller) -> Result<Author, Refusal> {
        let permissions = Permissions::load(context, caller)?;
        let tool = self.find(name).ok_or_else(|| self.refuse_unknown(name))?;
        permissions.author(tool, caller, context.now())
    }

    fn result(
        &self,
        context: &ToolContext,
        name: &str,
        args: &Value,
        caller: &Caller,
    ) -> Result<Success, Refusal> {
        let permissions = Permissions::load(context, caller)?;
        let tool = self.find(name).ok_or_else(|| self.refuse_unknown(name))?;
        if !permissions.has(tool) {
            return Err(permissions.refuse_tool(tool, caller));
        }
        let is_manager = permissions.manages_team() && self.is_open(tools::TEAM_MGMT_TOOLSET);
        tool.body.run(&Call { tool, context, caller, permissions: &permissions, is_manager }, args)
    }

    /// Returns the tools that the restriction leaves.
    fn tools(&self) -> impl Iterator<Item = &'static Tool> {
        self.tools.iter().copied().filter(|tool| tool.toolsets.iter().any(|toolset| self.is_open(toolset)))
    }

    fn is_open(&self, toolset: &str) -> bool {
        self.only.as_ref().is_none_or(|only| only.iter().any(|name| name == canonical(toolset)))
    }

    fn find(&self, name: &str) -> Option<&'static Tool> {
        self.tools().find(|tool| tool.name == name)
    }

    fn descriptor(&self, tool: &'static Tool) -> Option<ToolDescriptor> {
        Some(tool.descriptor(tool.toolsets.iter().find(|toolset| self.is_open(toolset))?))
    }

    /// Returns the refusal of an unknown or excluded tool, with a suggestion.
    pub fn refuse_unknown(&self, name: &str) -> Refusal {
        if let Some(tool) = self.tools.iter().find(|tool| tool.name == name) {
            let message = format!("`{}` is not served: none of its toolsets is selected", tool.name);
            return Refusal::new(Code::ToolNotGranted, message)
                .next("use one of your tools")
                .details(Fields::new().with("toolsets", tool.toolsets.to_vec()));
        }
        if let Some((message, next)) = refuse_foreign_tool(name) {
            return Refusal::new(Code::ToolNotGranted, message).next(next);
        }
        let refusal = Refusal::new(Code::ToolNotGranted, format!("unknown tool {}", quote(name)));
        let near = find_nearest(name, self.tools().map(|tool| tool.name), 1);
        match near.first() {
            Some(near) => refusal.next(format!("did you mean `{near}`?")),
            None => refusal.next("use one of your tools"),
        }
    }
}

/// Returns the message and the next step for a tool that only other programs have.
fn refuse_foreign_tool(name: &str) -> Option<(&'static str, &'static str)> {
    (name == CLEAR_MIND).then_some((
        minds_taskdoc::text!(
            "no tool `",
            CLEAR_MIND,
            "` here: only your client can start a new conversation"
        ),
        minds_taskdoc::text!(
            "to empty a section of the task, call `",
            CHANGE_MIND,
            "` with its `selector` and `clear: true`"
        ),
    ))
}

/// Returns the canonical name of a toolset.
fn canonical(name: &str) -> &str {
    minds_core::catalog::find_toolset(name).map_or(name, |toolset| toolset.name)
}
