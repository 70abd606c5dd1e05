//! Where files are rendered.

use std::path::{Path, PathBuf};

use minds_compose::{COMPOSE_FILE, ROOTS};
use minds_fs::{Root, find_upwards, real_directory};
use minds_process::{SystemError, current_directory};
use minds_render::PlanRefusal;
use minds_render::clients::CLIENTS_FILE;
use minds_vfs::{ChangeSet, Location, MountId, WorkspacePath};

use crate::locate::{self, holds_compose_file, relative};
use crate::{FileSelection, OperationError, compose_root, ensure_trusted, services};

/// The markers of a workspace for client files.
const CLIENT_MARKERS: [&str; 3] = [".minds", ".team/team-compose.yaml", CLIENTS_FILE];

/// Where files are rendered.
pub(crate) struct RenderingPlace {
    /// The workspace, which contains the client files: an absolute path without symbolic links.
    pub(crate) workspace: PathBuf,
    /// The path for messages.
    pub(crate) shown: String,
    /// The compose root, if there is one: in the workspace, the workspace itself, or the target of a link in
    /// it.
    pub(crate) compose: Option<FileSelection>,
    /// Whether a fleet is rendered.
    pub(crate) is_fleet: bool,
    /// The directory in which files for agents are rendered, with its path for messages: the compose root, or
    /// the `.ateam` directory of a fleet.
    pub(crate) folder: Option<(PathBuf, String)>,
}

impl RenderingPlace {
    /// Finds the place for a render request: with `wants_agents`, a compose root or else a fleet; otherwise a
    /// workspace.
    ///
    /// # Errors
    ///
    /// Fails if the given directory does not exist or is not suitable, or if nothing is found.
    pub(crate) fn for_request(
        base: &Path,
        root: Option<&Path>,
        wants_agents: bool,
    ) -> Result<Self, OperationError> {
        if !wants_agents {
            return Self::find_workspace(base, root);
        }
        match services::find_fleet(base, root)? {
            Some(workspace) => Self::of_fleet(&workspace),
            None => Self::of_compose(base, root),
        }
    }

    /// Finds the place to clean: with `root`, as [`find_workspace`](Self::find_workspace); else the compose
    /// root or fleet that would be rendered, else the workspace. A compose root from the environment must
    /// exist.
    ///
    /// # Errors
    ///
    /// Fails if the given directory does not exist or is not suitable, or if nothing is found.
    pub(crate) fn for_cleaning(base: &Path, root: Option<&Path>) -> Result<Self, OperationError> {
        match services::find_fleet(base, root)? {
            Some(workspace) => Self::of_fleet(&workspace),
            None if root.is_some() => Self::find_workspace(base, root),
            None => match Self::of_compose(base, None) {
                Err(OperationError::NoCompose { .. })
                    if compose_root::from_environment_variable()?.is_none() =>
                {
                    Self::find_workspace(base, None)
                }
                found => found,
            },
        }
    }

    fn of_fleet(workspace: &Path) -> Result<Self, OperationError> {
        let workspace = real_directory(workspace)?;
        ensure_trusted(&workspace)?;
        let folder = services::folder_of(&workspace)?;
        let shown = relative(&real_directory(&current_directory()?)?, &workspace);
        Ok(Self { workspace, shown, compose: None, is_fleet: true, folder: Some(folder) })
    }

    fn of(workspace: PathBuf, shown: String, compose: Option<FileSelection>) -> Self {
        let folder =
            compose.as_ref().and_then(|located| Some((located.directory.clone()?, located.root.clone())));
        Self { workspace, shown, compose, is_fleet: false, folder }
    }

    /// Finds the compose root and its workspace: the directory that contains it as `.team`, else the nearest
    /// workspace at or above it, else the compose root itself.
    ///
    /// # Errors
    ///
    /// Fails if [`compose_root::locate`] fails.
    pub(crate) fn of_compose(base: &Path, root: Option<&Path>) -> Result<Self, OperationError> {
        let located = compose_root::locate(base, root)?;
        let directory = located.directory.clone().unwrap_or_default();
        let workspace = compose_root::workspace_of(&directory)?;
        ensure_trusted(&workspace)?;
        let shown = relative(&real_directory(&current_directory()?)?, &workspace);
        Ok(Self::of(workspace, shown, Some(located)))
    }

