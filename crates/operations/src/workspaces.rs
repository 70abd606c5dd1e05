//! Finding all workspaces that a check covers, and joining their results.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use minds_diagnostics::Diagnostic;
use minds_fs::{Kind, Notice, Root, find_upwards};
use minds_process::current_directory;
use minds_task_store::package_of;
use minds_trust::UntrustedDirectory;
use minds_vfs::portable::is_encapsulated;
use minds_vfs::{MountId, WorkspacePath};
use minds_workspace::MARKERS;

use crate::locate::{self, LocatedPath, Owner, WorkspaceKind, relative};
use crate::{CheckOutcome, FileSelection, OperationError};

/// The maximum number of entries that are examined to find the workspaces below a directory.
pub(crate) const MAX_ENTRIES: usize = 1_000_000;

/// All workspaces that paths select.
pub(crate) struct Workspaces {
    /// The directory to which the paths are relative, as an absolute path.
    base: PathBuf,
    /// The same directory, relative to the current one.
    root: String,
    pub(crate) selected: Vec<SelectedWorkspace>,
    /// Whether files are named relative to the base: there are several workspaces, or one in a directory that was searched.
    is_joined: bool,
}

/// A workspace, and the files that are selected in it.
pub(crate) enum SelectedWorkspace {
    /// One that is read.
    Trusted(FileSelection),
    /// One that is not read, because other users control it.
    Untrusted(Box<UntrustedDirectory>),
}

impl Workspaces {
    /// Returns one workspace that was found in another way.
    pub(crate) fn of_one(located: FileSelection) -> Self {
        let selected = vec![SelectedWorkspace::Trusted(located)];
        Self { base: PathBuf::new(), root: String::new(), selected, is_joined: false }
    }

    /// Returns an error if one of them is not trusted.
    pub(crate) fn ensure_trusted(&self) -> Result<(), OperationError> {
        self.selected.iter().try_for_each(|selected| match selected {
            SelectedWorkspace::Trusted(_) => Ok(()),
            SelectedWorkspace::Untrusted(found) => Err(OperationError::Untrusted(found.clone())),
        })
    }

    /// Returns those that are read.
    pub(crate) fn iter_trusted(&self) -> impl Iterator<Item = &FileSelection> {
        self.selected.iter().filter_map(|selected| match selected {
            SelectedWorkspace::Trusted(located) => Some(located),
            SelectedWorkspace::Untrusted(_) => None,
        })
    }

    /// Finds the workspaces to which `paths` belong, as [`locate`](crate::locate()) does, and all workspaces in the
    /// directories among them that ignore files do not exclude. Those in other repositories are left out.
    ///
    /// # Errors
    ///
    /// Fails if a path does not exist, or if a directory has too many entries.
    pub(crate) fn find(base: &Path, paths: &[PathBuf]) -> Result<Self, OperationError> {
        let current = current_directory()?;
        let base = locate::directory(&current, base)?;
        let mut groups: Vec<Vec<LocatedPath>> = Vec::new();
        let mut inner = Vec::new();
        for path in locate::locate_paths(&base, paths, Owner::TeamOrClients) {
            let path = path?;
            let below = if has_inner(&path)? { workspaces_below(&path.found.start)? } else { Vec::new() };
            // A directory that belongs to no workspace stands for those in it.
            if below.is_empty() || path.found.root.is_some() {
                add(&mut groups, path);
            }
            inner.extend(below);
        }
        let is_inner = !inner.is_empty();
        for directory in inner {
            add(&mut groups, LocatedPath::find(&directory, Path::new("."), false, Owner::Team)?);
        }
        let select = |group: Vec<LocatedPath>| match group.first().map_or(Ok(()), LocatedPath::ensure_trusted)
        {
            Ok(()) => {
                let selection = locate::select(&current, &group);
                minds_fs::notify(&Notice::Workspace {
                    directory: selection.directory.as_ref().map(|_| selection.root.as_str()),
                    start: &relative(&current, &base),
                });
                Ok(SelectedWorkspace::Trusted(selection))
            }
            Err(OperationError::Untrusted(found)) => Ok(SelectedWorkspace::Untrusted(found)),
            Err(error) => Err(error),
        };
        let selected = groups.into_iter().map(select).collect::<Result<Vec<_>, _>>()?;
        let is_joined = is_inner || selected.len() > 1;
        Ok(Self { root: relative(&current, &base), base, selected, is_joined })
    }

    /// Returns the directory of a workspace relative to that of the paths; empty if it is the same, or if files are named
    /// relative to their workspace.
    pub(crate) fn prefix(&self, directory: Option<&Path>) -> String {
        let Some(directory) = directory.filter(|_| self.is_joined) else { return String::new() };
        let prefix = relative(&self.base, directory);
        if prefix == "." { String::new() } else { prefix }
    }

