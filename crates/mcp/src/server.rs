//! What is served, and for whom.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

use minds_diagnostics::nearest;
use minds_document::Snapshot;
use minds_system::{Confinement, SystemError};
use minds_toolset::{Answer, Caller, Refusal, ToolContext, ToolDescriptor, Toolbox};
use serde_json::Value;

use crate::changes::{Changes, Seen};
use crate::tasks::Tasks;

/// The toolset whose holders manage the team.
const TEAM_MGMT: &str = "team-mgmt";

/// The number of toolsets that are named.
const MAX_NAMED: usize = 10;

/// A workspace, served to one caller. Nothing that a client sends changes who that is, or adds to what it may do.
#[derive(Debug)]
pub struct Server {
    pub(crate) context: ToolContext,
    pub(crate) caller: Caller,
    toolbox: Toolbox,
    /// The name of the workspace, which is not a path.
    name: String,
    /// The tools are those of these toolsets; all if there are none.
    toolsets: Vec<String>,
    /// The names of all tools, also of those that are kept out.
    known: BTreeSet<&'static str>,
    /// The names of the tools that manage a team: those that no other toolset has.
    managing: BTreeSet<&'static str>,
    /// The names of the tools that change nothing.
    reading: BTreeSet<&'static str>,
    /// What was there at the last look; nothing before the first.
    seen: Mutex<Option<Seen>>,
}

/// A toolset to which no tool here belongs.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no toolset `{name}` with tools here{}", near.as_ref().map(|near| format!("; did you mean `{near}`?")).unwrap_or_default())]
pub struct UnknownToolset {
    name: String,
    near: Option<String>,
}

impl Server {
    /// Serves the workspace of `context`, which people call `name`, to `caller`.
    pub fn new(context: ToolContext, name: impl Into<String>, caller: Caller) -> Self {
        let toolbox = Toolbox::new();
        let all = toolbox.list();
        let reading = all.iter().filter(|tool| tool.annotations.read_only_hint).map(|tool| tool.name);
        Self {
            context,
            caller,
            name: name.into(),
            toolsets: Vec::new(),
            known: names(&all),
            managing: only_in(&toolbox, TEAM_MGMT),
            reading: reading.collect(),
            toolbox,
            seen: Mutex::default(),
        }
    }

    /// Leaves the caller only the tools of these toolsets; what it does not have is not added. Without any, it has all that
    /// it has.
    ///
    /// # Errors
    ///
    /// Fails if no tool here belongs to one of them, so that a slip does not look like a team without tools.
    pub fn restricted_to(mut self, toolsets: Vec<String>) -> Result<Self, UnknownToolset> {
        for name in &toolsets {
            if self.toolbox.toolset(name).is_empty() {
                let known = self.toolbox.list();
                let near = nearest(name, known.iter().map(|tool| tool.toolset), 1);
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

    /// Returns why the caller has nothing here, if the team does not know it.
    ///
    /// # Errors
    ///
    /// Refuses a member that the team does not have.
    pub fn admit(&self) -> Result<(), Refusal> {
        self.toolbox.admit(&self.context, &self.caller)
    }

    /// Returns the toolsets that are granted to the caller and have no tools here, in a few words; none if there are none.
    pub fn toolsets_without_tools(&self) -> Option<String> {
        let names = self.toolbox.toolsets_without_tools(&self.context, &self.caller);
        let mut shown: Vec<String> = names.iter().take(MAX_NAMED).map(|name| format!("`{name}`")).collect();
        if names.len() > MAX_NAMED {
            shown.push(format!("{} more", names.len() - MAX_NAMED));
        }
        (!shown.is_empty()).then(|| shown.join(", "))
    }

    /// Lets this process only touch the workspace and what is remembered about it, as far as the kernel keeps such a wall.
    /// The tools do not rely on it. To be called before the server starts; there is no way back.
    ///
    /// # Errors
    ///
    /// Fails if what is remembered has no place, or the kernel refuses; then nothing is confined.
    pub fn confine(&self) -> Result<Confinement, SystemError> {
        let state = self.context.ensure_state()?;
        minds_system::confine(&[self.context.root(), &state], &[])
    }

    /// Returns the tools that the caller has at this moment.
    pub(crate) fn tools(&self) -> Vec<ToolDescriptor> {
        self.toolbox.granted(&self.context, &self.caller)
    }

    /// Calls a tool; nothing if there is no such tool.
    pub(crate) fn call(&self, tool: &str, args: Value) -> Option<Answer> {
        let called = || self.toolbox.call(&self.context, tool, args, &self.caller);
        self.known.contains(tool).then(called)
    }

    /// Returns what to say about a tool that does not exist.
    pub(crate) fn refuse_unknown(&self, tool: &str) -> String {
        let refusal = self.toolbox.refuse_unknown(tool);
        let next = refusal.next.map(|next| format!("; {next}"));
        format!("{}{}", refusal.message, next.unwrap_or_default())
    }

    /// Returns whether a tool changes nothing.
    pub(crate) fn only_reads(&self, tool: &str) -> bool {
        self.reading.contains(tool)
    }

    /// Returns whether the caller has a tool that manages the team.
    pub(crate) fn manages_team(&self) -> bool {
        self.tools().iter().any(|tool| self.managing.contains(tool.name))
    }

    /// Looks at the files again, and returns what is another than at the last look; nothing at the first.
    pub(crate) fn look(&self) -> Changes {
        // Two that look at once do so one after the other, so nobody remembers what was there before.
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let snapshot = self.snapshot();
        let tasks = Tasks::look(self, seen.as_ref().map(Seen::tasks));
        match &mut *seen {
            Some(before) if before.is_of(&snapshot) => before.turn_to(tasks),
            before => {
                let now = Seen::new(self, snapshot, tasks);
                let changes = before.as_ref().map(|before| before.to(&now)).unwrap_or_default();
                *seen = Some(now);
                changes
            }
        }
    }

    /// Looks at the files unless somebody has: what changes after a client was told something is seen then.
    pub(crate) fn look_first(&self) {
        let is_first = self.seen.lock().unwrap_or_else(PoisonError::into_inner).is_none();
        if is_first {
            self.look();
        }
    }

    /// Reads the files that the team is configured by.
    pub(crate) fn snapshot(&self) -> Snapshot {
        self.context.root().snapshot(&minds_workspace::team_scope())
    }

    /// Returns the name of the workspace, which is not a path.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Returns the toolsets that the server was narrowed to; none if it was not.
    pub(crate) fn toolsets(&self) -> &[String] {
        &self.toolsets
    }
}

/// Returns the names of the tools that are in `toolset` and in no other one.
fn only_in(toolbox: &Toolbox, toolset: &str) -> BTreeSet<&'static str> {
    let mut only = names(&toolbox.toolset(toolset));
    for other in toolbox.toolsets().into_iter().filter(|other| *other != toolset) {
        for tool in toolbox.toolset(other) {
            only.remove(tool.name);
        }
    }
    only
}

fn names(tools: &[ToolDescriptor]) -> BTreeSet<&'static str> {
    tools.iter().map(|tool| tool.name).collect()
}
