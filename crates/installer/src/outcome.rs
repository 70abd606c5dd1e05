//! The plan and the result of a verb, as data.

use minds_sources::{HookEvent, ItemKey};
use minds_vfs::ContentHash;
use schemars::JsonSchema;
use serde::Serialize;

use crate::SourceError;

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
    /// The kind of change.
    pub change: SourceChange,
    /// The location from which it is read.
    pub from: String,
    /// The commit, if it is a repository.
    pub commit: Option<String>,
    /// The number of offered items.
    pub offers: usize,
}

/// The kind of change to a source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SourceChange {
    /// It is registered.
    Meld,
    /// It is read again.
    Update,
    /// It is removed.
    Unmeld,
}

impl SourceChange {
    /// Returns the name of the change.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Meld => "meld",
            Self::Update => "update",
            Self::Unmeld => "unmeld",
        }
    }
}

/// A change to an item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ItemStep {
    /// The kind, and the name under which it is installed.
    pub key: ItemKey,
    /// The source.
    pub source: String,
    /// The kind of change.
    pub change: ItemChange,
    /// Whether it is installed only as a dependency.
    pub is_dependency: bool,
    /// The paths in agent homes that change.
    pub links: Vec<String>,
    /// Files of the user that are replaced.
    pub replaces: Vec<String>,
}

/// The kind of change to an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ItemChange {
    /// It is installed.
    Install,
    /// It is installed in place of an older version or of other files.
    Replace,
    /// It is installed under another name.
    Rename,
    /// It is removed.
    Remove,
}

impl ItemChange {
    /// Returns the name of the change.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Install => "install",
            Self::Replace => "replace",
            Self::Rename => "rename",
            Self::Remove => "remove",
        }
    }
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub enum HookDecision {
    /// A flag covers it, or the user agreed.
    #[serde(rename = "run")]
    Accepted,
    /// The user is asked.
    #[serde(rename = "ask")]
    Asked,
    /// No flag covers it, and no user can be asked.
    #[serde(rename = "skip")]
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
    pub action: Action,
    /// The target as resolved: an identity or a reference.
    pub target: Option<String>,
    /// The kind of result.
    pub outcome: OutcomeKind,
    /// The plan.
    pub preview: Preview,
    /// Sources that were registered, updated or removed.
    pub sources: Vec<SourceStep>,
    /// Items that were installed.
    pub installed: Vec<ItemStep>,
    /// Items that were removed.
    pub removed: Vec<ItemStep>,
    /// Sources that were skipped, each with the reason.
    pub skipped: Vec<(String, SkipReason)>,
    /// Hooks that ran, with their output.
    pub ran: Vec<HookRun>,
    /// Refusals and failures of parts, while the rest succeeded.
    pub failures: Vec<SourceError>,
    /// Notes for the user.
    pub notes: Vec<String>,
}

/// A verb that changes sources or items. In JSON it has the name from the first program with this format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Action {
    /// Adding sources.
    Meld,
    /// Removing sources.
    Unmeld,
    /// Installing items.
    Learn,
    /// Uninstalling items.
    Forget,
    /// Fetching sources.
    Sync,
    /// Fetching sources and upgrading items.
    Upgrade,
    /// Restoring files.
    Introspect,
}

/// The kind of result of a verb.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum OutcomeKind {
    /// Sources were added.
    Melded,
    /// The source was already added.
    AlreadyMelded,
    /// Items were installed.
    Installed,
    /// Sources or items were removed.
    Removed,
    /// Sources were removed, and their items were kept.
    Unlinked,
    /// Sources were fetched.
    Synced,
    /// Items were upgraded.
    Upgraded,
    /// Every item is up to date.
    UpToDate,
    /// Files were restored.
    Repaired,
    /// Nothing was changed.
    NoOp,
    /// The user did not agree, so nothing was changed.
    Cancelled,
    /// The plan was only shown.
    DryRun,
}

/// Why a source was skipped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SkipReason {
    /// Access to it was denied, and the source that names it allows this.
    AuthFailure,
}

impl SkipReason {
    /// Returns the name of the reason.
    pub const fn name(self) -> &'static str {
        match self {
            Self::AuthFailure => "auth_failure",
        }
    }
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
    pub(crate) fn new(action: Action, target: Option<String>) -> Self {
        Self {
            action,
            target,
            outcome: OutcomeKind::NoOp,
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
