//! Which compose root is meant.

use std::path::{Path, PathBuf};

use minds_compose::{COMPOSE_FILE, ComposeFamily, ROOTS};
use minds_diagnostics::Diagnostic;
use minds_document::SnapshotEntry;
use minds_paths::MountId;
use minds_system::{Root, SystemError, current_directory, find_upwards, real_directory, variable};
use minds_workspace::MARKERS;

use crate::locate::{self, holds_compose_file, relative};
use crate::{Located, OperationError, named, trust};

/// The variable that names the compose root where no argument does.
pub const ROOT_VARIABLE: &str = "TEAMCTL_ROOT";

/// Returns the compose root that the environment names for `base`, if there is no other workspace at or above it: one of
/// another family is what somebody works in.
///
/// # Errors
///
/// Fails if the environment is followed and its value is not UTF-8.
pub fn root_of_environment(base: &Path) -> Result<Option<PathBuf>, OperationError> {
    let named = named_by_environment();
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

/// Returns the compose root that the environment names, whether it is one or not.
///
/// # Errors
///
/// Fails if the value is not UTF-8: what is meant cannot be written into files, and nothing else is taken instead.
pub(crate) fn named_by_environment() -> Result<Option<PathBuf>, OperationError> {
    Ok(variable(ROOT_VARIABLE)?.filter(|root| !root.is_empty()).map(PathBuf::from))
}

/// Finds the compose root: the directory `root`, else the one that the environment names, else the nearest `.team` at or
/// above `base`, within its repository. Paths are relative to `base`.
///
/// The directory is the real one: it has the same name on whichever way it was found.
///
/// # Errors
///
/// Fails if what was named does not exist or is no compose root, none is found, or it is not trusted.
pub(crate) fn located(base: &Path, root: Option<&Path>) -> Result<Located, OperationError> {
    let current = current_directory()?;
    let directory = locate::directory(&current, base)?;
    // What an argument names is taken whatever the environment says.
    let from_environment = match root {
        Some(_) => named_by_environment().ok().flatten(),
        None => named_by_environment()?,
    };
    let (named, by) = match (root, &from_environment) {
        // Some callers ask the environment themselves.
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
                return no_compose(format!("`{shown}`, named by {by}, does not exist"));
            }
            Ok(found) if found.file.is_some() => {
                return no_compose(format!("`{shown}`, named by {by}, is not a directory"));
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
            return no_compose(format!("`{shown}`, named by {by}, holds no `{COMPOSE_FILE}`{hint}"));
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
                "; `--root .` takes the one that is here"
            } else {
                "; `minds init --compose` writes a first one"
            };
            let place = format!("there is no `{marker}` at or above `{shown}`{hint}");
            return Err(OperationError::NoCompose { place, is_named: is_here });
        };
        above.join(inside)
    };
    let directory = real_directory(&found)?;
    trust::ensure_trusted_compose_root(&directory)?;
    let root = relative(&real_directory(&current)?, &directory);
    Ok(Located {
        root,
        directory: Some(directory),
        only: Vec::new(),
        packages: Vec::new(),
        everywhere: false,
        below: None,
        is_compose_root: true,
        allows_outside: false,
    })
}

/// Returns the workspace of the compose root `directory`, a real path: the directory that holds it as `.team`, else the
/// nearest workspace at or above it, else the compose root itself.
pub(crate) fn workspace_of(directory: &Path) -> Result<PathBuf, OperationError> {
    let [inside, _] = ROOTS;
    Ok(match directory.parent() {
        Some(parent) if directory.file_name().is_some_and(|name| name == inside) => parent.to_owned(),
        _ => find_upwards(directory, Path::new("."), MARKERS)?.root.unwrap_or_else(|| directory.to_owned()),
    })
}

/// A compose root that was read and checked.
pub(crate) struct CheckedRoot {
    /// Where it lies: an absolute path without links.
    pub(crate) directory: PathBuf,
    /// The same, for people.
    pub(crate) shown: String,
    /// The files that were looked at.
    pub(crate) files: Vec<String>,
    /// What was read.
    pub(crate) family: ComposeFamily,
    /// What was found.
    pub(crate) found: Vec<Diagnostic>,
}

/// Reads and checks the compose root that is meant; see [`located`].
pub(crate) fn read(
    base: &Path,
    root: Option<&Path>,
    allows_outside: bool,
) -> Result<CheckedRoot, OperationError> {
    read_located(Located { allows_outside, ..located(base, root)? })
}

/// Does the same for one that was found.
pub(crate) fn read_located(located: Located) -> Result<CheckedRoot, OperationError> {
    let directory = located.directory.clone().unwrap_or_default();
    let root = Root::open(&directory, MountId::WORKSPACE)?;
    let mut snapshot = root.snapshot(&minds_workspace::compose_scope());
    let reader = named::read(&located, &mut snapshot, None)?;
    let (family, found) = minds_workspace::check_compose(reader.finish());
    let is_read = |entry: &SnapshotEntry| {
        !matches!(entry, SnapshotEntry::Outside { .. } | SnapshotEntry::Untrusted { .. })
    };
    let files = snapshot.iter().filter(|(_, entry)| is_read(entry));
    let files = files.map(|(location, _)| minds_compose::name_of(location, &family.root)).collect();
    Ok(CheckedRoot { directory, shown: located.root, files, family, found })
}
