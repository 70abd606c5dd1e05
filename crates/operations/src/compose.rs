//! Showing the agents of a compose root.

use std::path::Path;

use minds_diagnostics::{Severity, find_nearest};
use minds_workspace::{AgentView, show_agents};

use crate::{OperationError, compose_root};

/// The agents of a compose root.
#[derive(Clone, Debug)]
pub struct ComposeOutcome {
    /// The compose root, relative to the current directory.
    pub root: String,
    /// The selected agents.
    pub agents: Vec<AgentView>,
    /// The number of errors in the files. If there are any, agents may be incomplete.
    pub errors: usize,
}

/// Returns the agents of a compose root, or only `agent`: either `project:agent`, or the id of the agent if
/// it is unique among projects.
///
/// With `allows_outside` the files may refer to files outside the repository.
///
/// # Errors
///
/// Fails if there is no compose root, it cannot be opened, or there is no such agent.
pub fn show_compose(
    base: &Path,
    root: Option<&Path>,
    agent: Option<&str>,
    allows_outside: bool,
) -> Result<ComposeOutcome, OperationError> {
    let read = compose_root::read(base, root, allows_outside)?;
    let errors = read.found.iter().filter(|found| found.severity == Severity::Error).count();
    let mut agents = show_agents(&read.family);
    if let Some(wanted) = agent {
        let ids: Vec<String> = agents.iter().map(|agent| agent.id.clone()).collect();
        let own = |id: &str| id.split_once(':').is_some_and(|(_, own)| own == wanted);
        agents.retain(|agent| agent.id == wanted || own(&agent.id));
        if agents.len() != 1 && !agents.iter().any(|agent| agent.id == wanted) {
            let mut near: Vec<String> = agents.iter().map(|agent| agent.id.clone()).take(3).collect();
            if near.is_empty() {
                // Agents can be given without their project.
                let own = |id: &str| id.split_once(':').map(|(_, own)| own.to_owned());
                let all = ids.iter().cloned().chain(ids.iter().filter_map(|id| own(id)));
                let all: Vec<String> = all.collect();
                let names = find_nearest(wanted, all.iter().map(String::as_str), 3);
                let is_near = |id: &&String| {
                    names.iter().any(|name| *name == id.as_str() || own(id).is_some_and(|own| own == *name))
                };
                near = ids.iter().filter(is_near).take(3).cloned().collect();
            }
            return Err(OperationError::UnknownAgent { id: wanted.to_owned(), near });
        }
    }
    Ok(ComposeOutcome { root: read.shown, agents, errors })
}
