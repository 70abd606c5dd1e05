//! The plan and the result of a verb, as data.

use minds_document::ContentHash;
use minds_sources::{HookEvent, ItemKey};

use super::SourceError;

/// The note if no sources are registered.
pub const NO_SOURCE: &str = "no source is registered; `minds source add REPO` adds one";

/// The whole plan of a verb, as it is shown before anything happens.
#[derive(Clone, Debug, Default)]
pub struct Preview {
    /// The changes to sources.
    pub sources: Vec<SourceStep>,
    /// The changes to items.
    pub items: Vec<ItemStep>,
    /// The hooks in the order in which they run.
    pub hooks: Vec<HookStep>,
    /// Warnings about the content.
    pub warnings: Vec<String>,
}

impl Preview {
    /// Returns whether the plan does not change anything.
    pub fn is_empty(&self) -> bool {
        self.sources.is_empty() && self.items.is_empty() && self.hooks.is_empty()
    }
}

/// A change to a source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceStep {
    /// The identity of the source.
    pub name: String,
    /// The kind of change: `meld`, `update`, `unmeld`.
    pub change: &'static str,
    /// The location from which it is read.
    pub from: String,
    /// The commit, if it is a repository.
    pub commit: Option<String>,
    /// The number of offered items.
    pub offers: usize,
}

/// A change to an item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ItemStep {
    /// The kind, and the name under which it is installed.
    pub key: ItemKey,
    /// The source.
    pub source: String,
    /// The kind of change: `install`, `replace`, `link`, `rename`, `remove`, `keep`.
    pub change: &'static str,
    /// Whether it is installed only as a dependency.
    pub is_dependency: bool,
    /// The paths in agent homes that change.
    pub links: Vec<String>,
    /// Files of the user that are replaced.
    pub replaces: Vec<String>,
}

/// A hook that would run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HookStep {
    /// Its source.
    pub source: String,
    /// Its item; `None` for a hook of the whole source.
    pub item: Option<ItemKey>,
    /// Its event; `None` for the build of a tool.
    pub event: Option<HookEvent>,
    /// The command, exactly.
    pub run: String,
    /// Its name.
    pub name: Option<String>,
    /// Whether it may be skipped.
    pub is_optional: bool,
    /// The location from which its source is read.
    pub from: String,
    /// The version of the files with which it runs.
    pub version: String,
    /// The environment variables that are passed to it, if they are set.
    pub variables: Vec<String>,
    /// The key by which it is recorded, independent of its files.
    pub key: ContentHash,
    /// The hash with which it is accepted; it covers the command, its source, and the version of the files.
    pub hash: String,
    /// The decision whether it runs.
    pub decision: HookDecision,
}

/// The decision whether a hook runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HookDecision {
    /// A flag covers it, or the user agreed.
    Accepted,
    /// The user is asked.
    Asked,
    /// No flag covers it, and no user can be asked.
    Skipped,
}

impl HookDecision {
    /// Returns the name of the decision.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Accepted => "run",
            Self::Asked => "ask",
            Self::Skipped => "skip",
        }
    }
}

/// The result of a verb.
#[derive(Debug)]
pub struct Outcome {
    /// The verb.
    pub action: &'static str,
    /// The target as resolved: an identity or a reference.
    pub target: Option<String>,
    /// The kind of result: `melded`, `already-melded`, `installed`, `removed`, `unlinked`, `synced`,
    /// `upgraded`, `up-to-date`, `no-op`, `cancelled`, `dry-run`.
    pub outcome: &'static str,
    /// The plan.
    pub preview: Preview,
    /// Sources that were registered, updated or removed.
    pub sources: Vec<SourceStep>,
    /// Items that were installed.
    pub installed: Vec<ItemStep>,
    /// Items that were removed.
    pub removed: Vec<ItemStep>,
    /// Sources that were skipped, each with the reason.
    pub skipped: Vec<(String, &'static str)>,
    /// Hooks that ran, with their output.
    pub ran: Vec<HookRun>,
    /// Refusals and failures of parts, while the rest succeeded.
    pub failures: Vec<SourceError>,
    /// Notes for the user.
    pub notes: Vec<String>,
}

/// A hook that ran.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HookRun {
    /// The hook.
    pub hook: HookStep,
    /// Whether it succeeded.
    pub is_done: bool,
    /// Its stdout, truncated.
    pub stdout: String,
    /// Its stderr, truncated.
    pub stderr: String,
}

impl Outcome {
    /// Creates an outcome without changes.
    pub(super) fn new(action: &'static str, target: Option<String>) -> Self {
        Self {
            action,
            target,
            outcome: "no-op",
            preview: Preview::default(),
            sources: Vec::new(),
            installed: Vec::new(),
            removed: Vec::new(),
            skipped: Vec::new(),
            ran: Vec::new(),
            failures: Vec::new(),
            notes: Vec::new(),
        }
    }
}
