//! The server of a workspace for one caller.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

use minds_diagnostics::find_nearest;
use minds_fs::Confinement;
use minds_process::SystemError;
use minds_toolset::{
    Answer, Caller, ForeignTool, GatewayProblems, OfferedTools, Refusal, ToolContext, ToolDescriptor,
    ToolSource, Toolbox, gateway_problems,
};
use minds_vfs::Snapshot;
use serde_json::Value;

use crate::mcp::changes::{Changes, ServerState};
use crate::mcp::tasks::Tasks;

/// The toolset that manages the team.
const TEAM_MGMT: &str = "team-mgmt";

/// The maximum number of toolsets that are listed.
const MAX_NAMED: usize = 10;

/// Serves a workspace to one caller. No message of a client changes the caller or its permissions.
#[derive(Debug)]
pub struct Server {
    pub(crate) context: ToolContext,
    pub(crate) caller: Caller,
    toolbox: Toolbox,
    /// The name of the workspace, without its path.
    name: String,
    /// The toolsets to which the tools are restricted; empty without a restriction.
    toolsets: Vec<String>,
    /// The names of the tools that only the toolset for managing a team has, which are built in.
    managing: BTreeSet<String>,
    /// The state at the last check; `None` before the first.
    seen: Mutex<Option<ServerState>>,
}

/// A toolset without tools here.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("toolset `{name}` has no tools here{}", near.as_ref().map(|near| format!("; did you mean `{near}`?")).unwrap_or_default())]
pub struct UnknownToolset {
    name: String,
    near: Option<String>,
}

impl Server {
    /// Serves the workspace of `context` to `caller`. `name` is shown to clients.
    pub fn new(context: ToolContext, name: impl Into<String>, caller: Caller) -> Self {
        let toolbox = Toolbox::new();
        Self {
            context,
            caller,
            name: name.into(),
            toolsets: Vec::new(),
            managing: only_in(&toolbox, TEAM_MGMT),
            toolbox,
            seen: Mutex::default(),
        }
    }

    /// Serves the tools of servers too.
    #[must_use]
    pub fn with_source(mut self, source: Arc<dyn ToolSource>) -> Self {
        self.toolbox = self.toolbox.with_source(source);
        self
    }

    /// Restricts the tools of the caller to some toolsets; an empty list does not restrict them.
    ///
    /// # Errors
    ///
    /// Fails for a toolset without tools that is not a server of `mcp.yaml` either, so that a typo is reported. Servers are
    /// known after [`Server::with_source`].
    pub fn restricted_to(mut self, toolsets: Vec<String>) -> Result<Self, UnknownToolset> {
        for name in &toolsets {
            if !self.toolbox.has_toolset(&self.context, name) {
                let known = self.toolbox.toolsets();
                let near = find_nearest(name, known.iter().map(AsRef::as_ref), 1);
                let near = near.first().map(|near| (*near).to_owned());
                return Err(UnknownToolset { name: name.clone(), near });
            }
        }
        if !toolsets.is_empty() {
            self.toolbox = self.toolbox.restricted_to(&toolsets);
        }
        self.toolsets = toolsets;
        Ok(self)
    }

    /// Checks that the team knows the caller.
    ///
    /// # Errors
    ///
    /// Refuses an unknown member.
    pub fn admit(&self) -> Result<(), Refusal> {
        self.toolbox.admit(&self.context, &self.caller)
    }

    /// Lists the toolsets that are granted to the caller but have no tools here; `None` without any.
    pub fn toolsets_without_tools(&self) -> Option<String> {
        let names = self.toolbox.toolsets_without_tools(&self.context, &self.caller);
        let mut shown: Vec<String> = names.iter().take(MAX_NAMED).map(|name| format!("`{name}`")).collect();
        if names.len() > MAX_NAMED {
            shown.push(format!("{} more", names.len() - MAX_NAMED));
        }
        (!shown.is_empty()).then(|| shown.join(", "))
    }

    /// Restricts this process to the workspace and its state folder, if the kernel supports that. The tools do not rely on
    /// it. Must be called before the server starts, and cannot be undone.
    ///
    /// # Errors
    ///
    /// Fails if the state folder cannot be created, or the kernel refuses; then the process is not restricted.
    pub fn confine(&self) -> Result<Confinement, SystemError> {
        let state = self.context.ensure_state()?;
        minds_fs::confine(&[self.context.root(), &state], &[])
    }

