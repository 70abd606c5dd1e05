//! Finding the compose root.

use std::path::{Path, PathBuf};

use minds_compose::{COMPOSE_FILE, ComposeFamily, ROOTS};
use minds_diagnostics::Diagnostic;
use minds_fs::{Root, find_upwards, real_directory};
use minds_process::{SystemError, current_directory, variable};
use minds_vfs::{MountId, SnapshotEntry};
use minds_workspace::MARKERS;

use crate::locate::{self, holds_compose_file, relative};
use crate::{FileSelection, OperationError, referenced_files, trust};

/// The environment variable with the compose root, used if no argument is given.
pub const ROOT_VARIABLE: &str = "TEAMCTL_ROOT";

/// Returns the compose root from the environment variable, unless `base` is in a workspace of another family,
/// which takes precedence.
///
/// # Errors
///
/// Fails if the variable is used and its value is not valid UTF-8.
pub fn root_of_environment(base: &Path) -> Result<Option<PathBuf>, OperationError> {
    let named = from_environment_variable();
    if matches!(named, Ok(None)) {
        return Ok(None);
    }
    let Ok(located) = crate::locate(base, &[]) else { return Ok(None) };
    let has_others = located.directory.is_some_and(|directory| {
        let marked = find_upwards(&directory, Path::new("."), &[".minds", ".ateam", "mind.toml"]);
        marked.is_ok_and(|found| found.root.as_ref() == Some(&found.start))
    });
    if has_others { Ok(None) } else { named }
}

/// Returns the path in the environment variable, without checking it.
///
/// # Errors
///
/// Fails if the value is not valid UTF-8: it cannot be written into files, and there is no fallback.
pub(crate) fn from_environment_variable() -> Result<Option<PathBuf>, OperationError> {
    Ok(variable(ROOT_VARIABLE)?.filter(|root| !root.is_empty()).map(PathBuf::from))
}

/// Finds the compose root: the directory `root`, else the one in the environment variable, else the nearest
/// `.team` at or above `base`, within its repository. Paths are relative to `base`.
///
/// Symbolic links in its path are resolved, so the result does not depend on how it was found.
///
/// # Errors
///
/// Fails if the given directory does not exist or is not a compose root, if none is found, or if it is not
/// trusted.
pub(crate) fn locate(base: &Path, root: Option<&Path>) -> Result<FileSelection, OperationError> {
    let current = current_directory()?;
    let directory = locate::directory(&current, base)?;
    // An argument takes precedence over the environment, even over an invalid value.
    let from_environment = match root {
        Some(_) => from_environment_variable().ok().flatten(),
        None => from_environment_variable()?,
    };
    let (named, by) = match (root, &from_environment) {
        // Some callers pass the value of the environment variable.
        (Some(root), Some(same)) if root == same => (Some(root), "the variable `TEAMCTL_ROOT`"),
        (Some(root), _) => (Some(root), "`--root`"),
        (None, Some(root)) => (Some(root.as_path()), "the variable `TEAMCTL_ROOT`"),
        (None, None) => (None, ""),
    };
    let is_named = named.is_some();
    let no_compose = |place: String| Err(OperationError::NoCompose { place, is_named });
    let found = if let Some(named) = named {
        let shown = named.display();
        match find_upwards(&directory, named, &[]) {
            Err(SystemError::NotFound { .. }) => {
                return no_compose(format!("`{shown}` from {by} does not exist"));
            }
            Ok(found) if found.file.is_some() => {
                return no_compose(format!("`{shown}` from {by} is not a directory"));
            }
            Ok(_) => {}
            Err(error) => return Err(error.into()),
        }
        let found = directory.join(named);
        if !holds_compose_file(&found)? {
            let [inside, _] = ROOTS;
            let hint = if holds_compose_file(&found.join(inside)).unwrap_or(false) {
                format!("; `{}` does", Path::new(named).join(inside).display())
            } else {
                String::new()
            };
            return no_compose(format!("`{shown}` from {by} does not contain `{COMPOSE_FILE}`{hint}"));
        }
        found
    } else {
        let [inside, _] = ROOTS;
        let marker = format!("{inside}/{COMPOSE_FILE}");
        let found = find_upwards(&directory, Path::new("."), &[&marker])?;
        let Some(above) = found.root else {
            let shown = relative(&current, &found.start);
            let is_here = holds_compose_file(&found.start)?;
            let hint = if is_here {
                "; pass `--root .` to use the one in this directory"
            } else {
                "; `minds init --compose` creates one"
            };
            let place = format!("there is no `{marker}` at or above `{shown}`{hint}");
            return Err(OperationError::NoCompose { place, is_named: is_here });
        };
        above.join(inside)
    };
    let directory = real_directory(&found)?;
    trust::ensure_trusted_compose_root(&directory)?;
    let root = relative(&real_directory(&current)?, &directory);
    Ok(FileSelection {
        root,
        directory: Some(directory),
        only: Vec::new(),
        packages: Vec::new(),
        everywhere: false,
        below: None,
        is_compose_root: true,
        is_of_clients: false,
        allows_outside: false,
    })
}

/// Returns the workspace of the compose root `directory`, a path without symbolic links: the directory that
/// contains it as `.team`, else the nearest workspace at or above it, else the compose root itself.
pub(crate) fn workspace_of(directory: &Path) -> Result<PathBuf, OperationError> {
    let [inside, _] = ROOTS;
    Ok(match directory.parent() {
        Some(parent) if directory.file_name().is_some_and(|name| name == inside) => parent.to_owned(),
        _ => find_upwards(directory, Path::new("."), MARKERS)?.root.unwrap_or_else(|| directory.to_owned()),
    })
}

/// A checked compose root.
pub(crate) struct CheckedRoot {
    /// The absolute path without symbolic links.
    pub(crate) directory: PathBuf,
    /// The path for messages.
    pub(crate) shown: String,
    /// The files that were read.
    pub(crate) files: Vec<String>,
    /// The contents.
    pub(crate) family: ComposeFamily,
    /// The findings.
    pub(crate) found: Vec<Diagnostic>,
}

/// Reads and checks the compose root; see [`locate`].
pub(crate) fn read(
    base: &Path,
    root: Option<&Path>,
    allows_outside: bool,
) -> Result<CheckedRoot, OperationError> {
    read_located(FileSelection { allows_outside, ..locate(base, root)? })
}

/// Reads and checks a located compose root.
pub(crate) fn read_located(located: FileSelection) -> Result<CheckedRoot, OperationError> {
    let directory = located.directory.clone().unwrap_or_default();
    let root = Root::open(&directory, MountId::WORKSPACE)?;
    let mut snapshot = root.snapshot(&minds_workspace::compose_scope());
    let reader = referenced_files::read(&located, &mut snapshot, None)?;
    let (family, found) = minds_workspace::check_compose(reader.finish());
    let is_read = |entry: &SnapshotEntry| {
        !matches!(entry, SnapshotEntry::Outside { .. } | SnapshotEntry::Untrusted { .. })
    };
    let files = snapshot.iter().filter(|(_, entry)| is_read(entry));
    let files = files.map(|(location, _)| minds_compose::name_of(location, &family.root)).collect();
    Ok(CheckedRoot { directory, shown: located.root, files, family, found })
}
