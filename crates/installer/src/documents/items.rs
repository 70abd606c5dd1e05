//! Documents about items: lists, dependencies, exports, new sources and problems.

use minds_diagnostics::JsonDocument;
use minds_inventory::{Dump, ProbeRow, RecallSource, TreeItem};
use minds_sources::{ItemKey, ItemKind, ItemMentions, Mention};
use schemars::JsonSchema;
use serde::Serialize;

use crate::{InitSource, Issue};

/// The items that sources offer.
#[derive(Debug, Serialize, JsonSchema)]
pub struct OfferedItemsDocument<'a> {
    /// The items, sorted by kind and name.
    pub items: &'a [ProbeRow],
}

impl JsonDocument for OfferedItemsDocument<'_> {
    const NAME: &'static str = "source-search";
}

/// The sources with their items.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SourceItemsDocument<'a> {
    /// The sources in the order of their registration.
    pub sources: &'a [RecallSource],
}

impl JsonDocument for SourceItemsDocument<'_> {
    const NAME: &'static str = "source-list";
}

/// The dependencies of installed items.
#[derive(Debug, Serialize, JsonSchema)]
pub struct DependenciesDocument<'a> {
    /// The items on which no other one depends.
    pub tree: &'a [TreeItem],
}

impl JsonDocument for DependenciesDocument<'_> {
    const NAME: &'static str = "source-list-tree";
}

/// The registered sources as a source that reproduces them.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ExportDocument<'a> {
    /// The content of the `mind.lock`.
    lock: String,
    /// The content of the `mind.toml`.
    manifest: &'a str,
    /// The differences that can occur without the lock file.
    warnings: &'a [String],
}

impl<'a> From<&'a Dump> for ExportDocument<'a> {
    fn from(dump: &'a Dump) -> Self {
        Self { lock: dump.lock.write(), manifest: &dump.manifest, warnings: &dump.warnings }
    }
}

impl JsonDocument for ExportDocument<'_> {
    const NAME: &'static str = "source-export";
}

/// The items of a new source, and the files that were written.
#[derive(Debug, Serialize, JsonSchema)]
pub struct InitSourceDocument<'a> {
    /// Always `init-source`.
    action: InitAction,
    /// The items in the order in which they are found.
    items: Vec<MentioningItem<'a>>,
    /// The result.
    outcome: InitOutcome,
    /// The files that were written, or would be, relative to the root of the source.
    written: &'a [String],
}

/// The verb that creates the configuration of a source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum InitAction {
    /// Creating a `mind.toml`.
    InitSource,
}

/// The result of creating a `mind.toml`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum InitOutcome {
    /// The changes were only shown.
    DryRun,
    /// Nothing was written.
    NoOp,
    /// Files were written.
    Written,
}

/// An item with its references to other items of the source.
#[derive(Debug, Serialize, JsonSchema)]
struct MentioningItem<'a> {
    /// The kind.
    kind: ItemKind,
    /// The plain names of other items in its text.
    mentions: Vec<MentionEntry<'a>>,
    /// The name.
    name: &'a str,
    /// The items that it depends on.
    needs: &'a [ItemKey],
}

/// A plain name of an item in a file.
#[derive(Debug, Serialize, JsonSchema)]
struct MentionEntry<'a> {
    /// The file, relative to the root of the source.
    file: &'a str,
    /// The line, counted from 1.
    line: usize,
    /// The name.
    name: &'a str,
}

impl<'a> InitSourceDocument<'a> {
    /// Returns the document of a source whose changes were written, or with `is_dry_run` only computed.
    pub fn new(done: &'a InitSource, is_dry_run: bool) -> Self {
        let outcome = match (is_dry_run, done.written.is_empty()) {
            (true, _) => InitOutcome::DryRun,
            (false, true) => InitOutcome::NoOp,
            (false, false) => InitOutcome::Written,
        };
        let items = done.items.iter().map(MentioningItem::from).collect();
        Self { action: InitAction::InitSource, items, outcome, written: &done.written }
    }
}

impl<'a> From<&'a ItemMentions> for MentioningItem<'a> {
    fn from(item: &'a ItemMentions) -> Self {
        let mentions = item.mentions.iter().map(MentionEntry::from).collect();
        Self { kind: item.item.kind, mentions, name: item.item.name.as_str(), needs: &item.needs }
    }
}

impl<'a> From<&'a Mention> for MentionEntry<'a> {
    fn from(mention: &'a Mention) -> Self {
        Self { file: mention.path.as_str(), line: mention.line, name: &mention.name }
    }
}

impl JsonDocument for InitSourceDocument<'_> {
    const NAME: &'static str = "source-init";
}

/// The problems of the installation.
#[derive(Debug, Serialize, JsonSchema)]
pub struct IssuesDocument<'a> {
    /// The verb that found them.
    pub action: IssueAction,
    /// The problems.
    pub issues: &'a [Issue],
}

/// A verb that looks for problems of the installation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum IssueAction {
    /// Checking sources, items and links.
    Introspect,
    /// Comparing files with the record and the lock file.
    Verify,
}

impl JsonDocument for IssuesDocument<'_> {
    const NAME: &'static str = "source-problems";
}
