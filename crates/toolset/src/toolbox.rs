//! All tools.

use minds_diagnostics::nearest;
use minds_taskdoc::tools::CHANGE_MIND;
use serde_json::Value;

use crate::answer::{Answer, Fields, Refusal, Success};
use crate::arguments::Arguments;
use crate::call::Call;
use crate::file_refusal::{quote, truncate_to};
use crate::offer::Offer;
use crate::permissions::Permissions;
use crate::{Caller, Code, Tool, ToolContext, ToolDescriptor, tools};

/// A tool of programs that hold conversations themselves.
const CLEAR_MIND: &str = "clear_mind";

/// The number of bytes after which the name of a toolset is cut.
const MAX_NAME_BYTES: usize = 64;

/// The tools that can be called, which more can join.
#[derive(Debug)]
pub struct Toolbox {
    tools: Vec<&'static Tool>,
    /// The toolsets that it is narrowed to, by the names that are not aliases; none if it is not narrowed.
    only: Option<Vec<String>>,
}

impl Default for Toolbox {
    fn default() -> Self {
        Self::new()
    }
}

impl Toolbox {
    /// Returns the tools that are built in.
    pub fn new() -> Self {
        Self { tools: tools::ALL.to_vec(), only: None }
    }

    /// Adds a tool.
    pub fn add(&mut self, tool: &'static Tool) {
        self.tools.push(tool);
    }

    /// Keeps the tools of these toolsets, and of those that join later too. What a caller has is only ever less by it: a
    /// toolset that the team does not give stays away, and narrowing again keeps what is in both.
    #[must_use]
    pub fn narrowed(mut self, toolsets: &[impl AsRef<str>]) -> Self {
        let mut only: Vec<String> =
            toolsets.iter().map(|toolset| canonical(toolset.as_ref()).to_owned()).collect();
        if let Some(before) = self.only {
            only.retain(|toolset| before.contains(toolset));
        }
        self.only = Some(only);
        self
    }

    /// Returns the names of the toolsets that have a tool here, each once.
    pub fn toolsets(&self) -> Vec<&'static str> {
        let mut names = Vec::new();
        for name in self.tools().flat_map(|tool| tool.toolsets) {
            if !names.contains(name) && self.is_open(name) {
                names.push(*name);
            }
        }
        names
    }

    /// Returns the toolsets that the team grants a caller by name and of which there are no tools here, each once.
    ///
    /// A toolbox that is narrowed names none: what is missing there was left out on purpose.
    pub fn toolsets_without_tools(&self, context: &ToolContext, caller: &Caller) -> Vec<String> {
        let Ok(permissions) = Permissions::of(context, caller) else { return Vec::new() };
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

    /// Returns all tools, each once, under the first of its toolsets.
    pub fn list(&self) -> Vec<ToolDescriptor> {
        self.tools().filter_map(|tool| self.descriptor(tool)).collect()
    }

    /// Returns the tools of a toolset, which may be named by an alias; none if there is no such toolset here.
    pub fn toolset(&self, name: &str) -> Vec<ToolDescriptor> {
        let name = canonical(name);
        let known = |tool: &&'static Tool| tool.toolsets.iter().find(|known| **known == name).copied();
        let in_it = self.tools().filter(|_| self.is_open(name));
        in_it.filter_map(|tool| Some(tool.descriptor(known(&tool)?))).collect()
    }

    /// Returns the tools that a caller has in a workspace and can use; none if the team has no such member.
    pub fn granted(&self, context: &ToolContext, caller: &Caller) -> Vec<ToolDescriptor> {
        let Ok(permissions) = Permissions::of(context, caller) else { return Vec::new() };
        let offer = Offer::new(context, caller, permissions.policy());
        let granted = self.tools().filter(|tool| permissions.has(tool) && offer.includes(tool));
        granted.filter_map(|tool| self.descriptor(tool)).collect()
    }

    /// Returns nothing if the workspace knows a caller.
    ///
    /// # Errors
    ///
    /// Refuses a member that the team does not have.
    pub fn admit(&self, context: &ToolContext, caller: &Caller) -> Result<(), Refusal> {
        Permissions::of(context, caller).map(|_| ())
    }

    /// Returns whether there is such a tool.
    pub fn has(&self, name: &str) -> bool {
        self.find(name).is_some()
    }

    /// Calls a tool. Whatever is wrong is in the answer; a refused call leaves the disk as it was.
    pub fn call(&self, context: &ToolContext, name: &str, args: Value, caller: &Caller) -> Answer {
        Answer { tool: name.to_owned(), result: self.result(context, name, args, caller) }
    }

    /// Says whether a caller may use a tool: for what changes the same as the tool does in another way.
    ///
    /// # Errors
    ///
    /// Refuses a member that the team does not have, and one that does not have the tool.
    pub fn admit_to(&self, context: &ToolContext, name: &str, caller: &Caller) -> Result<(), Refusal> {
        let permissions = Permissions::of(context, caller)?;
        let tool = self.find(name).ok_or_else(|| self.unknown(name))?;
        if permissions.has(tool) { Ok(()) } else { Err(permissions.refuse_tool(tool, caller)) }
    }

    fn result(
        &self,
        context: &ToolContext,
        name: &str,
        args: Value,
        caller: &Caller,
    ) -> Result<Success, Refusal> {
        let permissions = Permissions::of(context, caller)?;
        let tool = self.find(name).ok_or_else(|| self.unknown(name))?;
        if !permissions.has(tool) {
            return Err(permissions.refuse_tool(tool, caller));
        }
        let arguments = Arguments::read(tool.arguments, args)?;
        let is_manager = permissions.manages_team() && self.is_open(tools::TEAM_MGMT_TOOLSET);
        (tool.run)(&Call { tool, context, caller, arguments, permissions: &permissions, is_manager })
    }

    /// Returns the tools that are not kept out.
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

    /// Returns the refusal of a tool that is not here, with the one that was probably meant.
    pub fn unknown(&self, name: &str) -> Refusal {
        if let Some(tool) = self.tools.iter().find(|tool| tool.name == name) {
            let message = format!("`{}` is kept out: none of its toolsets is open here", tool.name);
            return Refusal::new(Code::ToolNotGranted, message)
                .next("use a tool of your list")
                .details(Fields::new().with("toolsets", tool.toolsets.to_vec()));
        }
        if let Some((message, next)) = refuse_foreign_tool(name) {
            return Refusal::new(Code::ToolNotGranted, message).next(next);
        }
        let refusal = Refusal::new(Code::ToolNotGranted, format!("there is no tool {}", quote(name)));
        let near = nearest(name, self.tools().map(|tool| tool.name), 1);
        match near.first() {
            Some(near) => refusal.next(format!("did you mean `{near}`?")),
            None => refusal.next("use a tool of your list"),
        }
    }
}

/// Returns what to say about a tool that other programs have and whose name promises something here, and what to do instead.
fn refuse_foreign_tool(name: &str) -> Option<(&'static str, &'static str)> {
    (name == CLEAR_MIND).then_some((
        minds_taskdoc::text!(
            "there is no tool `",
            CLEAR_MIND,
            "`: it starts a new conversation, which only your client can do"
        ),
        minds_taskdoc::text!(
            "to empty a section of the task, call `",
            CHANGE_MIND,
            "` with its `selector` and `clear: true`"
        ),
    ))
}

/// Returns the name of a toolset that is no alias.
fn canonical(name: &str) -> &str {
    minds_core::catalog::find_toolset(name).map_or(name, |toolset| toolset.name)
}
