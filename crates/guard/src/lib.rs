#![doc = include_str!("../README.md")]

mod action;
mod answer;
mod event;
mod judge;
mod patch;
mod place;
mod settings;
mod shell;
mod verdict;

use std::fmt;

use minds_access_control::Access;
use minds_vfs::WorkspacePath;

pub use action::Action;
pub use answer::Answer;
pub use event::{Event, MAX_EVENT_BYTES};
pub use minds_clients::ClientId;
pub use place::{normalize, strip_root};
pub use shell::ShellPolicy;
pub use verdict::{Outcome, Verdict};

use judge::Judge;

/// A member of the team, for the guard.
pub trait Member {
    /// Returns the id.
    fn id(&self) -> &str;

    /// Decides about one path.
    ///
    /// # Errors
    ///
    /// Returns why the access is denied, as a clause that names the list and the entry.
    fn decide(&mut self, access: Access, path: &WorkspacePath) -> Result<(), String>;

    /// Returns why a path below a directory could be denied, without examining which paths exist; `None` if none is.
    fn denial_below(&mut self, access: Access, directory: &WorkspacePath) -> Option<String>;

    /// Returns whether any access list applies to the member.
    fn has_lists(&self) -> bool;

    /// Returns whether the team gives the member no tool for an operation on files.
    fn lacks_tools(&self, access: Access) -> bool;

    /// Returns whether the team gives the member no tool that runs commands.
    fn lacks_shell(&self) -> bool;

    /// Returns whether the member has a tool of an MCP server; if the name of the tool is empty, whether it has the server.
    fn has_server_tool(&self, server: &str, tool: &str) -> bool;
}

/// What exists around the workspace.
pub trait Surroundings: fmt::Debug {
    /// Returns the absolute paths of the workspace: as given, and without links.
    fn roots(&self) -> Vec<String>;

    /// Returns an absolute path without links, `.` and `..`. Parts that do not exist are kept.
    ///
    /// # Errors
    ///
    /// Returns why the path cannot be resolved, as a clause.
    fn real_path(&self, path: &str) -> Result<String, String>;

    /// Returns what exists at an absolute path; links are followed.
    fn kind(&self, path: &str) -> Kind;

    /// Returns the task packages whose places are known.
    fn packages(&self) -> Vec<WorkspacePath>;

    /// Returns the names of the MCP servers of the team.
    fn servers(&self) -> Vec<String>;
}

/// What exists at a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Nothing.
    Missing,
    /// A directory, or something that could not be examined and may be one.
    Directory,
    /// Anything else.
    File,
}

/// How an event is judged.
#[derive(Clone, Copy, Debug)]
pub struct Request<'r> {
    /// The client that sent the event.
    pub client: ClientId,
    /// The verdict about commands whose files are not known.
    pub shell: ShellPolicy,
    /// Whether calls that are allowed skip the question of the client.
    pub auto_allow: bool,
    /// What exists around the workspace.
    pub surroundings: &'r dyn Surroundings,
}

/// Answers an event. All `members` must be allowed to make the call.
pub fn answer(request: &Request<'_>, event: &Event, members: &mut [Box<dyn Member + '_>]) -> Answer {
    if event.tool.is_none() {
        return answer::no_decision(request.client);
    }
    let verdict = judge(request, event, members);
    answer::answer(request.client, &event.name, &verdict, request.auto_allow)
}

/// The maximum number of files that one call touches: links are resolved for each, while the client waits.
const MAX_ACTIONS: usize = 10_000;

/// Returns the verdict about the tool call of an event.
pub fn judge(request: &Request<'_>, event: &Event, members: &mut [Box<dyn Member + '_>]) -> Verdict {
    if members.is_empty() {
        return Verdict::deny("the team has no members");
    }
    if event.actions.len() > MAX_ACTIONS {
        return Verdict::deny(format!("the call touches more than {MAX_ACTIONS} files"));
    }
    let can_ask = answer::can_ask(request.client, &event.name);
    let mut judge = Judge {
        client: request.client,
        surroundings: request.surroundings,
        members,
        shell: request.shell,
        can_ask,
        verdict: Verdict::default(),
    };
    for action in &event.actions {
        judge.judge(action, event.directory.as_deref());
    }
    judge.verdict
}

/// Returns the answer if an event cannot be judged, because it is not valid or the team cannot be read.
pub fn refuse(client: ClientId, reason: &str) -> Answer {
    answer::deny(client, &format!("minds: {reason}"))
}

/// Returns the answer to an event that needs no team, because it is not about a tool call.
pub fn answer_without_tool(client: ClientId) -> Answer {
    answer::no_decision(client)
}
