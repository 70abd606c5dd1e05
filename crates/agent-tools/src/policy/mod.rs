//! What an agent may do.

mod changes;
mod effective;
mod folders;

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::registry::{server_entry, server_of};

pub use changes::PolicyChange;
pub use folders::{Folders, find_folder, is_at_or_below};

/// What an agent may do: what its files say, what a person accepted, or what both permit.
///
/// The order of policies is that of the rights that they give; [`Policy::effective`] is the greatest one that is in neither of two
/// wider.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Policy {
    /// The names of the tools that the agent has; `mcp.SERVER` stands for all tools of a server.
    pub tools: BTreeSet<String>,
    /// The names of the tools that wait for a confirmation of the owner.
    pub confirm: BTreeSet<String>,
    /// The tools of MCP servers that the agent does not have although it has those of their servers.
    #[serde(default)]
    pub denied: BTreeSet<String>,
    /// The MCP servers whose tools are listed, as their entries are, by their ids.
    #[serde(default)]
    pub servers: BTreeMap<String, ServerPolicy>,
    /// The members of the team all of which must permit an access as well.
    #[serde(default)]
    pub members: BTreeSet<String>,
    /// The working folder. It gives no right by itself.
    pub cwd: String,
    /// The folders that the tools for files and commands may read and write, the working folder included.
    pub folders: Folders,
    /// What commands may do in addition.
    pub exec: ExecPolicy,
    /// Whether commands may run without the sandbox, after a confirmation.
    pub r#unsafe: bool,
    /// What performs the turns; `None` if the program of the files is not the accepted one.
    pub engine: Option<EnginePolicy>,
}

/// An MCP server, as its entry is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ServerPolicy {
    /// The hash of what the entry says.
    pub hash: String,
    /// What it starts or connects to, for people; without secrets.
    pub shown: String,
}

/// What commands may do in addition to the tools for files.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExecPolicy {
    /// Whether they see the environment of the agent, without variables of keys.
    pub inherit_env: bool,
    /// The variables of the agent that they see.
    pub env: BTreeSet<String>,
    /// The folders that they may read.
    pub read: Folders,
    /// The folders that they may write.
    pub write: Folders,
    /// Whether they run only in a complete sandbox.
    pub require_sandbox: bool,
}

/// The program that performs the turns, and what it may do.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EnginePolicy {
    /// The name of the engine: `llm`, `acp`, or a short form.
    pub kind: String,
    /// The command and its arguments; empty for `llm` and short forms.
    pub command: Vec<String>,
    /// The hashes of the values of its variables, by name.
    pub env: BTreeMap<String, String>,
    /// What the engine may do without its default: `allow`, `ask` or `deny` by kinds of tools.
    pub permissions: BTreeMap<String, String>,
}

impl Policy {
    /// Returns whether the policy gives a tool.
    pub fn gives(&self, tool: &str) -> bool {
        is_listed(&self.tools, tool) && !self.denied.contains(tool)
    }

    /// Returns whether a tool waits for a confirmation.
    pub fn needs_confirmation(&self, tool: &str) -> bool {
        is_listed(&self.confirm, tool)
    }

    /// Returns the folders that commands may write.
    pub fn writable(&self) -> Folders {
        self.folders.union(&self.exec.write).cloned().collect()
    }

    /// Returns the folders that commands may read in addition to those of the system.
    pub fn readable(&self) -> Folders {
        self.writable().union(&self.exec.read).cloned().collect()
    }
}

/// Returns whether a list contains a tool, or its server.
pub(crate) fn is_listed(names: &BTreeSet<String>, tool: &str) -> bool {
    names.contains(tool) || server_of(tool).is_some_and(|server| names.contains(&server_entry(server)))
}
