//! Where rendered files lie.

use std::path::{Path, PathBuf};

use minds_compose::{COMPOSE_FILE, ROOTS};
use minds_document::ChangeSet;
use minds_paths::{Location, MountId, WorkspacePath};
use minds_render::Refused;
use minds_render::clients::CLIENTS_FILE;
use minds_system::{Root, SystemError, current_directory, find_upwards, real_directory};

use crate::locate::{self, holds_compose_file, relative};
use crate::{Located, OperationError, compose_root, ensure_trusted, services};

/// What makes a directory a workspace for the files of clients.
const CLIENT_MARKERS: [&str; 3] = [".minds", ".team/team-compose.yaml", CLIENTS_FILE];

/// Where files are rendered.
pub(crate) struct RenderingPlace {
    /// The workspace, in which the files of clients lie: an absolute path without links.
    pub(crate) workspace: PathBuf,
    /// The same, for people.
    pub(crate) shown: String,
    /// The compose root, at or below the workspace or where a link in it leads; none if there is none.
    pub(crate) compose: Option<Located>,
    /// Whether the agents are those of a fleet.
    pub(crate) is_fleet: bool,
    /// The directory below which files for agents are rendered, and the same for people: the compose root, or the `.ateam`
    /// directory of a fleet; none if there is neither.
    pub(crate) folder: Option<(PathBuf, String)>,
}

impl RenderingPlace {
    /// Finds what is meant where agents are wanted, a fleet where there is no compose root, or where they are not.
    ///
    /// # Errors
    ///
    /// Fails if what was named does not exist or is neither, or nothing is found.
    pub(crate) fn meant(
        base: &Path,
        root: Option<&Path>,
        wants_agents: bool,
    ) -> Result<Self, OperationError> {
        if !wants_agents {
            return Self::find(base, root);
        }
        match services::fleet_at(base, root)? {
            Some(workspace) => Self::of_fleet(&workspace),
            None => Self::of_compose(base, root),
        }
    }

    /// Finds what is to be cleaned: what was named as for [`find`](Self::find), else what would be rendered, and where that
    /// is nothing the workspace alone. What the environment names must be there, and nothing else is taken instead.
    ///
    /// # Errors
    ///
    /// Fails if what was named does not exist or is neither, or nothing is found.
    pub(crate) fn to_clean(base: &Path, root: Option<&Path>) -> Result<Self, OperationError> {
        match services::fleet_at(base, root)? {
            Some(workspace) => Self::of_fleet(&workspace),
            None if root.is_some() => Self::find(base, root),
            None => match Self::of_compose(base, None) {
                Err(OperationError::NoCompose { .. }) if compose_root::named_by_environment()?.is_none() => {
                    Self::find(base, None)
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

    fn of(workspace: PathBuf, shown: String, compose: Option<Located>) -> Self {
        let folder =
            compose.as_ref().and_then(|located| Some((located.directory.clone()?, located.root.clone())));
        Self { workspace, shown, compose, is_fleet: false, folder }
    }

    /// Finds the compose root that is meant, and the workspace around it: the directory that holds it as `.team`, else the
    /// nearest workspace at or above it, else the compose root itself.
    ///
    /// # Errors
    ///
    /// Fails where [`compose_root::located`] fails.
    pub(crate) fn of_compose(base: &Path, root: Option<&Path>) -> Result<Self, OperationError> {
        let located = compose_root::located(base, root)?;
        let directory = located.directory.clone().unwrap_or_default();
        let workspace = compose_root::workspace_of(&directory)?;
        ensure_trusted(&workspace)?;
        let shown = relative(&real_directory(&current_directory()?)?, &workspace);
        Ok(Self::of(workspace, shown, Some(located)))
    }

    /// Finds what is meant where no compose root is needed: the directory `root`, which is one or a workspace, else the
    /// compose root that the environment names where there is no other workspace, else the nearest workspace at or above
    /// `base`, within its repository. The compose root is the one that was named, else the one in the workspace.
    ///
    /// # Errors
    ///
    /// Fails if what was named does not exist or is neither, or nothing is found.
    pub(crate) fn find(base: &Path, root: Option<&Path>) -> Result<Self, OperationError> {
        let directory = locate::directory(&current_directory()?, base)?;
        let workspace = match root {
            None if compose_root::root_of_environment(base)?.is_some() => {
                return Self::of_compose(base, None);
            }
            None => nearest_workspace(&directory)?,
            Some(named) => {
                let refused = |what: &str| {
                    let place = format!("`{}`, named by `--root`, {what}", named.display());
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
                    return refused(&format!("holds neither `.minds/` nor `{COMPOSE_FILE}`"));
                }
                found
            }
        };
        ensure_trusted(&workspace)?;
        let [inside, _] = ROOTS;
        let in_workspace = workspace.join(inside);
        // A file of this name is no compose root, and no concern of anybody here.
        let is_there = find_upwards(&workspace, Path::new("."), &[".team/team-compose.yaml"])?.root.as_ref()
            == Some(&workspace);
        let compose = is_there.then(|| compose_root::located(base, Some(&in_workspace))).transpose()?;
        let shown = relative(&real_directory(&current_directory()?)?, &workspace);
        Ok(Self::of(workspace, shown, compose))
    }

    /// Returns where files for agents lie in the workspace; nothing if no path in it says that.
    fn below(&self) -> Option<WorkspacePath> {
        let (folder, _) = self.folder.as_ref()?;
        let below = folder.strip_prefix(&self.workspace).ok()?.to_str()?;
        if below.is_empty() { Some(WorkspacePath::root()) } else { WorkspacePath::parse(below).ok() }
    }

    /// Returns changes of the workspace and of the files for agents as one set of changes of the workspace.
    ///
    /// # Errors
    ///
    /// Fails if a file for agents has no path in the workspace.
    pub(crate) fn together(
        &self,
        mut workspace: ChangeSet,
        agents: &ChangeSet,
    ) -> Result<ChangeSet, Refused> {
        let below = self.below();
        for (Location { mount, path }, change) in agents.iter() {
            let refused = |reason: String| Refused::Obstacle { path: path.clone(), reason };
            let Some(below) = &below else {
                return Err(refused("the compose root has no path in the workspace".to_owned()));
            };
            let inside = below.join(path.as_str()).map_err(|error| refused(error.to_string()))?;
            workspace
                .add(Location::new(mount.clone(), inside), change.clone())
                .map_err(|error| refused(error.to_string()))?;
        }
        Ok(workspace)
    }

    /// Opens the workspace, in which no link is followed.
    pub(crate) fn open(&self) -> Result<Root, OperationError> {
        Ok(Root::open(&self.workspace, MountId::WORKSPACE)?.without_links())
    }

    /// Finishes or takes back what a run left that died: one that rendered for clients too, or one that did not.
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
        "there is no `.minds/` and no `.team/{COMPOSE_FILE}` at or above `{shown}`; `minds init` writes a first team"
    );
    Err(OperationError::NoServers { place, is_named: false })
}