    /// Joins the results of workspaces, each with its prefix.
    pub(crate) fn join(&self, outcomes: Vec<(String, CheckOutcome)>) -> CheckOutcome {
        let mut outcomes = outcomes;
        if !self.is_joined
            && let Some((_, outcome)) = outcomes.pop()
        {
            return outcome;
        }
        let mut joined = CheckOutcome::default();
        joined.report.root.clone_from(&self.root);
        let mut reasons = Vec::new();
        for (prefix, CheckOutcome { mut report, nothing, strict, .. }) in outcomes {
            report.rename_files(|name| with_prefix(&prefix, name));
            // Warnings are errors only in the workspaces that say so.
            joined.strict |= strict && report.summary().warnings > 0;
            joined.report.files.append(&mut report.files);
            joined.report.diagnostics.append(&mut report.diagnostics);
            joined.report.allowed += report.allowed;
            reasons.extend(nothing);
        }
        joined.report.files.sort();
        joined.report.files.dedup();
        remove_repeated(&mut joined.report.diagnostics);
        joined.nothing = (!reasons.is_empty()).then(|| reasons.join("\n"));
        joined
    }
}

/// Removes findings that another workspace has reported: one above may read files of one below it.
fn remove_repeated(findings: &mut Vec<Diagnostic>) {
    let mut known = BTreeSet::new();
    findings.retain(|found| {
        let Some(label) = &found.primary else { return true };
        let place = (label.source.name().to_owned(), label.span.start(), label.span.end());
        known.insert((found.rule.code, place, found.message.clone()))
    });
}

/// Adds a path to the group of its workspace.
fn add(groups: &mut Vec<Vec<LocatedPath>>, path: LocatedPath) {
    let known = groups.iter_mut().find(|group| group.iter().any(|one| one.is_in_workspace_of(&path)));
    match known {
        Some(group) => group.push(path),
        None => groups.push(vec![path]),
    }
}

/// Returns whether a path may contain workspaces: a directory of a workspace or repository. Anywhere else, such as in a
/// home directory, a search could take very long.
fn has_inner(path: &LocatedPath) -> Result<bool, OperationError> {
    let LocatedPath { found, kind, .. } = path;
    if found.file.is_some() || *kind == WorkspaceKind::ComposeRoot {
        return Ok(false);
    }
    let Some(root) = found.root.as_ref().filter(|_| *kind != WorkspaceKind::Clients) else {
        return Ok(find_upwards(&found.start, Path::new("."), &[".git"])?.root.is_some());
    };
    Ok(package_of(&relative(root, &found.start)).is_none())
}

/// Returns the workspaces in a directory, except the directory itself.
fn workspaces_below(directory: &Path) -> Result<Vec<PathBuf>, OperationError> {
    let root = Root::open(directory, MountId::WORKSPACE)?;
    let view = root.no_follow();
    let mut found: Vec<WorkspacePath> = Vec::new();
    let walked = root.walk_tree(MAX_ENTRIES, |visited| {
        let entry = visited.entry;
        let (Some(name), Some(parent)) = (entry.real.file_name(), entry.real.parent()) else { return false };
        for marker in MARKERS {
            let (first, rest) = marker.split_once('/').unwrap_or((marker, ""));
            if name != first {
                continue;
            }
            if visited.is_ignored() {
                return false;
            }
            let exists =
                rest.is_empty() || entry.real.join(rest).is_ok_and(|file| view.metadata(&file).is_ok());
            if exists && !parent.is_root() && found.last() != Some(&parent) && !found.contains(&parent) {
                found.push(parent.clone());
            }
            return false;
        }
        entry.kind == Kind::Directory && !is_encapsulated(name) && !visited.is_ignored()
    });
    if walked.is_err() {
        return Err(OperationError::TooManyEntries {
            path: directory.display().to_string(),
            limit: MAX_ENTRIES,
        });
    }
    let is_repository = |path: &WorkspacePath| path.join(".git").is_ok_and(|git| view.metadata(&git).is_ok());
    let is_other = |path: &WorkspacePath| {
        let above = std::iter::successors(Some(path.clone()), WorkspacePath::parent);
        above.take_while(|path| !path.is_root()).any(|path| is_repository(&path))
    };
    found.retain(|path| !is_other(path));
    Ok(found.iter().map(|path| directory.join(path.as_str())).collect())
}

/// Returns the name of a file of a workspace relative to the directory above it.
pub(crate) fn with_prefix(prefix: &str, name: &str) -> String {
    // Files of other mounts, such as `home:`, are in no directory of the workspace.
    let is_in_mount = name.split_once(':').is_some_and(|(mount, _)| !mount.contains('/'));
    let (mut prefix, mut name) = (prefix, name);
    while let (Some(rest), false) = (name.strip_prefix("../"), prefix.is_empty() || prefix.ends_with("..")) {
        (prefix, name) = (prefix.rsplit_once('/').map_or("", |(above, _)| above), rest);
    }
    if prefix.is_empty() || is_in_mount { name.to_owned() } else { format!("{prefix}/{name}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_named_relative_to_the_common_directory() {
        let check =
            |prefix, name, expected| assert_eq!(with_prefix(prefix, name), expected, "{prefix} {name}");
        check("", "a.yaml", "a.yaml");
        check("apps/a", ".minds/team.yaml", "apps/a/.minds/team.yaml");
        check("apps/a", "../shared.md", "apps/shared.md");
        check("a", "../../x.md", "../x.md");
        check("../b", "../x.md", "../x.md");
        check("..", "../x.md", "../../x.md");
        check("apps/a", "home:.ateam/models.yaml", "home:.ateam/models.yaml");
    }
}
