//! The settings as their file says them.

use minds_document::{Field, List};
use minds_paths::{PathError, WorkspacePath};

/// Where task packages lie if nothing else is said.
pub const DEFAULT_TASK_HOME: &str = "tasks";

/// The directory of the configuration, which holds no task packages.
const CONFIGURATION: &str = ".minds";

/// How the name of a task package ends.
const PACKAGE: &str = ".tsk";

/// What `minds.toml` says.
#[derive(Debug, Default)]
pub struct Settings {
    /// Where task packages lie.
    pub task_home: Field<TaskHome>,
    /// The members who may change task packages.
    pub task_maintainers: Field<List<String>>,
    /// The language in which members are addressed.
    pub language: Field<LanguageTag>,
    /// How the workspace is checked; unreadable if it is no table.
    pub check: Field<Check>,
}

/// A language tag of RFC 5646, such as `zh` or `pt-BR`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LanguageTag(String);

/// How a workspace is checked.
#[derive(Debug, Default)]
pub struct Check {
    /// Whether warnings count like errors.
    pub strict: Field<bool>,
}

/// Which members may change task packages; all others may only read them. Whoever operates the workspace is never bound.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TaskMaintainers<'s> {
    /// Nothing is said, so every member may.
    Absent,
    /// The members with these ids may, in the order in which they are written. Nobody may if there are none.
    Given(Vec<&'s str>),
    /// What is said could not all be read, so no member may until it is mended.
    Unreadable,
}

/// The directory of the task packages: below the workspace, outside of `.minds/`, and in no package.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaskHome(WorkspacePath);

/// Why a text names no directory of task packages.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TaskHomeError {
    /// It is no path inside the workspace.
    #[error(transparent)]
    Path(#[from] PathError),
    /// It lies in the directory of the configuration.
    #[error("it lies in `.minds/`, which holds the configuration")]
    Configuration,
    /// A segment has the name of a task package.
    #[error("a directory whose name ends with `.tsk` is a task package itself")]
    Package,
}

impl Settings {
    /// Returns where task packages lie; nothing if the file says so in a way that could not be read.
    pub fn task_home(&self) -> Option<WorkspacePath> {
        match &self.task_home {
            Field::Absent => WorkspacePath::parse(DEFAULT_TASK_HOME).ok(),
            Field::Given(home) => Some(home.value.path().clone()),
            Field::Unreadable(_) => None,
        }
    }

    /// Returns which members may change task packages.
    pub fn task_maintainers(&self) -> TaskMaintainers<'_> {
        match &self.task_maintainers {
            Field::Absent => TaskMaintainers::Absent,
            Field::Given(list) if list.value.is_complete => {
                TaskMaintainers::Given(list.value.items.iter().map(|id| id.value.as_str()).collect())
            }
            Field::Given(_) | Field::Unreadable(_) => TaskMaintainers::Unreadable,
        }
    }

    /// Returns the language in which members are addressed; none if the file does not say so in a readable way.
    pub fn language(&self) -> Option<&str> {
        self.language.given().map(|tag| tag.value.as_str())
    }

    /// Returns whether the file asks for warnings to count like errors.
    pub fn is_strict(&self) -> bool {
        self.check.given().and_then(|check| check.value.strict.given()).is_some_and(|strict| strict.value)
    }
}

impl LanguageTag {
    /// Reads a tag: a language of two or three letters, and subtags; none if the text does not have this form.
    pub fn parse(text: &str) -> Option<Self> {
        is_language_tag(text).then(|| Self(text.to_owned()))
    }

    /// Returns the tag as it is written.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Returns whether a text has the form of a language tag (RFC 5646).
pub(crate) fn is_language_tag(text: &str) -> bool {
    let mut parts = text.split('-');
    let language = parts.next().unwrap_or_default();
    let is_part =
        |part: &str| (1..=8).contains(&part.len()) && part.bytes().all(|b| b.is_ascii_alphanumeric());
    (2..=3).contains(&language.len())
        && language.bytes().all(|b| b.is_ascii_alphabetic())
        && parts.all(is_part)
}

impl TaskHome {
    /// Reads the path of a directory, relative to the workspace.
    ///
    /// # Errors
    ///
    /// Returns why task packages cannot lie there.
    pub fn parse(path: &str) -> Result<Self, TaskHomeError> {
        let path = WorkspacePath::parse(path)?;
        // Some systems take names in another letter case for the same.
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

impl TaskHomeError {
    /// Returns what is wrong, in words that go on after the path.
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
    fn homes_lie_in_the_workspace_and_outside_of_what_has_another_use() {
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
            ("a\u{202e}b", "seen"),
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
