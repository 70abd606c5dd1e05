//! The task packages of a workspace.

use std::collections::BTreeMap;
use std::sync::Arc;

use minds_core::settings::{DEFAULT_TASK_HOME, Settings, TaskMaintainers};
use minds_core::{SETTINGS_FILE, TeamFamily};
use minds_diagnostics::{Problems, find_nearest};
use minds_fs::{ApplyError, FileErrorKind, Kind, Root};
use minds_taskdoc::package::{ATTRIBUTES, ATTRIBUTES_TEXT, HISTORY, IGNORE, IGNORE_TEXT, JOURNAL, SUFFIX};
use minds_taskdoc::{Language, Maintainers, PackageName, Section, TaskCode, TaskError};
use minds_vfs::portable::{is_encapsulated, is_same_name};
use minds_vfs::{
    Change, ChangeSet, Expected, FileMode, Location, MountId, Scope, SnapshotEntry, WorkspacePath,
};

use crate::Author;
use crate::errors::{LOCKED, task_error};
use crate::package::Package;

/// The maximum number of entries of a directory that is searched for packages.
const MAX_ENTRIES: usize = 100_000;
/// The configuration directory, which cannot contain packages.
const CONFIGURATION: &str = ".minds";

/// The task packages of a workspace, in the task directory and at the top.
#[derive(Debug)]
pub struct Tasks<'r> {
    root: &'r Root,
    home: WorkspacePath,
    maintainers: Arc<Maintainers>,
    language: Language,
}

impl<'r> Tasks<'r> {
    /// Reads the settings for task packages of a workspace.
    ///
    /// # Errors
    ///
    /// Fails if the settings cannot be read.
    pub fn open(root: &'r Root) -> Result<Self, TaskError> {
        let settings =
            WorkspacePath::parse(SETTINGS_FILE).map(|path| Location::new(MountId::WORKSPACE, path));
        let snapshot = root.snapshot(&Scope::of_files(settings));
        let family = TeamFamily::load(&snapshot).take(&mut Problems::new());
        let home = match family.readable_settings().map(Settings::task_home) {
            Some(Some(home)) => Some(home),
            None if snapshot.is_empty() => WorkspacePath::parse(DEFAULT_TASK_HOME).ok(),
            _ => None,
        };
        let home = home.ok_or_else(|| {
            let message = format!("`{SETTINGS_FILE}` could not be read, so the task directory is unknown");
            let refused_by_system = snapshot.iter().find_map(|(_, entry)| match entry {
                SnapshotEntry::Unreadable { reason } => Some(reason),
                _ => None,
            });
            let error = match refused_by_system {
                Some(reason) => TaskError::new(TaskCode::Failed, format!("{message}: {reason}")),
                None => TaskError::new(TaskCode::TaskdocInvalid, message),
            };
            error.next("run `minds check` to find the problem")
        })?;
        let maintainers = match family.readable_settings().map(Settings::task_maintainers) {
            Some(TaskMaintainers::Given(members)) => {
                Maintainers::Members(members.into_iter().map(ToOwned::to_owned).collect())
            }
            Some(TaskMaintainers::Unreadable) => Maintainers::Unreadable,
            Some(TaskMaintainers::Absent) | None => Maintainers::Everybody,
        };
        let language = family.readable_settings().and_then(Settings::language);
        let language = language.map(Language::of_tag).unwrap_or_default();
        Ok(Self { root, home, maintainers: Arc::new(maintainers), language })
    }

    /// Returns the directory for new packages.
    pub fn home(&self) -> &WorkspacePath {
        &self.home
    }

