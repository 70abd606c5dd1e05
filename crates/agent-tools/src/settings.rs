//! The tools of an agent for one step.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use minds_exec::Level;
use minds_fleet_protocol::Failure;
use serde::Serialize;

use crate::outcome::quote;
use crate::policy::{Policy, PolicyChange, is_at_or_below};
use crate::policy_file::invalid;
use crate::registry::{self, OS_EXEC, TOOLS, Tool, model_name};

/// What decides about the tools of an agent in a step.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolSettings {
    /// The policy of the files.
    pub files: Policy,
    /// The policy that a person accepted.
    pub accepted: Policy,
    /// Why the files do not give a tool, by name.
    pub reasons: BTreeMap<String, String>,
    /// The maximum length of the output of a tool that a model receives, in bytes.
    pub output_bytes: usize,
    /// The time after which an incomplete line of a command is published.
    pub partial_flush: Duration,
    /// The folders that no command may write, and whose content no tool may read: those of accepted policies, and of keys.
    pub protected: Vec<ProtectedFolder>,
    /// The folder for temporary files of commands.
    pub temporary: PathBuf,
    /// The variables with keys, which no command sees.
    pub secret_variables: Vec<String>,
    /// How much of the sandbox the system offers.
    pub sandbox: Level,
}

/// A folder that must be outside of the reach of an agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProtectedFolder {
    /// Its absolute path, without symbolic links.
    pub path: String,
    /// What is in it, for messages.
    pub content: &'static str,
    /// Whether it must not be read either.
    pub is_secret: bool,
}

/// A tool, as it is shown to a person.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ListedTool {
    /// The name in files, with its version unless it is 1.
    pub name: String,
    /// The name for models; empty for all tools of a server.
    pub model_name: String,
    /// What it does.
    pub doc: String,
    /// Whether the agent has it.
    pub given: bool,
    /// Why the agent does not have it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Whether it waits for a confirmation.
    pub confirm: bool,
}

impl ToolSettings {
    /// Returns what the accepted policy and the files both permit.
    pub fn effective(&self) -> Policy {
        Policy::effective(&self.accepted, &self.files)
    }

    /// Returns what the files give beyond the accepted policy.
    pub fn find_widenings(&self) -> Vec<PolicyChange> {
        self.files.find_widenings(&self.accepted)
    }

    /// Checks what holds for every step.
    ///
    /// # Errors
    ///
    /// Returns `config.invalid` if the agent could change its own policy or read the key of its owner, or if the program that
    /// performs its turns was not accepted.
    pub fn check(&self) -> Result<(), Failure> {
        registry::check_names(TOOLS)?;
        check_protected(&self.files, &self.protected)?;
        let effective = self.effective();
        if effective.exec.require_sandbox && self.sandbox < Level::Full {
            return Err(invalid(format!(
                "`exec.require_sandbox` needs the complete sandbox, and this system has the level `{}`",
                self.sandbox
            )));
        }
        if effective.engine.is_none() {
            return Err(invalid(format!("the engine of the files was not accepted: {ACCEPT}")));
        }
        Ok(())
    }

    /// Returns why the agent does not have a tool; none if it has the tool.
    pub(crate) fn why_not(&self, tool: &Tool) -> Option<String> {
        self.why_not_listed(tool.name)
    }

    pub(crate) fn why_not_listed(&self, name: &str) -> Option<String> {
        if let Some(reason) = self.reasons.get(name) {
            return Some(reason.clone());
        }
        if !self.files.gives(name) {
            return Some("the files do not give it".to_owned());
        }
        let server = registry::server_of(name);
        if server.is_none() && !TOOLS.iter().any(|tool| tool.name == name) {
            return Some("this version does not have it".to_owned());
        }
        if !self.accepted.gives(name) {
            return Some(format!("it was not accepted: {ACCEPT}"));
        }
        if let Some(server) = server {
            return self.why_not_server(server);
        }
        // The sandbox gives whole folders, and access lists and reserved areas are patterns within them.
        let member = self.accepted.members.iter().chain(&self.files.members).next();
        member.filter(|_| name == OS_EXEC).map(|member| {
            format!(
                "the sandbox of commands cannot apply the access lists of the member {}: use the tools for files",
                quote(member)
            )
        })
    }

    /// Returns why the agent does not have the tools of an MCP server.
    fn why_not_server(&self, server: &str) -> Option<String> {
        let Some(files) = self.files.servers.get(server) else {
            return Some("`.minds/mcp.yaml` has no such server that is enabled and can be used".to_owned());
        };
        let accepted = self.accepted.servers.get(server);
        let is_accepted = accepted.is_some_and(|accepted| accepted.hash == files.hash);
        (!is_accepted).then(|| format!("its server was not accepted as it is now: {ACCEPT}"))
    }

    /// Returns all known and all listed tools, by name.
    pub fn list(&self) -> Vec<ListedTool> {
        let effective = self.effective();
        let mut docs: BTreeMap<&str, &str> = registry::known_tools().collect();
        let listed = self.files.tools.iter().chain(self.reasons.keys());
        for name in listed {
            docs.entry(name).or_default();
        }
        let list = docs.into_iter().map(|(name, doc)| {
            let reason = self.why_not_listed(name);
            let foreign = registry::server_of(name);
            ListedTool {
                name: name.to_owned(),
                model_name: foreign.map_or_else(|| model_name(name), |_| foreign_name(name).to_owned()),
                doc: foreign.map_or_else(|| doc.to_owned(), |server| format!("of the MCP server `{server}`")),
                given: reason.is_none(),
                reason,
                confirm: effective.needs_confirmation(name),
            }
        });
        list.collect()
    }

    /// Returns the names of the tools that the agent has.
    pub fn given_tools(&self) -> Vec<&'static str> {
        TOOLS.iter().filter(|tool| self.why_not(tool).is_none()).map(|tool| tool.name).collect()
    }
}

/// Returns the name for models of a tool of an MCP server; empty for all tools of a server.
fn foreign_name(name: &str) -> &str {
    name.splitn(3, '.').nth(2).unwrap_or_default()
}

/// What makes a wider policy effective.
pub const ACCEPT: &str = "`minds-fleet up` on a terminal asks for it, `--accept` accepts it";

/// Checks that no folder of a policy gives access to a protected one.
///
/// # Errors
///
/// Returns `config.invalid` with both folders.
pub fn check_protected(policy: &Policy, protected: &[ProtectedFolder]) -> Result<(), Failure> {
    let overlap = |folder: &str, other: &str| is_at_or_below(folder, other) || is_at_or_below(other, folder);
    for ProtectedFolder { path, content, is_secret } in protected {
        let reachable = if *is_secret { policy.readable() } else { policy.writable() };
        if let Some(folder) = reachable.iter().find(|folder| overlap(folder, path)) {
            return Err(invalid(format!(
                "the agent must not reach `{path}`, which has {content}, and `{folder}` gives access to it: narrow `cwd`, `fs.whitelist` or `exec`, or set `MINDS_HOME`"
            )));
        }
    }
    Ok(())
}