    /// Finds the place if no compose root is needed: the directory `root`, which is a compose root or a
    /// workspace, else the compose root from the environment if there is no other workspace, else the nearest
    /// workspace at or above `base`, within its repository. The compose root is the given one, else the one
    /// in the workspace.
    ///
    /// # Errors
    ///
    /// Fails if the given directory does not exist or is not suitable, or if nothing is found.
    pub(crate) fn find_workspace(base: &Path, root: Option<&Path>) -> Result<Self, OperationError> {
        let directory = locate::directory(&current_directory()?, base)?;
        let workspace = match root {
            None if compose_root::root_of_environment(base)?.is_some() => {
                return Self::of_compose(base, None);
            }
            None => nearest_workspace(&directory)?,
            Some(named) => {
                let refused = |what: &str| {
                    let place = format!("`{}` from `--root` {what}", named.display());
                    Err(OperationError::NoServers { place, is_named: true })
                };
                match find_upwards(&directory, named, &[]) {
                    Err(SystemError::NotFound { .. }) => return refused("does not exist"),
                    Ok(found) if found.file.is_some() => return refused("is not a directory"),
                    Ok(_) => {}
                    Err(error) => return Err(error.into()),
                }
                let found = real_directory(&directory.join(named))?;
                if holds_compose_file(&found)? {
                    return Self::of_compose(base, Some(named));
                }
                if find_upwards(&found, Path::new("."), &CLIENT_MARKERS)?.root.as_ref() != Some(&found) {
                    return refused(&format!("contains neither `.minds/` nor `{COMPOSE_FILE}`"));
                }
                found
            }
        };
        ensure_trusted(&workspace)?;
        let [inside, _] = ROOTS;
        let in_workspace = workspace.join(inside);
        // A `.team` without this file is not a compose root and is ignored.
        let has_compose_root =
            find_upwards(&workspace, Path::new("."), &[".team/team-compose.yaml"])?.root.as_ref()
                == Some(&workspace);
        let compose =
            has_compose_root.then(|| compose_root::locate(base, Some(&in_workspace))).transpose()?;
        let shown = relative(&real_directory(&current_directory()?)?, &workspace);
        Ok(Self::of(workspace, shown, compose))
    }

    /// Returns the path of the files for agents in the workspace; `None` if they are outside.
    fn agents_path(&self) -> Option<WorkspacePath> {
        let (folder, _) = self.folder.as_ref()?;
        let below = folder.strip_prefix(&self.workspace).ok()?.to_str()?;
        if below.is_empty() { Some(WorkspacePath::root()) } else { WorkspacePath::parse(below).ok() }
    }

    /// Combines changes of the workspace and of the files for agents into one change set of the workspace.
    ///
    /// # Errors
    ///
    /// Fails if a file for agents is outside the workspace.
    pub(crate) fn merge_changes(
        &self,
        mut workspace: ChangeSet,
        agents: &ChangeSet,
    ) -> Result<ChangeSet, PlanRefusal> {
        let below = self.agents_path();
        for (Location { mount, path }, change) in agents.iter() {
            let refused = |reason: String| PlanRefusal::Obstacle { path: path.clone(), reason };
            let Some(below) = &below else {
                return Err(refused("the compose root is not inside the workspace".to_owned()));
            };
            let inside = below.join(path.as_str()).map_err(|error| refused(error.to_string()))?;
            workspace
                .add(Location::new(mount.clone(), inside), change.clone())
                .map_err(|error| refused(error.to_string()))?;
        }
        Ok(workspace)
    }

    /// Opens the workspace without following symbolic links.
    pub(crate) fn open(&self) -> Result<Root, OperationError> {
        Ok(Root::open(&self.workspace, MountId::WORKSPACE)?.without_links())
    }

    /// Completes or rolls back an interrupted run, with or without client files.
    pub(crate) fn settle(&self) -> Result<(), OperationError> {
        let folder = self.folder.as_ref().map(|(folder, _)| folder);
        for directory in folder.into_iter().filter(|directory| **directory != self.workspace) {
            Root::open(directory, MountId::WORKSPACE)?.without_links().recover_interrupted()?;
        }
        Ok(self.open()?.recover_interrupted()?)
    }
}

fn nearest_workspace(directory: &Path) -> Result<PathBuf, OperationError> {
    let found = find_upwards(directory, Path::new("."), &CLIENT_MARKERS)?;
    if let Some(root) = found.root {
        return Ok(real_directory(&root)?);
    }
    let shown = relative(&current_directory()?, &found.start);
    let place = format!(
        "there is no `.minds/` and no `.team/{COMPOSE_FILE}` at or above `{shown}`; `minds init` creates a team"
    );
    Err(OperationError::NoServers { place, is_named: false })
}
