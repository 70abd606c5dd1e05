//! What the agents of a compose root are started with.
//!
//! The formats are those that `teamctl` 0.8.2 writes, byte for byte.

mod env;
mod mcp;
mod role_prompt;
mod session;

use std::collections::BTreeSet;

use minds_compose::{AgentId, AgentRef, COMPOSE_FILE, Compose, ComposeFamily, RolePrompt};
use minds_document::FileMode;
use minds_paths::WorkspacePath;

use crate::artifact::{Artifact, RenderError, restrict};
use crate::clients::{Place, ServerEntry};
use crate::target::Target;

/// What is known beside the files.
#[derive(Clone, Copy, Debug)]
pub struct Setting<'s> {
    /// The compose root: an absolute path without links.
    pub root: &'s str,
    /// The command that serves the tools of the team.
    pub mcp_command: &'s str,
}

/// What was rendered so far, and how large it is together.
#[derive(Default)]
struct Made {
    artifacts: Vec<Artifact>,
    bytes: usize,
}

/// An agent that is rendered, and what all agents share.
struct Job<'j> {
    setting: &'j Setting<'j>,
    compose: &'j Compose,
    agent: AgentRef<'j>,
    id: AgentId,
    cwd: &'j str,
    mailbox: String,
}

/// Returns the files of all agents, sorted by path: for each agent its environment and its MCP servers, and its role prompt
/// where that is a list of files.
///
/// # Errors
///
/// Fails if the family could not be read in full, or holds what its [check](minds_compose::check) refuses and the formats
/// of the files cannot say.
pub fn artifacts(family: &ComposeFamily, setting: &Setting<'_>) -> Result<Vec<Artifact>, RenderError> {
    let mut made = Made::default();
    for job in jobs(family, setting)? {
        job.render(family, &mut made)?;
    }
    let mut made = made.artifacts;
    restrict(&mut made, &family.sources);
    made.sort_by(|a, b| a.path.cmp(&b.path));
    if let Some([first, _]) = made.windows(2).find(|pair| matches!(pair, [a, b] if a.path == b.path)) {
        return Err(RenderError::Collision { path: first.path.to_string() });
    }
    Ok(made)
}

/// Returns the servers through which MCP clients act as the agents of a compose root: one for each agent, with the command
/// and the arguments that the agent itself has, called `team-` and what its files are called.
///
/// # Errors
///
/// Fails where [`artifacts`] fails to read the family.
pub fn team_servers(family: &ComposeFamily, setting: &Setting<'_>) -> Result<Vec<ServerEntry>, RenderError> {
    let server = |job: Job<'_>| {
        let id = job.id.to_string();
        let name = format!("team-{}", job.id.stem());
        let mut server = ServerEntry::program(&name, setting.mcp_command, &mcp::args(&job, &id), Vec::new());
        let node = job.agent.document.node(job.agent.agent.id.node);
        server.name.place = Some(Place { label: node.label(), pointer: node.pointer() });
        server
    };
    Ok(jobs(family, setting)?.into_iter().map(server).collect())
}

/// Returns what has to be rendered for each agent.
fn jobs<'j>(family: &'j ComposeFamily, setting: &'j Setting<'j>) -> Result<Vec<Job<'j>>, RenderError> {
    let unreadable = |what: &str| RenderError::Unreadable { what: what.to_owned() };
    let (compose, _) = family.readable().ok_or_else(|| unreadable(COMPOSE_FILE))?;
    let mailbox = joined(setting.root, compose.broker_path());
    let mut jobs = Vec::new();
    for file in &family.projects {
        let (project, _) = file.readable().ok_or_else(|| unreadable(&file.entry.value))?;
        let head = project.head.as_given().ok_or_else(|| unreadable(&file.entry.value))?;
        let cwd = head.value.cwd.as_given().ok_or_else(|| unreadable(&file.entry.value))?;
        for agent in file.agents() {
            let id = agent.id().ok_or_else(|| unreadable(&file.entry.value))?;
            for part in [&id.project, &id.agent] {
                if part.contains(['/', '\\', '\0', '\n', '\r']) {
                    return Err(RenderError::UnsafeId { id: part.clone() });
                }
            }
            jobs.push(Job { setting, compose, agent, id, cwd: &cwd.value, mailbox: mailbox.clone() });
        }
    }
    Ok(jobs)
}

impl Job<'_> {
    fn render(&self, family: &ComposeFamily, made: &mut Made) -> Result<(), RenderError> {
        let fields =
            self.agent.fields().ok_or_else(|| RenderError::Unreadable { what: self.id.to_string() })?;
        let prompt = fields.role_prompt.as_given().map(|prompt| &prompt.value);
        let env = self.path("envs", "env")?;
        let mcp = self.path("mcp", "json")?;
        let concatenated = match prompt {
            Some(RolePrompt::Files(_)) => self.path("role_prompts", "md")?,
            _ => WorkspacePath::root(),
        };
        let system_prompt = match prompt {
            None => String::new(),
            Some(RolePrompt::File(path)) => joined(self.setting.root, &path.value),
            Some(RolePrompt::Files(_)) => joined(self.setting.root, concatenated.as_str()),
        };
        let mcp_path = joined(self.setting.root, mcp.as_str());
        let text = env::render(self, fields, &mcp_path, &system_prompt, &env)?;
        self.add(made, env, text.into_bytes(), FileMode::Private, BTreeSet::new())?;
        let text = mcp::render(self);
        self.add(made, mcp, text.into_bytes(), FileMode::Private, BTreeSet::new())?;
        if let Some(RolePrompt::Files(paths)) = prompt {
            let (text, inputs) = role_prompt::render(family, paths)?;
            self.add(made, concatenated, text.into_bytes(), FileMode::Regular, inputs)?;
        }
        Ok(())
    }

    fn path(&self, folder: &str, ending: &str) -> Result<WorkspacePath, RenderError> {
        let path = format!("state/{folder}/{}.{ending}", self.id.stem());
        WorkspacePath::parse(&path).map_err(|_| RenderError::UnsafeId { id: self.id.to_string() })
    }

    fn add(
        &self,
        all: &mut Made,
        path: WorkspacePath,
        bytes: Vec<u8>,
        mode: FileMode,
        mut inputs: BTreeSet<String>,
    ) -> Result<(), RenderError> {
        inputs.insert(COMPOSE_FILE.to_owned());
        inputs.insert(self.agent.document.source().name().to_owned());
        let inputs = inputs.into_iter().collect();
        all.bytes += bytes.len();
        if all.bytes > RenderError::MAX_BYTES {
            return Err(RenderError::TooLarge);
        }
        all.artifacts.push(Artifact { path, bytes, mode, target: Target::Artifacts, inputs });
        Ok(())
    }
}

/// Returns the path of `written` from the directory `root`: an absolute path stays, nothing is resolved.
fn joined(root: &str, written: &str) -> String {
    if written.starts_with('/') {
        return written.to_owned();
    }
    let slash = if root.ends_with('/') { "" } else { "/" };
    format!("{root}{slash}{written}")
}
