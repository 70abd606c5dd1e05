//! The outcome of the verbs that change sources or items.

use minds_diagnostics::JsonDocument;
use minds_sources::{HookEvent, ItemKey, ItemKind};
use schemars::JsonSchema;
use serde::Serialize;

use crate::{
    Action, HookDecision, HookRun, HookStep, ItemChange, ItemStep, Outcome, OutcomeKind, Preview, SkipReason,
    SourceChange, SourceError, SourceErrorKind, SourceStep,
};

/// The outcome of a verb that changes sources or items: the plan, and what was done.
#[derive(Debug, Serialize, JsonSchema)]
pub struct OutcomeDocument<'a> {
    /// The verb.
    action: Action,
    /// The first failure, where every document has its error; omitted if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<FirstFailure>,
    /// The refusals and failures of parts, while the rest succeeded.
    failures: Vec<Failure<'a>>,
    /// The hooks that ran.
    hooks: Vec<HookRunEntry<'a>>,
    /// The items that were installed.
    installed: Vec<ItemEntry<'a>>,
    /// Notes for the user.
    notes: &'a [String],
    /// The kind of result.
    outcome: OutcomeKind,
    /// The plan.
    plan: PlanEntry<'a>,
    /// The items that were removed.
    removed: Vec<ItemEntry<'a>>,
    /// The sources that were skipped.
    skipped: Vec<SkippedSource<'a>>,
    /// The sources that were registered, updated or removed.
    sources: Vec<SourceEntry<'a>>,
    /// The target as resolved: the identity of a source, or the reference to an item.
    target: Option<&'a str>,
}

impl JsonDocument for OutcomeDocument<'_> {
    const NAME: &'static str = "source-outcome";
}

/// The whole plan of a verb.
#[derive(Debug, Serialize, JsonSchema)]
struct PlanEntry<'a> {
    /// The hooks in the order in which they run.
    hooks: Vec<HookEntry<'a>>,
    /// The changes to items.
    items: Vec<ItemEntry<'a>>,
    /// The changes to sources.
    sources: Vec<SourceEntry<'a>>,
    /// Warnings about the content.
    warnings: &'a [String],
}

/// A change to a source.
#[derive(Debug, Serialize, JsonSchema)]
struct SourceEntry<'a> {
    /// The kind of change.
    change: SourceChange,
    /// The commit; `null` if it is not a repository.
    commit: Option<&'a str>,
    /// The location from which it is read.
    from: &'a str,
    /// The identity.
    name: &'a str,
    /// The number of offered items.
    offers: usize,
}

/// A change to an item.
#[derive(Debug, Serialize, JsonSchema)]
struct ItemEntry<'a> {
    /// The kind of change.
    change: ItemChange,
    /// Whether it is installed only as a dependency.
    dependency: bool,
    /// The kind of item.
    kind: ItemKind,
    /// The paths in agent homes that change.
    links: &'a [String],
    /// The name under which it is installed.
    name: &'a str,
    /// The files of the user that are replaced.
    replaces: &'a [String],
    /// The identity of the source.
    source: &'a str,
}

/// A command that a source wants to run.
#[derive(Debug, Serialize, JsonSchema)]
struct HookEntry<'a> {
    /// The decision whether it runs.
    decision: HookDecision,
    /// The environment variables that are passed to it, if they are set.
    environment: &'a [String],
    /// When it runs.
    event: RunEvent,
    /// The location from which its source is read.
    from: &'a str,
    /// The hash with which it is accepted.
    hash: &'a str,
    /// The item; `null` for a hook of the whole source.
    item: Option<&'a ItemKey>,
    /// The name.
    name: Option<&'a str>,
    /// Whether it may be skipped.
    optional: bool,
    /// The command.
    run: &'a str,
    /// The identity of the source.
    source: &'a str,
    /// The version of the files with which it runs.
    version: &'a str,
}

/// When a command of a source runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum RunEvent {
    /// Before the installation of a tool.
    Build,
    /// After the installation of its source or item.
    Install,
    /// Before the removal of its source or item.
    Uninstall,
}

