//! The tools that can be called.

use std::borrow::Cow;
use std::sync::Arc;

use minds_core::{MCP_FILE, TeamFamily, catalog};
use minds_diagnostics::{Problems, find_nearest};
use minds_task_store::Author;
use minds_taskdoc::tools::CHANGE_MIND;
use minds_vfs::{Location, MountId, Scope, WorkspacePath};
use serde_json::Value;

use crate::answer::{Answer, Fields, Refusal, Success};
use crate::availability::Availability;
use crate::call::Call;
use crate::file_refusal::{quote, truncate_to};
use crate::fleet::{self, FLEET_TOOLSET};
use crate::permissions::Permissions;
use crate::{
    Caller, Code, ForeignTool, OfferedTool, OfferedTools, Tool, ToolContext, ToolDescriptor, ToolSource,
    tools,
};

/// A tool of programs that manage conversations themselves.
const CLEAR_MIND: &str = "clear_mind";

/// The maximum length of the name of a toolset in messages, in bytes.
const MAX_NAME_BYTES: usize = 64;

/// A set of tools that can be called: built-in ones, to which more can be added, and those of a source, which change while
/// the program runs.
#[derive(Debug)]
pub struct Toolbox {
    tools: Vec<&'static Tool>,
    /// The canonical names of the toolsets to which it is restricted; `None` without a restriction.
    only: Option<Vec<String>>,
    source: Option<Arc<dyn ToolSource>>,
}

/// Two tools with one name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is already a tool `{name}`")]
pub struct DuplicateTool {
    name: &'static str,
}

impl Default for Toolbox {
    fn default() -> Self {
        Self::new()
    }
}

impl Toolbox {
    /// Returns the built-in tools.
    pub fn new() -> Self {
        Self { tools: tools::ALL.to_vec(), only: None, source: None }
    }

    /// Adds a tool, in front of those of the source.
    ///
    /// # Errors
    ///
    /// Fails if the name is that of a built-in tool or of one that was added.
    pub fn add(&mut self, tool: &'static Tool) -> Result<(), DuplicateTool> {
        if self.tools.iter().any(|known| known.name == tool.name) || catalog::is_builtin_tool(tool.name) {
            return Err(DuplicateTool { name: tool.name });
        }
        self.tools.push(tool);
        Ok(())
    }

    /// Adds the tools of servers. One that has the name of a tool here, or whose server has the name of a built-in toolset, is
    /// left out.
    #[must_use]
    pub fn with_source(mut self, source: Arc<dyn ToolSource>) -> Self {
        self.source = Some(source);
        self
    }

    /// Returns the source of foreign tools.
    pub fn source(&self) -> Option<&Arc<dyn ToolSource>> {
        self.source.as_ref()
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
    pub fn toolsets(&self) -> Vec<Cow<'static, str>> {
        let mut names: Vec<Cow<'static, str>> = Vec::new();
        for name in self.tools().flat_map(|tool| tool.toolsets) {
            if !names.iter().any(|known| known == name) && self.is_open(name) {
                names.push((*name).into());
            }
        }
        for tool in self.foreign().iter().filter(|tool| self.serves(tool)) {
            if !names.contains(&Cow::Borrowed(tool.server.as_str())) {
                names.push(tool.server.clone().into());
            }
        }
        names
    }

    /// Returns whether a toolset has tools, or is a server of `mcp.yaml` whose tools may join later.
    pub fn has_toolset(&self, context: &ToolContext, name: &str) -> bool {
        !self.toolset(name).is_empty() || (self.is_open(name) && self.may_join(context, name))
    }

    /// Returns the toolsets that are granted to a caller by name but have no tools here, without duplicates.
    ///
    /// Empty for a restricted toolbox, where tools are missing on purpose. A server of `mcp.yaml` is left out if a gateway runs,
    /// which reports why a server has no tools.
    pub fn toolsets_without_tools(&self, context: &ToolContext, caller: &Caller) -> Vec<String> {
        let Ok(permissions) = Permissions::load(context, caller) else { return Vec::new() };
        let here = self.toolsets();
        let has_tools = |name: &str| {
            let is_idle = name == tools::MCP_ADMIN_TOOLSET && self.source.is_none();
            here.iter().any(|known| known == name) && !is_idle
        };
        let mut names = Vec::new();
        for name in permissions.named_toolsets().filter(|name| self.only.is_none() && !has_tools(name)) {
            let shown = truncate_to(name, MAX_NAME_BYTES);
            if !names.contains(&shown) && !self.may_join(context, name) {
                names.push(shown);
            }
        }
        names
    }

    /// Returns all tools, each under its first toolset.
    pub fn list(&self) -> Vec<ToolDescriptor> {
        let built_in = self.tools().filter_map(|tool| Some(tool.descriptor(self.toolset_of(tool)?)));
        let foreign = self.foreign();
        built_in.chain(foreign.iter().filter(|tool| self.serves(tool)).map(ForeignTool::descriptor)).collect()
    }