    /// Returns the current tools of the caller.
    pub(crate) fn tools(&self) -> OfferedTools {
        self.toolbox.offered_tools(&self.context, &self.caller)
    }

    /// Returns the source of the tools of servers.
    pub(crate) fn source(&self) -> Option<&Arc<dyn ToolSource>> {
        self.toolbox.source()
    }

    /// Calls a built-in tool; `None` for any other one.
    pub(crate) fn call(&self, tool: &str, args: &Value, conversation: &str) -> Option<Answer> {
        let called = || self.toolbox.call_in(&self.context, tool, args, &self.caller, conversation);
        self.toolbox.is_built_in(tool).then(called)
    }

    /// Returns whether a call of a tool may be for a server: there are servers, and the tool is not built in.
    pub(crate) fn may_be_foreign(&self, tool: &str) -> bool {
        self.source().is_some() && !self.toolbox.is_built_in(tool)
    }

    /// Returns a tool of a server that the caller may call now; `None` if no server has it.
    pub(crate) fn authorize_foreign(&self, tool: &str) -> Option<Result<ForeignTool, Refusal>> {
        self.toolbox.authorize_foreign(&self.context, tool, &self.caller)
    }

    /// Checks that the caller may ask a server about its tasks.
    ///
    /// # Errors
    ///
    /// Refuses a caller that has no tool of the server.
    pub(crate) fn authorize_server(&self, server: &str) -> Result<(), Refusal> {
        self.toolbox.authorize_server(&self.context, server, &self.caller)
    }

    /// Returns the message for an unknown tool.
    pub(crate) fn refuse_unknown(&self, tool: &str) -> String {
        let refusal = self.toolbox.refuse_unknown(tool);
        let next = refusal.next.map(|next| format!("; {next}"));
        format!("{}{}", refusal.message, next.unwrap_or_default())
    }

    /// Returns whether a tool is read-only.
    pub(crate) fn only_reads(&self, tool: &str) -> bool {
        self.toolbox.is_read_only(tool)
    }

    /// Returns whether the caller has a tool that manages the team.
    pub(crate) fn manages_team(&self) -> bool {
        self.tools().iter().any(|tool| self.managing.contains(tool.name()))
    }

    /// Checks the files, and returns the changes since the last check; none at the first.
    pub(crate) fn check_files(&self) -> Changes {
        // The lock serializes concurrent checks, so that no older state is stored.
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let snapshot = self.snapshot();
        let tasks = Tasks::refresh(self, seen.as_ref().map(ServerState::tasks));
        let problems = self.gateway_problems(seen.as_ref().map(ServerState::problems));
        match &mut *seen {
            Some(before) if before.is_current(&snapshot, self, &problems) => {
                before.replace_tasks(tasks, problems)
            }
            before => {
                let now = ServerState::new(self, snapshot, tasks, problems);
                let changes = before.as_ref().map(|before| before.to(&now)).unwrap_or_default();
                *seen = Some(now);
                changes
            }
        }
    }

    /// Checks the files for the first time, so that later changes are detected.
    pub(crate) fn look_first(&self) {
        let is_first = self.seen.lock().unwrap_or_else(PoisonError::into_inner).is_none();
        if is_first {
            self.check_files();
        }
    }

    /// Returns the open problems of gateways. They are only read again if they may have changed since `before`.
    pub(crate) fn gateway_problems(&self, before: Option<&GatewayProblems>) -> GatewayProblems {
        gateway_problems(&self.context, before)
    }

    /// Reads the files of the team.
    pub(crate) fn snapshot(&self) -> Snapshot {
        self.context.root().snapshot(&minds_workspace::team_scope())
    }

    /// Returns the name of the workspace.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Returns the toolsets to which the server is restricted; empty without a restriction.
    pub(crate) fn toolsets(&self) -> &[String] {
        &self.toolsets
    }
}

/// Returns the names of the tools that are only in `toolset`.
fn only_in(toolbox: &Toolbox, toolset: &str) -> BTreeSet<String> {
    let mut only = names(&toolbox.toolset(toolset));
    for other in toolbox.toolsets().into_iter().filter(|other| other != toolset) {
        for tool in toolbox.toolset(&other) {
            only.remove(tool.name.as_ref());
        }
    }
    only
}

fn names(tools: &[ToolDescriptor]) -> BTreeSet<String> {
    tools.iter().map(|tool| tool.name.clone().into_owned()).collect()
}