/// A hook that ran.
#[derive(Debug, Serialize, JsonSchema)]
struct HookRunEntry<'a> {
    #[serde(flatten)]
    hook: HookEntry<'a>,
    /// Whether it succeeded.
    done: bool,
    /// Its stdout, truncated.
    stdout: &'a str,
    /// Its stderr, truncated.
    stderr: &'a str,
}

/// A source that was skipped.
#[derive(Debug, Serialize, JsonSchema)]
struct SkippedSource<'a> {
    /// The reason.
    reason: SkipReason,
    /// The identity.
    source: &'a str,
}

/// A refusal, or a failure of a part.
#[derive(Debug, Serialize, JsonSchema)]
struct Failure<'a> {
    /// The kind of error.
    kind: SourceErrorKind,
    /// What went wrong.
    message: String,
    /// The source or the item; `null` if it concerns neither.
    target: Option<&'a str>,
}

/// The first of several failures.
#[derive(Debug, Serialize, JsonSchema)]
struct FirstFailure {
    /// The kind of error.
    kind: SourceErrorKind,
    /// What went wrong.
    message: String,
}

impl<'a> From<&'a Outcome> for OutcomeDocument<'a> {
    fn from(outcome: &'a Outcome) -> Self {
        let first = |error: &SourceError| FirstFailure { kind: error.kind(), message: error.to_string() };
        let skipped = |(source, reason): &'a (String, SkipReason)| SkippedSource {
            reason: *reason,
            source: source.as_str(),
        };
        Self {
            action: outcome.action,
            error: outcome.failures.first().map(first),
            failures: entries(&outcome.failures),
            hooks: entries(&outcome.ran),
            installed: entries(&outcome.installed),
            notes: &outcome.notes,
            outcome: outcome.outcome,
            plan: PlanEntry::from(&outcome.preview),
            removed: entries(&outcome.removed),
            skipped: outcome.skipped.iter().map(skipped).collect(),
            sources: entries(&outcome.sources),
            target: outcome.target.as_deref(),
        }
    }
}

impl<'a> From<&'a Preview> for PlanEntry<'a> {
    fn from(preview: &'a Preview) -> Self {
        Self {
            hooks: entries(&preview.hooks),
            items: entries(&preview.items),
            sources: entries(&preview.sources),
            warnings: &preview.warnings,
        }
    }
}

impl<'a> From<&'a SourceStep> for SourceEntry<'a> {
    fn from(step: &'a SourceStep) -> Self {
        Self {
            change: step.change,
            commit: step.commit.as_deref(),
            from: &step.from,
            name: &step.name,
            offers: step.offers,
        }
    }
}

impl<'a> From<&'a ItemStep> for ItemEntry<'a> {
    fn from(step: &'a ItemStep) -> Self {
        Self {
            change: step.change,
            dependency: step.is_dependency,
            kind: step.key.kind,
            links: &step.links,
            name: step.key.name.as_str(),
            replaces: &step.replaces,
            source: &step.source,
        }
    }
}

impl<'a> From<&'a HookStep> for HookEntry<'a> {
    fn from(step: &'a HookStep) -> Self {
        Self {
            decision: step.decision,
            environment: &step.variables,
            event: match step.event {
                None => RunEvent::Build,
                Some(HookEvent::Install) => RunEvent::Install,
                Some(HookEvent::Uninstall) => RunEvent::Uninstall,
            },
            from: &step.from,
            hash: &step.hash,
            item: step.item.as_ref(),
            name: step.name.as_deref(),
            optional: step.is_optional,
            run: &step.run,
            source: &step.source,
            version: &step.version,
        }
    }
}

impl<'a> From<&'a HookRun> for HookRunEntry<'a> {
    fn from(run: &'a HookRun) -> Self {
        Self { hook: HookEntry::from(&run.hook), done: run.is_done, stdout: &run.stdout, stderr: &run.stderr }
    }
}

impl<'a> From<&'a SourceError> for Failure<'a> {
    fn from(error: &'a SourceError) -> Self {
        Self { kind: error.kind(), message: error.to_string(), target: error.target() }
    }
}

fn entries<'a, T, E: From<&'a T>>(steps: &'a [T]) -> Vec<E> {
    steps.iter().map(E::from).collect()
}