    /// Returns the tools of a toolset, by its name or an alias; empty for an unknown toolset.
    pub fn toolset(&self, name: &str) -> Vec<ToolDescriptor> {
        let name = canonical(name);
        let known = |tool: &&'static Tool| tool.toolsets.iter().find(|known| **known == name).copied();
        let in_it = self.tools().filter(|_| self.is_open(name));
        let built_in = in_it.filter_map(|tool| Some(tool.descriptor(known(&tool)?)));
        let foreign = self.foreign();
        let in_server = foreign.iter().filter(|tool| tool.server == name && self.serves(tool));
        built_in.chain(in_server.map(ForeignTool::descriptor)).collect()
    }

    /// Returns the tools that a caller has in a workspace and can use, with their descriptions; empty for an unknown member.
    pub fn granted_tools(&self, context: &ToolContext, caller: &Caller) -> Vec<ToolDescriptor> {
        self.offered_tools(context, caller).iter().map(OfferedTool::descriptor).collect()
    }

    /// As [`Toolbox::granted_tools`], without the descriptions, which take time to build.
    pub fn offered_tools(&self, context: &ToolContext, caller: &Caller) -> OfferedTools {
        let Ok(permissions) = Permissions::load(context, caller) else { return OfferedTools::default() };
        let availability = Availability::new(context, caller, permissions.policy(), self.source.is_some());
        let granted = self.tools().filter(|tool| permissions.has(tool) && availability.includes(tool));
        let built_in = granted.filter_map(|tool| Some((tool, self.toolset_of(tool)?))).collect();
        let foreign = self.foreign();
        let is_offered = |tool| self.serves(tool) && permissions.has_foreign(tool);
        OfferedTools { built_in, is_offered: foreign.iter().map(is_offered).collect(), foreign }
    }

    /// Checks that the workspace knows a caller.
    ///
    /// # Errors
    ///
    /// Refuses an unknown member.
    pub fn admit(&self, context: &ToolContext, caller: &Caller) -> Result<(), Refusal> {
        Permissions::load(context, caller).map(|_| ())
    }

    /// Returns whether [`Toolbox::call`] can call a tool, which servers do not provide.
    pub fn has(&self, name: &str) -> bool {
        self.find(name).is_some()
    }

    /// Returns whether a tool is built in or was added, even if it is excluded here.
    pub fn is_built_in(&self, name: &str) -> bool {
        self.tools.iter().any(|tool| tool.name == name)
    }

    /// Returns whether a built-in tool is read-only.
    pub fn is_read_only(&self, name: &str) -> bool {
        self.find(name).is_some_and(|tool| tool.annotations.read_only_hint)
    }

    /// Calls a tool outside of a conversation. Errors are part of the answer; a refused call changes nothing on disk.
    pub fn call(&self, context: &ToolContext, name: &str, args: &Value, caller: &Caller) -> Answer {
        self.call_in(context, name, args, caller, "")
    }

    /// As [`Toolbox::call`], in a conversation, which may have connections to servers.
    pub fn call_in(
        &self,
        context: &ToolContext,
        name: &str,
        args: &Value,
        caller: &Caller,
        conversation: &str,
    ) -> Answer {
        Answer { tool: name.to_owned(), result: self.result(context, name, args, caller, conversation) }
    }

    /// Returns a foreign tool that a caller may call now; `None` if there is no such foreign tool. The files are read again.
    ///
    /// # Errors
    ///
    /// Refuses an unknown member, a tool that is not granted, and one of a toolset that is not selected.
    pub fn authorize_foreign(
        &self,
        context: &ToolContext,
        name: &str,
        caller: &Caller,
    ) -> Option<Result<ForeignTool, Refusal>> {
        let tools = self.foreign();
        let Some(tool) = tools.iter().find(|tool| tool.name == name && self.is_distinct(tool)) else {
            let withheld = self.source.as_ref().and_then(|_| fleet::refuse_withheld(context, name, caller));
            return withheld.map(Err);
        };
        let authorize = || {
            let permissions = Permissions::load(context, caller)?;
            if !self.is_open(&tool.server) {
                return Err(refuse_closed(&tool.name, &[&tool.server]));
            }
            if !permissions.has_foreign(tool) {
                return Err(permissions.refuse_tool(&tool.name, &[&tool.server], caller));
            }
            Ok(tool.clone())
        };
        Some(authorize())
    }

