//! Checking the owners of configuration files.

use std::path::Path;

use minds_fleet::{AGENTS_FOLDER, FOLDER, MODELS_FILE, PROJECT_FILE, TOOLS_FILE};
use minds_render::clients::CLIENTS_FILE;
use minds_trust::{UntrustedDirectory, find_untrusted_directory};

use crate::OperationError;

/// The paths of a workspace or compose root that decide what agents may do and what is started. Parents
/// precede their entries.
const CONFIGURATION: [&str; 17] = [
    ".minds",
    minds_core::TEAM_FILE,
    minds_core::LLM_FILE,
    minds_core::MCP_FILE,
    minds_core::SETTINGS_FILE,
    ".minds/team",
    ".team",
    ".team/team-compose.yaml",
    ".team/projects",
    minds_compose::COMPOSE_FILE,
    FOLDER,
    PROJECT_FILE,
    MODELS_FILE,
    TOOLS_FILE,
    AGENTS_FOLDER,
    minds_sources::MANIFEST_FILE,
    CLIENTS_FILE,
];

/// Returns an error unless a workspace or compose root belongs to the caller or to root and other users
/// cannot write to it, or the caller trusts it: see [`find_untrusted_directory`].
///
/// # Errors
///
/// Fails if it is not trusted, or cannot be read.
pub fn ensure_trusted(directory: &Path) -> Result<(), OperationError> {
    match find_untrusted_directory(directory, &CONFIGURATION)? {
        Some(found) => Err(OperationError::Untrusted(Box::new(found))),
        None => Ok(()),
    }
}

/// Does the same for a workspace that consists only of task packages.
pub(crate) fn ensure_trusted_tasks(directory: &Path) -> Result<(), OperationError> {
    match find_untrusted_directory(directory, &["tasks"])? {
        Some(found) => Err(OperationError::Untrusted(Box::new(found))),
        None => Ok(()),
    }
}

/// Does the same for a repository with files of clients only.
pub(crate) fn ensure_trusted_clients(directory: &Path) -> Result<(), OperationError> {
    match find_untrusted_directory(directory, minds_clients::MARKERS)? {
        Some(found) => Err(OperationError::Untrusted(Box::new(found))),
        None => Ok(()),
    }
}

/// Does the same for a compose root, and for the directory that contains it as `.team`.
pub(crate) fn ensure_trusted_compose_root(directory: &Path) -> Result<(), OperationError> {
    let [inside, _] = minds_compose::ROOTS;
    if let Some(parent) =
        directory.parent().filter(|_| directory.file_name().is_some_and(|name| name == inside))
    {
        ensure_trusted(parent)?;
    }
    ensure_trusted(directory)
}

/// Returns why the fleet layer in a directory is not used; `None` if it is trusted.
pub(crate) fn find_untrusted_layer(directory: &Path) -> Result<Option<UntrustedDirectory>, OperationError> {
    let names = [FOLDER, PROJECT_FILE, MODELS_FILE, TOOLS_FILE, AGENTS_FOLDER];
    Ok(find_untrusted_directory(directory, &names)?)
}