    /// Returns all packages, sorted by name.
    ///
    /// # Errors
    ///
    /// Fails if a directory cannot be read.
    pub fn list(&self) -> Result<Vec<Package<'r>>, TaskError> {
        let mut packages = Vec::new();
        for directory in self.directories() {
            let listing = match self.root.no_follow().list(&directory, MAX_ENTRIES) {
                Ok(listing) => listing,
                Err(error) if error.kind() == FileErrorKind::NotFound => continue,
                Err(error) => return Err(task_error(&error)),
            };
            let named = listing.entries.into_iter().filter(|entry| entry.kind == Kind::Directory).filter_map(
                |entry| {
                    let name = entry.real.file_name().filter(|name| name.ends_with(SUFFIX))?;
                    let name = PackageName::parse(name).ok()?;
                    Some(self.package(name, entry.real))
                },
            );
            packages.extend(named);
        }
        packages.sort_by(|a, b| (a.name(), a.path()).cmp(&(b.name(), b.path())));
        Ok(packages)
    }

    /// Returns the package with a name or path; without a name, the only package.
    ///
    /// # Errors
    ///
    /// Refuses a name that matches no package, or several.
    pub fn find(&self, name: Option<&str>) -> Result<Package<'r>, TaskError> {
        let packages = self.list()?;
        let Some(text) = name else {
            return only_package(packages, "there are several task packages", || {
                let message = format!("there is no task package in `{}`", self.home);
                TaskError::new(TaskCode::TaskdocNotFound, message).next("`minds task new NAME` creates one")
            });
        };
        if text.contains('/') {
            return self.at(text);
        }
        let name = PackageName::parse(text)?;
        let near: Vec<String> =
            find_nearest(name.as_str(), packages.iter().map(|package| package.name().as_str()), 3)
                .into_iter()
                .map(|near| format!("`{near}`"))
                .collect();
        let named = packages.into_iter().filter(|package| *package.name() == name).collect();
        only_package(named, "several task packages have this name", || {
            let error = TaskError::new(
                TaskCode::TaskdocNotFound,
                format!("there is no task package `{}`", name.as_str()),
            );
            match near.split_last() {
                Some(_) => error.next(format!("did you mean {}?", near.join(" or "))),
                None => error.next("run `minds task ls` to list the packages"),
            }
        })
    }

    /// Returns the language of task instructions for agents.
    pub fn language(&self) -> Language {
        self.language
    }

    /// Returns who may change and create packages.
    pub fn maintainers(&self) -> &Maintainers {
        &self.maintainers
    }

    /// Creates an empty package, all or nothing.
    ///
    /// # Errors
    ///
    /// Refuses a member who is not a maintainer, a name that already exists, ignoring letter case, and an invalid name.
    pub fn create(&self, name: &str, author: &Author) -> Result<Package<'r>, TaskError> {
        let name = PackageName::parse(name)?;
        self.maintainers.permit(&author.actor, name.as_str())?;
        self.create_with(name, &BTreeMap::new(), "")
    }

    /// Creates a package with contents and a journal, all or nothing.
    pub(crate) fn create_with(
        &self,
        name: PackageName,
        contents: &BTreeMap<Section, String>,
        journal: &str,
    ) -> Result<Package<'r>, TaskError> {
        for directory in self.directories() {
            let listing = match self.root.no_follow().list(&directory, MAX_ENTRIES) {
                Err(error) if error.kind() == FileErrorKind::NotFound => continue,
                listing => listing.map_err(|error| task_error(&error))?,
            };
            let is_it = |entry: &str| is_same_name(entry, &name.directory());
            if let Some(there) =
                listing.entries.iter().find(|entry| entry.real.file_name().is_some_and(is_it))
            {
                let message = format!("`{}` already exists", there.real);
                return Err(TaskError::new(TaskCode::TaskdocExists, message).next("choose another name"));
            }
        }
        let invalid =
            |error: &dyn std::fmt::Display| TaskError::new(TaskCode::TaskdocInvalid, error.to_string());
        let path = self.home.join(&name.directory()).map_err(|error| invalid(&error))?;
        let mut set = ChangeSet::new();
        let mut add = |below: &str, change: Change| {
            let path = path.join(below).map_err(|error| invalid(&error))?;
            set.add(Location::new(MountId::WORKSPACE, path), change).map_err(|error| invalid(&error))
        };
        let write = |text: &str| Change::Write {
            bytes: text.as_bytes().to_vec(),
            mode: FileMode::Regular,
            expected: Expected::Absent,
        };
        for section in [Section::GOALS, Section::CONSTRAINTS, Section::PROGRESS] {
            if !contents.contains_key(&section) {
                add(&section.path(), write(""))?;
            }
        }
        for (section, content) in contents {
            add(&section.path(), write(content))?;
        }
        add(JOURNAL, write(journal))?;
        add(ATTRIBUTES, write(ATTRIBUTES_TEXT))?;
        add(IGNORE, write(IGNORE_TEXT))?;
        add(HISTORY, Change::MakeDirectory)?;
        self.root.apply(&set).map_err(|error| match error {
            ApplyError::Locked { .. } => TaskError::new(TaskCode::Locked, error.to_string()).next(LOCKED),
            error => TaskError::new(TaskCode::Failed, error.to_string()),
        })?;
        Ok(self.package(name, path))
    }

    fn package(&self, name: PackageName, path: WorkspacePath) -> Package<'r> {
        Package::new(self.root, name, path, Arc::clone(&self.maintainers))
    }

    /// Returns the directories that are searched for packages, without duplicates.
    fn directories(&self) -> Vec<WorkspacePath> {
        let top = WorkspacePath::root();
        if self.home == top { vec![top] } else { vec![self.home.clone(), top] }
    }

    /// Returns the package at a path.
    fn at(&self, text: &str) -> Result<Package<'r>, TaskError> {
        let refused = |reason: &str| {
            let message = format!("`{}` is not a task package: {reason}", text.escape_debug());
            TaskError::new(TaskCode::TaskdocInvalid, message)
                .next("give its name, or its path in the workspace")
        };
        let path = WorkspacePath::normalize(text).map_err(|error| refused(&error.kind().to_string()))?;
        let name = PackageName::parse(path.file_name().unwrap_or_default())?;
        if path.file_name() != Some(name.directory().as_str()) {
            return Err(refused("it does not end with `.tsk`"));
        }
        let above = path.parent().unwrap_or_default();
        if above.segments().any(is_encapsulated)
            || above.segments().next().is_some_and(|first| is_same_name(first, CONFIGURATION))
        {
            return Err(refused("packages cannot be inside other packages or `.minds`"));
        }
        match self.root.no_follow().metadata(&path) {
            Ok(found) if found.kind == Kind::Directory => Ok(self.package(name, path)),
            Ok(_) => Err(refused("it is not a directory")),
            Err(error) if error.kind() == FileErrorKind::NotFound => {
                let message = format!("there is no task package `{path}`");
                Err(TaskError::new(TaskCode::TaskdocNotFound, message)
                    .next("run `minds task ls` to list the packages"))
            }
            Err(error) => Err(task_error(&error)),
        }
    }
}

/// Returns the package if there is exactly one.
fn only_package<'r>(
    packages: Vec<Package<'r>>,
    several: &str,
    none: impl FnOnce() -> TaskError,
) -> Result<Package<'r>, TaskError> {
    let names: Vec<String> = packages.iter().map(|package| format!("`{}`", package.path())).collect();
    let mut packages = packages.into_iter();
    match (packages.next(), packages.next()) {
        (Some(package), None) => Ok(package),
        (None, _) => Err(none()),
        (Some(_), Some(_)) => {
            let message = format!("{several}: {}", names.join(", "));
            Err(TaskError::new(TaskCode::TaskdocAmbiguous, message)
                .next("select one with `--task NAME` or the argument `task`"))
        }
    }
}