    /// Checks that a caller may ask a server about a task: it has a tool of the server now. The files are read again.
    ///
    /// # Errors
    ///
    /// Refuses an unknown member, and one without a tool of the server.
    pub fn authorize_server(
        &self,
        context: &ToolContext,
        server: &str,
        caller: &Caller,
    ) -> Result<(), Refusal> {
        let permissions = Permissions::load(context, caller)?;
        let has =
            |tool: &ForeignTool| tool.server == server && self.serves(tool) && permissions.has_foreign(tool);
        if self.foreign().iter().any(has) {
            return Ok(());
        }
        let message = format!(
            "there is no task of a server {} for you",
            quote(truncate_to(server, MAX_NAME_BYTES).as_str())
        );
        Err(Refusal::new(Code::ToolNotGranted, message))
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
        conversation: &str,
    ) -> Result<Success, Refusal> {
        let permissions = Permissions::load(context, caller)?;
        let tool = self.find(name).ok_or_else(|| self.refuse_unknown(name))?;
        if !permissions.has(tool) {
            return Err(permissions.refuse_tool(tool.name, tool.toolsets, caller));
        }
        let is_manager = permissions.manages_team() && self.is_open(tools::TEAM_MGMT_TOOLSET);
        let source = self.source.as_deref();
        let call =
            Call { tool, context, caller, permissions: &permissions, is_manager, source, conversation };
        tool.body.run(&call, args)
    }

    /// Returns the built-in tools that the restriction leaves.
    fn tools(&self) -> impl Iterator<Item = &'static Tool> {
        self.tools.iter().copied().filter(|tool| tool.toolsets.iter().any(|toolset| self.is_open(toolset)))
    }

    /// Returns the foreign tools, including those that are not served.
    fn foreign(&self) -> Arc<[ForeignTool]> {
        self.source.as_ref().map_or_else(|| Arc::from([]), |source| source.tools())
    }

    /// Returns whether a foreign tool is served to callers that have it.
    fn serves(&self, tool: &ForeignTool) -> bool {
        self.is_open(&tool.server) && self.is_distinct(tool)
    }

    fn is_distinct(&self, tool: &ForeignTool) -> bool {
        tool.is_distinct() && !self.is_built_in(&tool.name)
    }

    /// Returns whether a toolset is a server of `mcp.yaml`, or may be one in an unreadable part, or is that of the fleet of
    /// the workspace, and a gateway runs.
    fn may_join(&self, context: &ToolContext, name: &str) -> bool {
        if self.source.is_some() && name == FLEET_TOOLSET {
            return fleet::has_fleet(context.root());
        }
        if self.source.is_none() || catalog::find_toolset(name).is_some() {
            return false;
        }
        let file = WorkspacePath::parse(MCP_FILE).map(|path| Location::new(MountId::WORKSPACE, path));
        let snapshot = context.root().snapshot(&Scope::of_files(file));
        TeamFamily::load(&snapshot).take(&mut Problems::new()).servers.may_have(name)
    }

    fn is_open(&self, toolset: &str) -> bool {
        self.only.as_ref().is_none_or(|only| only.iter().any(|name| name == canonical(toolset)))
    }

    fn find(&self, name: &str) -> Option<&'static Tool> {
        self.tools().find(|tool| tool.name == name)
    }

    /// Returns the first toolset of a tool that the restriction leaves.
    fn toolset_of(&self, tool: &'static Tool) -> Option<&'static str> {
        tool.toolsets.iter().copied().find(|toolset| self.is_open(toolset))
    }

    /// Returns the refusal of an unknown or excluded tool, with a suggestion.
    pub fn refuse_unknown(&self, name: &str) -> Refusal {
        if let Some(tool) = self.tools.iter().find(|tool| tool.name == name) {
            return refuse_closed(tool.name, tool.toolsets);
        }
        if let Some((message, next)) = refuse_client_tool(name) {
            return Refusal::new(Code::ToolNotGranted, message).next(next);
        }
        if let Some((message, next)) = fleet::explain_missing(name) {
            return Refusal::new(Code::ToolNotGranted, message).next(next);
        }
        let refusal = Refusal::new(Code::ToolNotGranted, format!("unknown tool {}", quote(name)));
        let foreign = self.foreign();
        let foreign = foreign.iter().filter(|tool| self.serves(tool)).map(|tool| tool.name.as_str());
        let near = find_nearest(name, self.tools().map(|tool| tool.name).chain(foreign), 1);
        match near.first() {
            Some(near) => refusal.next(format!("did you mean `{near}`?")),
            None => refusal.next("use one of your tools"),
        }
    }
}

/// Returns the refusal of a tool whose toolsets the restriction excludes.
fn refuse_closed(tool: &str, toolsets: &[&str]) -> Refusal {
    let message = format!("`{tool}` is not served: none of its toolsets is selected");
    Refusal::new(Code::ToolNotGranted, message)
        .next("use one of your tools")
        .details(Fields::new().with("toolsets", toolsets.to_vec()))
}

/// Returns the message and the next step for a tool that only other programs have.
fn refuse_client_tool(name: &str) -> Option<(&'static str, &'static str)> {
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
    catalog::find_toolset(name).map_or(name, |toolset| toolset.name)
}
