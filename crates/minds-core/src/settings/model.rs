//! The content of `minds.toml`.

use minds_document::json_schema::{Keywords as _, string};
use minds_document::{Field, Keys, List, inline_schema};
use minds_vfs::{PathError, WorkspacePath};

use super::gateway::{Gateway, GatewaySettings};

/// The default directory for task packages.
pub const DEFAULT_TASK_HOME: &str = "tasks";

/// The directory of the configuration, where task packages are not allowed.
const CONFIGURATION: &str = ".minds";

/// The suffix of the name of a task package.
const PACKAGE: &str = ".tsk";

/// The settings of `minds` itself for this workspace.
#[derive(Debug, Default, Keys)]
#[keys(title = "minds settings", describe)]
pub struct Settings {
    /// The directory for task packages, relative to the workspace.
    #[key(default = DEFAULT_TASK_HOME)]
    pub task_home: Field<TaskHome>,
    /// The members that may change task packages; all other members may only read them. By default every member may.
    pub task_maintainers: Field<List<String>>,
    /// The language of minds files and instructions for members, such as `zh`. If a member has no `persona.zh.md`, it
    /// receives `persona.md`.
    pub language: Field<LanguageTag>,
    /// The settings of checks.
    pub check: Field<Check>,
    /// The settings of the gateway to the servers of `mcp.yaml`.
    pub gateway: Field<Gateway>,
}

/// A language tag of RFC 5646, such as `zh` or `pt-BR`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LanguageTag(String);

/// The settings of checks.
#[derive(Debug, Default, Keys)]
#[keys(title = "check")]
pub struct Check {
    /// Whether warnings make `minds check` fail, as with `--strict`.
    #[key(default = false)]
    pub strict: Field<bool>,
}

/// The members that may change task packages; all other members may only read them. The operator of the workspace is not
/// restricted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TaskMaintainers<'s> {
    /// There is no setting: every member may change them.
    Absent,
    /// Only the members with these ids may change them, in file order; none if the list is empty.
    Given(Vec<&'s str>),
    /// The setting could not be read completely: no member may change them until it is fixed.
    Unreadable,
}

/// The directory for task packages: inside the workspace, outside of `.minds/` and of task packages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaskHome(WorkspacePath);

/// Why a string is not a valid directory for task packages.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TaskHomeError {
    /// It is not a path inside the workspace.
    #[error(transparent)]
    Path(#[from] PathError),
    /// It is in the directory of the configuration.
    #[error("it is in `.minds/`, which contains the configuration")]
    Configuration,
    /// A segment has the name of a task package.
    #[error("a directory whose name ends with `.tsk` is a task package itself")]
    Package,
}

impl Settings {
    /// Returns the directory for task packages; `None` if the setting could not be read.
    pub fn task_home(&self) -> Option<WorkspacePath> {
        match &self.task_home {
            Field::Absent => WorkspacePath::parse(DEFAULT_TASK_HOME).ok(),
            Field::Given(home) => Some(home.value.path().clone()),
            Field::Unreadable(_) => None,
        }
    }

    /// Returns the members that may change task packages.
    pub fn task_maintainers(&self) -> TaskMaintainers<'_> {
        match &self.task_maintainers {
            Field::Absent => TaskMaintainers::Absent,
            Field::Given(list) if list.value.is_complete => {
                TaskMaintainers::Given(list.value.items.iter().map(|id| id.value.as_str()).collect())
            }
            Field::Given(_) | Field::Unreadable(_) => TaskMaintainers::Unreadable,
        }
    }

    /// Returns the language setting; `None` if it is absent or could not be read.
    pub fn language(&self) -> Option<&str> {
        self.language.as_given().map(|tag| tag.value.as_str())
    }

    /// Returns the settings of the gateway. For times that could not be read they are the defaults.
    pub fn gateway(&self) -> GatewaySettings {
        GatewaySettings::of(&self.gateway)
    }

    /// Returns whether warnings make a check fail like errors.
    pub fn is_strict(&self) -> bool {
        self.check
            .as_given()
            .and_then(|check| check.value.strict.as_given())
            .is_some_and(|strict| strict.value)
    }
}

impl LanguageTag {
    /// Parses a tag: a language of two or three letters, and subtags; `None` if the string does not have this form.
    pub fn parse(text: &str) -> Option<Self> {
        is_language_tag(text).then(|| Self(text.to_owned()))
    }

    /// Returns the tag as written.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Returns whether a string has the form of a language tag (RFC 5646).
pub(crate) fn is_language_tag(text: &str) -> bool {
    let mut parts = text.split('-');
    let language = parts.next().unwrap_or_default();
    let is_part =
        |part: &str| (1..=8).contains(&part.len()) && part.bytes().all(|b| b.is_ascii_alphanumeric());
    (2..=3).contains(&language.len())
        && language.bytes().all(|b| b.is_ascii_alphabetic())
        && parts.all(is_part)
}

inline_schema!(LanguageTag, |_| {
    string()
        .pattern(
            "^[A-Za-z]{2,3}(-[A-Za-z0-9]{1,8})*$",
            "must be a language tag such as `en`, `zh` or `pt-BR`",
        )
        .examples(["en", "zh"])
});

impl TaskHome {
    /// Parses the path of a directory, relative to the workspace.
    ///
    /// # Errors
    ///
    /// Returns an error if task packages are not allowed there.
    pub fn parse(path: &str) -> Result<Self, TaskHomeError> {
        let path = WorkspacePath::parse(path)?;
        // Some file systems ignore letter case.
        if path.segments().next().is_some_and(|first| first.eq_ignore_ascii_case(CONFIGURATION)) {
            return Err(TaskHomeError::Configuration);
        }
        let is_package = |segment: &str| segment.to_ascii_lowercase().ends_with(PACKAGE);
        if path.segments().any(is_package) {
            return Err(TaskHomeError::Package);
        }
        Ok(Self(path))
    }

    /// Returns the path.
    pub fn path(&self) -> &WorkspacePath {
        &self.0
    }
}

inline_schema!(TaskHome, |_| {
    string()
        .pattern("^[^/\\\\]", "must be a path inside the workspace, without a leading slash")
        .examples(["work/tasks"])
});

impl TaskHomeError {
    /// Returns the reason as a phrase that follows the path.
    pub fn reason(&self) -> String {
        match self {
            Self::Path(error) => error.kind().to_string(),
            other => other.to_string(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(path: &str, reason: Option<&str>) {
        let parsed = TaskHome::parse(path).map_err(|error| error.reason());
        match reason {
            None => assert_eq!(parsed.unwrap().path().as_str(), path),
            Some(reason) => assert!(parsed.as_ref().unwrap_err().contains(reason), "{path}: {parsed:?}"),
        }
    }

    #[test]
    fn homes_are_in_the_workspace_and_outside_of_reserved_directories() {
        for path in ["tasks", "work/tasks", ".mindset", "a.tsk.d", "tâches", "minds"] {
            check(path, None);
        }
        for (path, reason) in [
            ("", "empty"),
            ("tasks/", "empty"),
            ("/tasks", "relative"),
            ("../tasks", "`..`"),
            ("./tasks", "`.`"),
            ("a\\b", "backslash"),
            ("a\u{202e}b", "invisible"),
            (".minds", "configuration"),
            (".Minds/tasks", "configuration"),
            ("a.tsk", "package"),
            ("a/B.TSK/c", "package"),
            (".tsk", "package"),
        ] {
            check(path, Some(reason));
        }
    }
}
