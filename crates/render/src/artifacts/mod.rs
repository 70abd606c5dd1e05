//! The launch files of the agents of a compose root.
//!
//! The files are byte for byte those that `teamctl` 0.8.2 writes.

mod env;
mod mcp;
mod role_prompt;
mod session;

use std::collections::BTreeSet;

use minds_compose::{AgentId, AgentRef, COMPOSE_FILE, Compose, ComposeFamily, RolePrompt};
use minds_vfs::{FileMode, WorkspacePath};

use crate::artifact::{Artifact, RenderError, restrict};
use crate::clients::{Place, ServerEntry};
use crate::target::Target;

/// Settings that are not part of the files.
#[derive(Clone, Copy, Debug)]
pub struct Setting<'s> {
    /// The compose root: an absolute path without symbolic links.
    pub root: &'s str,
    /// The command of the MCP server for the team tools.
    pub mcp_command: &'s str,
}

/// The files rendered so far, and their total size.
#[derive(Default)]
struct RenderedFiles {
    artifacts: Vec<Artifact>,
    bytes: usize,
}

/// An agent to render, and the settings that all agents share.
struct AgentJob<'j> {
    setting: &'j Setting<'j>,
    compose: &'j Compose,
    agent: AgentRef<'j>,
    id: AgentId,
    cwd: &'j str,
    mailbox: String,
}

/// Returns the launch files of all agents, sorted by path: for each agent the environment and the MCP
/// configuration, and the role prompt if it is a list of files.
///
/// # Errors
///
/// Fails if a part of the family could not be read, or contains values that its [check](minds_compose::check)
/// rejects and that cannot be written into the files.
pub fn artifacts(family: &ComposeFamily, setting: &Setting<'_>) -> Result<Vec<Artifact>, RenderError> {
    let mut files = RenderedFiles::default();
    for job in jobs(family, setting)? {
        job.render(family, &mut files)?;
    }
    let mut files = files.artifacts;
    restrict(&mut files, &family.sources);
    files.sort_by(|a, b| a.path.cmp(&b.path));
    if let Some([first, _]) = files.windows(2).find(|pair| matches!(pair, [a, b] if a.path == b.path)) {
        return Err(RenderError::Collision { path: first.path.to_string() });
    }
    Ok(files)
}

/// Returns MCP servers through which clients can act as the agents of a compose root. There is one for each
/// agent, named `team-<project>-<agent>`, with the same command and arguments as in the agent's own MCP
/// configuration.
///
/// # Errors
///
/// Fails if a part of the family could not be read.
pub fn team_servers(family: &ComposeFamily, setting: &Setting<'_>) -> Result<Vec<ServerEntry>, RenderError> {
    let server = |job: AgentJob<'_>| {
        let id = job.id.to_string();
        let name = format!("team-{}", job.id.stem());
        let mut server = ServerEntry::program(&name, setting.mcp_command, &mcp::args(&job, &id), Vec::new());
        let node = job.agent.document.node(job.agent.agent.id.node);
        server.name.place = Some(Place { label: node.label(), pointer: node.pointer() });
        server
    };
    Ok(jobs(family, setting)?.into_iter().map(server).collect())
}

/// Returns the agents to render.
fn jobs<'j>(family: &'j ComposeFamily, setting: &'j Setting<'j>) -> Result<Vec<AgentJob<'j>>, RenderError> {
    let unreadable = |what: &str| RenderError::Unreadable { what: what.to_owned() };
    let (compose, _) = family.readable().ok_or_else(|| unreadable(COMPOSE_FILE))?;
    let mailbox = join_path(setting.root, compose.broker_path());
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
            jobs.push(AgentJob { setting, compose, agent, id, cwd: &cwd.value, mailbox: mailbox.clone() });
        }
    }
    Ok(jobs)
}

impl AgentJob<'_> {
    fn render(&self, family: &ComposeFamily, files: &mut RenderedFiles) -> Result<(), RenderError> {
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
            Some(RolePrompt::File(path)) => join_path(self.setting.root, &path.value),
            Some(RolePrompt::Files(_)) => join_path(self.setting.root, concatenated.as_str()),
        };
        let mcp_path = join_path(self.setting.root, mcp.as_str());
        let text = env::render(self, fields, &mcp_path, &system_prompt, &env)?;
        self.add(files, env, text.into_bytes(), FileMode::Private, BTreeSet::new())?;
        let text = mcp::render(self);
        self.add(files, mcp, text.into_bytes(), FileMode::Private, BTreeSet::new())?;
        if let Some(RolePrompt::Files(paths)) = prompt {
            let (text, inputs) = role_prompt::render(family, paths)?;
            self.add(files, concatenated, text.into_bytes(), FileMode::Regular, inputs)?;
        }
        Ok(())
    }

    fn path(&self, folder: &str, ending: &str) -> Result<WorkspacePath, RenderError> {
        let path = format!("state/{folder}/{}.{ending}", self.id.stem());
        WorkspacePath::parse(&path).map_err(|_| RenderError::UnsafeId { id: self.id.to_string() })
    }

    fn add(
        &self,
        all: &mut RenderedFiles,
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

/// Returns `written` relative to the directory `root`. An absolute path is returned unchanged; nothing is
/// resolved.
fn join_path(root: &str, written: &str) -> String {
    if written.starts_with('/') {
        return written.to_owned();
    }
    let slash = if root.ends_with('/') { "" } else { "/" };
    format!("{root}{slash}{written}")
}
