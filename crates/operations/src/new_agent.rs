//! Creating an agent of a fleet.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;

use minds_fleet::FOLDER;
use minds_fs::{FileError, FileErrorKind, Root, View};
use minds_process::random;
use minds_vfs::{FileMode, MountId, WorkspacePath};
use serde_json::json;

use crate::OperationError;

/// The most entries of the folder of a new agent, with those that it has written.
const MAX_ENTRIES: usize = 10_000;

/// An agent to create.
#[derive(Clone, Copy, Debug)]
pub struct NewAgent<'n> {
    /// Its name.
    pub name: &'n str,
    /// Its model.
    pub model: &'n str,
    /// Its working folder, an absolute path.
    pub cwd: &'n str,
    /// Its system prompt.
    pub system_prompt: &'n str,
    /// The tools that it has at most.
    pub tools: &'n BTreeSet<String>,
    /// The tools of these that it does not have.
    pub denied: &'n BTreeSet<String>,
    /// The tools that wait for a confirmation.
    pub confirm: &'n BTreeSet<String>,
    /// The member of the team that bounds it.
    pub member: Option<&'n str>,
    /// Whether commands run only in a complete sandbox.
    pub require_sandbox: bool,
}

/// A created agent, which can be removed again.
#[derive(Debug)]
pub struct CreatedAgent {
    root: Root,
    folder: WorkspacePath,
    /// The folders around it that were created too, outermost first.
    parents: Vec<WorkspacePath>,
}

/// Creates the folder of an agent in the fleet of a workspace, in one step. An existing one is never changed.
///
/// # Errors
///
/// Fails if the agent exists, or its files cannot be written; nothing of it is left then.
pub fn create_agent(workspace: &Path, agent: &NewAgent<'_>) -> Result<CreatedAgent, OperationError> {
    let root = Root::open(workspace, MountId::WORKSPACE)?;
    let path = |text: String| {
        WorkspacePath::parse(&text)
            .map_err(|error| OperationError::UnusableFleet { reason: error.to_string() })
    };
    let folder = path(format!("{FOLDER}/agents/{}", agent.name))?;
    let mut suffix = String::new();
    let random =
        random::<8>().map_err(|error| OperationError::UnusableFleet { reason: error.to_string() })?;
    for byte in random {
        // Writing to a string cannot fail.
        let _ = write!(suffix, "{byte:02x}");
    }
    let staging = path(format!("{FOLDER}/.new-{}-{suffix}", agent.name))?;
    let mut created = CreatedAgent { root, folder, parents: Vec::new() };
    for parent in [FOLDER.to_owned(), format!("{FOLDER}/agents")] {
        let parent = path(parent)?;
        match created.root.no_follow().make_directory(&parent) {
            Ok(()) => created.parents.push(parent),
            Err(error) if error.kind() == FileErrorKind::AlreadyExists => {}
            Err(error) => {
                created.remove_parents();
                return Err(error.into());
            }
        }
    }
    let written = write(&created.root.no_follow(), &staging, agent)
        .and_then(|()| created.root.no_follow().rename(&staging, &created.folder));
    match written {
        Ok(()) => Ok(created),
        Err(error) => {
            // What cannot be removed has a name that no agent has.
            let _ = remove_tree(&created.root.no_follow(), &staging);
            created.remove_parents();
            if error.kind() == FileErrorKind::AlreadyExists {
                let reason = format!("the agent `{}` exists already; choose another name", agent.name);
                return Err(OperationError::UnusableFleet { reason });
            }
            Err(error.into())
        }
    }
}

fn write(view: &View<'_>, folder: &WorkspacePath, agent: &NewAgent<'_>) -> Result<(), FileError> {
    view.make_directory(folder)?;
    let file = |name: &str, text: &str| match folder.join(name) {
        Ok(path) => view.create(&path, text.as_bytes(), FileMode::Regular),
        // The names are valid.
        Err(_) => Ok(()),
    };
    file("system_base.md", agent.system_prompt)?;
    file("agent.yaml", &text(agent))
}

/// Returns the file of an agent. JSON is YAML too, so that no string needs another form.
fn text(agent: &NewAgent<'_>) -> String {
    let NewAgent { name, model, cwd, tools, denied, confirm, member, require_sandbox, .. } = agent;
    let lists = if denied.is_empty() {
        json!({ "allow": tools, "confirm": confirm })
    } else {
        json!({ "allow": tools, "confirm": confirm, "deny": denied })
    };
    let mut text = format!(
        "name: {}\nmodel: {}\nprompt: {{base: system_base.md}}\ncwd: {}\ntools: {}\n",
        json!(name),
        json!(model),
        json!(cwd),
        lists,
    );
    if let Some(member) = member {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "member: {}", json!(member));
    }
    if *require_sandbox {
        text.push_str("exec: {require_sandbox: true}\n");
    }
    text
}

fn remove_tree(view: &View<'_>, folder: &WorkspacePath) -> Result<(), FileError> {
    let place = view.entry(folder)?;
    let listing = place.walk(MAX_ENTRIES)?;
    place.remove_tree(&listing)
}

impl CreatedAgent {
    /// Removes the agent with everything in its folder.
    ///
    /// # Errors
    ///
    /// Fails if it cannot be removed.
    pub fn remove(self) -> Result<(), OperationError> {
        remove_tree(&self.root.no_follow(), &self.folder)?;
        self.remove_parents();
        Ok(())
    }

    fn remove_parents(&self) {
        for parent in self.parents.iter().rev() {
            // One that is not empty any more has files of other programs.
            let _ = self.root.no_follow().remove_directory(parent);
        }
    }
}
