//! Agents across all projects.

use std::fmt;

use minds_document::Document;

use crate::family::{ComposeFamily, ProjectFile};
use crate::project::{Agent, AgentFields, Project};

/// The name of an agent among all projects, as `project:agent`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct AgentId {
    /// The id of the project.
    pub project: String,
    /// The id of the agent in it.
    pub agent: String,
}

impl fmt::Display for AgentId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.project, self.agent)
    }
}

impl AgentId {
    /// Returns what its files and its session are named after.
    pub fn stem(&self) -> String {
        format!("{}-{}", self.project, self.agent)
    }
}

/// Whether others report to an agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rank {
    /// They do.
    Manager,
    /// They do not.
    Worker,
}

impl fmt::Display for Rank {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Manager => "manager",
            Self::Worker => "worker",
        })
    }
}

/// An agent, and what it belongs to.
#[derive(Clone, Copy, Debug)]
pub struct AgentRef<'f> {
    /// The file of the project.
    pub file: &'f ProjectFile,
    /// The tree of that file.
    pub document: &'f Document,
    /// The project.
    pub project: &'f Project,
    /// Whether others report to it.
    pub rank: Rank,
    /// The agent.
    pub agent: &'f Agent,
}

impl<'f> AgentRef<'f> {
    /// Returns the name of the agent; none if that of its project could not be read.
    pub fn id(&self) -> Option<AgentId> {
        let project = self.project.head.given()?.value.id.given()?.value.0.clone();
        Some(AgentId { project, agent: self.agent.id.value.clone() })
    }

    /// Returns what the file says about it, if that could be read.
    pub fn fields(&self) -> Option<&'f AgentFields> {
        self.agent.fields.given().map(|fields| &*fields.value)
    }
}

impl ComposeFamily {
    /// Returns every agent: by project, the managers first, each kind in the order of the bytes of the ids.
    pub fn agents(&self) -> Vec<AgentRef<'_>> {
        self.projects.iter().flat_map(ProjectFile::agents).collect()
    }
}

impl ProjectFile {
    /// Returns the agents of the project: the managers first, each kind in the order of the bytes of the ids.
    pub fn agents(&self) -> Vec<AgentRef<'_>> {
        let Some((project, document)) = self.readable() else { return Vec::new() };
        let kinds = [(Rank::Manager, &project.managers), (Rank::Worker, &project.workers)];
        let mut agents: Vec<AgentRef<'_>> = kinds
            .into_iter()
            .flat_map(|(rank, kind)| {
                kind.agents.iter().map(move |agent| AgentRef { file: self, document, project, rank, agent })
            })
            .collect();
        agents.sort_by(|a, b| (a.rank, &a.agent.id.value).cmp(&(b.rank, &b.agent.id.value)));
        agents
    }
}
