//! What a verb plans, and what came of it, as data.

use minds_document::ContentHash;
use minds_sources::{HookEvent, ItemKey};

use super::SourceError;

/// What is told where nothing is registered yet.
pub const NO_SOURCE: &str = "no source is melded; `minds source add REPO` registers one";

/// The whole plan of a verb, as it is shown before anything happens.
#[derive(Clone, Debug, Default)]
pub struct Preview {
    /// What happens to sources.
    pub sources: Vec<SourceStep>,
    /// What happens to items.
    pub items: Vec<ItemStep>,
    /// The hooks, in the order in which they would run.
    pub hooks: Vec<HookStep>,
    /// What the contents have that one should know of before installing them.
    pub warnings: Vec<String>,
}

impl Preview {
    /// Returns whether nothing would happen.
    pub fn is_empty(&self) -> bool {
        self.sources.is_empty() && self.items.is_empty() && self.hooks.is_empty()
    }
}

/// What happens to a source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceStep {
    /// What the source is known by.
    pub name: String,
    /// In one word: `meld`, `update`, `unmeld`.
    pub change: &'static str,
    /// Where it is read from.
    pub from: String,
    /// The commit that is read, if it is a repository.
    pub commit: Option<String>,
    /// How many items it offers.
    pub offers: usize,
}

/// What happens to an item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ItemStep {
    /// The kind, and the name under which it is installed.
    pub key: ItemKey,
    /// The source.
    pub source: String,
    /// In one word: `install`, `replace`, `link`, `rename`, `remove`, `keep`.
    pub change: &'static str,
    /// Whether it comes along only because another one needs it.
    pub is_dependency: bool,
    /// The places in agent homes that change.
    pub links: Vec<String>,
    /// Things of the user that are replaced.
    pub replaces: Vec<String>,
}

/// A hook that would run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HookStep {
    /// The source that wants it.
    pub source: String,
    /// The item that it belongs to, if it is not the whole source.
    pub item: Option<ItemKey>,
    /// When it runs; none is the build of a tool.
    pub event: Option<HookEvent>,
    /// The command, exactly.
    pub run: String,
    /// What it is called.
    pub name: Option<String>,
    /// Whether one may leave it out.
    pub is_optional: bool,
    /// Where its source is read from.
    pub from: String,
    /// The commit and the files with which it runs.
    pub version: String,
    /// The environment variables that it is given, if they are set.
    pub variables: Vec<String>,
    /// What it is remembered by, whatever it runs with.
    pub key: ContentHash,
    /// The hash by which it is accepted; it covers the command, its source, and the commit and files.
    pub hash: String,
    /// Whether it runs.
    pub decision: HookDecision,
}

/// Whether a hook runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HookDecision {
    /// A flag covers it.
    Accepted,
    /// Somebody is asked.
    Asked,
    /// Nobody is there to be asked, and no flag covers it.
    Skipped,
}

impl HookDecision {
    /// Returns the word for the decision.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Accepted => "run",
            Self::Asked => "ask",
            Self::Skipped => "skip",
        }
    }
}

/// What came of a verb.
#[derive(Debug)]
pub struct Outcome {
    /// The verb.
    pub action: &'static str,
    /// What it was about, in the words of the result: an identity, a reference.
    pub target: Option<String>,
    /// In one word: `melded`, `already-melded`, `installed`, `removed`, `unlinked`, `synced`, `upgraded`, `up-to-date`,
    /// `no-op`, `cancelled`, `dry-run`.
    pub outcome: &'static str,
    /// What was planned.
    pub preview: Preview,
    /// Sources that were registered, read anew or removed.
    pub sources: Vec<SourceStep>,
    /// Items that were installed.
    pub installed: Vec<ItemStep>,
    /// Items that were removed.
    pub removed: Vec<ItemStep>,
    /// Sources that were left out, each with the reason.
    pub skipped: Vec<(String, &'static str)>,
    /// What ran, and what it said.
    pub ran: Vec<HookRun>,
    /// What was refused or failed, while the rest was done.
    pub failures: Vec<SourceError>,
    /// What one should know.
    pub notes: Vec<String>,
}

/// A hook that ran.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HookRun {
    /// Which.
    pub hook: HookStep,
    /// Whether it succeeded.
    pub is_done: bool,
    /// What it printed on standard output, cut where it was too long.
    pub stdout: String,
    /// What it printed on standard error, cut where it was too long.
    pub stderr: String,
}

impl Outcome {
    /// Returns that nothing happened yet.
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
