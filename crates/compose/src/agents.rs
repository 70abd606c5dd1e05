//! Agents across all projects.

use std::fmt;

use minds_document::Document;

use crate::family::{ComposeFamily, ProjectFile};
use crate::project::{Agent, AgentFields, Project};

/// Identifies an agent across all projects; displayed as `project:agent`.
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
    /// Returns `project-agent`, the base name of the files and the session of the agent.
    pub fn stem(&self) -> String {
        format!("{}-{}", self.project, self.agent)
    }
}

/// The kind of an agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rank {
    /// Other agents may report to it.
    Manager,
    /// It reports to a manager.
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

/// An agent together with the project that defines it.
#[derive(Clone, Copy, Debug)]
pub struct AgentRef<'f> {
    /// The file of the project.
    pub file: &'f ProjectFile,
    /// The parsed document of that file.
    pub document: &'f Document,
    /// The project.
    pub project: &'f Project,
    /// Whether it is a manager or a worker.
    pub rank: Rank,
    /// The agent.
    pub agent: &'f Agent,
}

impl<'f> AgentRef<'f> {
    /// Returns the id of the agent, or `None` if the id of its project could not be read.
    pub fn id(&self) -> Option<AgentId> {
        let project = self.project.head.as_given()?.value.id.as_given()?.value.0.clone();
        Some(AgentId { project, agent: self.agent.id.value.clone() })
    }

    /// Returns the fields of the agent, if they could be read.
    pub fn fields(&self) -> Option<&'f AgentFields> {
        self.agent.fields.as_given().map(|fields| &*fields.value)
    }
}

impl ComposeFamily {
    /// Returns the agents of all projects, in the order of the projects; within a project managers come
    /// first, and each kind is sorted by id.
    pub fn agents(&self) -> Vec<AgentRef<'_>> {
        self.projects.iter().flat_map(ProjectFile::agents).collect()
    }
}

impl ProjectFile {
    /// Returns the agents of the project: managers first, each kind sorted by id.
    pub fn agents(&self) -> Vec<AgentRef<'_>> {
        let Some((project, document)) = self.readable() else { return Vec::new() };
        let kinds = [(Rank::Manager, project.managers()), (Rank::Worker, project.workers())];
        let mut agents: Vec<AgentRef<'_>> = kinds
            .into_iter()
            .flat_map(|(rank, kind)| {
                kind.iter().map(move |agent| AgentRef { file: self, document, project, rank, agent })
            })
            .collect();
        agents.sort_by(|a, b| (a.rank, &a.agent.id.value).cmp(&(b.rank, &b.agent.id.value)));
        agents
    }
}
