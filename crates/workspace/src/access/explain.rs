//! Explains what would change a decision, by changing lists and deciding again.

use std::collections::BTreeSet;

use minds_access_control::{
    Access, EntryList, Extension, ListKind, Lists, Pattern, Policy, Reason, ReservedArea,
};
use minds_document::{Node, NodeId, Value};
use minds_vfs::WorkspacePath;
use schemars::JsonSchema;
use serde::Serialize;

use super::{AccessDecision, EntryView, MemberAccess};

/// A decision, and the steps that would reverse it.
#[derive(Clone, Debug)]
pub struct Explanation {
    /// The decision.
    pub decision: AccessDecision,
    /// The changes to make, in order. After the last step the decision is reversed, unless there is an obstacle.
    pub steps: Vec<Step>,
    /// Why no change of the lists can reverse the decision, if this is the case.
    pub obstacle: Option<Obstacle>,
}

/// A change of one list, and the decision after it.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Step {
    /// The kind of change.
    pub action: Change,
    /// The entry and its list. For an entry to add, the place is that of the list; `null` if the member does not have this
    /// list.
    #[serde(flatten)]
    pub entry: EntryView,
    /// The reason of the decision after the change.
    pub then: Reason,
}

/// A change of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Change {
    /// Remove the entry.
    Remove,
    /// Add the entry.
    Add,
    /// Rewrite the entry so that it is valid.
    #[serde(rename = "mend")]
    Repair,
}

/// Why no change of the lists can reverse a decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Obstacle {
    /// The string is not a valid path in the workspace.
    NoPath,
    /// The path is in a task package, which only the tools for task documents change.
    Package,
    /// The path is in `.minds`, which only the tools that manage the team change.
    Minds,
    /// The path is in a `.git`, which only git changes.
    Git,
    /// The entry is built in.
    BuiltIn,
    /// The definition of the member could not be read.
    UnreadableFile,
    /// No entry can match exactly this path.
    Unnameable,
    /// More than the maximum number of steps are needed.
    TooMany,
}

/// The maximum number of steps.
const MAX_STEPS: usize = 100;

/// The maximum number of entries that are compiled for all steps, which bounds the time for very long lists.
const MAX_COMPILED_ENTRIES: usize = 200_000;

/// The number of times that a step compiles the lists.
const COMPILATIONS_PER_STEP: usize = 2;

/// The number of steps that are found for lists of any length.
const MIN_STEPS: usize = 3;

impl MemberAccess<'_> {
    /// Decides, and finds the steps that would reverse the decision.
    pub fn explain(&mut self, access: Access, path: &str) -> Explanation {
        self.explain_within(access, path, MAX_STEPS)
    }

    /// Like [`explain`](Self::explain), with at most `max_steps` steps. Each step compiles the lists again, so very
    /// long lists have fewer steps.
    pub fn explain_within(&mut self, access: Access, path: &str, max_steps: usize) -> Explanation {
        let most = MAX_COMPILED_ENTRIES / (COMPILATIONS_PER_STEP * self.entry_count(access).max(1));
        let max_steps = max_steps.min(most.clamp(MIN_STEPS, MAX_STEPS));
        let decision = self.decide(access, path);
        let Some(path) = decision.path.clone() else {
            return Explanation { decision, steps: Vec::new(), obstacle: Some(Obstacle::NoPath) };
        };
        let mut draft = Draft::new(self, access);
        let mut steps = Vec::new();
        let mut reason = decision.reason;
        let wanted = !reason.is_allowed();
        let mut obstacle = None;
        while reason.is_allowed() != wanted && obstacle.is_none() {
            let change =
                if steps.len() < max_steps { draft.change(&path, reason) } else { Err(Obstacle::TooMany) };
            match change {
                Ok((action, entry)) => {
                    reason = draft.reason(&path);
                    steps.push(Step { action, entry, then: reason });
                }
                Err(found) => obstacle = Some(found),
            }
        }
        Explanation { decision, steps, obstacle }
    }

    /// Returns the number of entries of the lists for an operation, including those that cannot be read.
    fn entry_count(&self, access: Access) -> usize {
        let lists = self.policy.policy.lists(access);
        let readable = [
            lists.deny.entries().len(),
            lists.deny_extensions.entries().len(),
            lists.allow.entries().len(),
            lists.allow_extensions.entries().len(),
        ];
        let written = ListKind::ALL.iter().filter_map(|kind| {
            let list = self.policy.place(access, *kind).node?;
            Some(self.document?.node(list).items().count())
        });
        readable.iter().sum::<usize>().max(written.sum())
    }
}

/// A modified copy of the lists of a member for one operation.
struct Draft<'m, 't> {
    member: &'m MemberAccess<'t>,
    access: Access,
    lists: Lists,
    /// The nodes of the entries of the deny list.
    denied: Vec<Option<NodeId>>,
    /// The nodes of the extensions of the deny list.
    denied_extensions: Vec<Option<NodeId>>,
    /// Invalid entries that are assumed to be repaired.
    repaired: BTreeSet<NodeId>,
}

impl<'m, 't> Draft<'m, 't> {
    fn new(member: &'m MemberAccess<'t>, access: Access) -> Self {
        Self {
            member,
            access,
            lists: member.policy.policy.lists(access).clone(),
            denied: member.policy.place(access, ListKind::Deny).entries.clone(),
            denied_extensions: member.policy.place(access, ListKind::DenyExtension).entries.clone(),
            repaired: BTreeSet::new(),
        }
    }

    fn policy(&self) -> Policy {
        match self.access {
            Access::Read => Policy::new(self.lists.clone(), Lists::default()),
            Access::Write => Policy::new(Lists::default(), self.lists.clone()),
        }
    }

    fn reason(&self, path: &WorkspacePath) -> Reason {
        self.policy().check(self.access, path).reason()
    }

    /// Makes a change that may reverse the decision, or returns why there is none.
    fn change(&mut self, path: &WorkspacePath, reason: Reason) -> Result<(Change, EntryView), Obstacle> {
        match reason {
            Reason::InvalidPath | Reason::Outside => Err(Obstacle::NoPath),
            Reason::Reserved => Err(match ReservedArea::find(self.access, path) {
                Some(ReservedArea::Minds) => Obstacle::Minds,
                Some(ReservedArea::Git) => Obstacle::Git,
                _ => Obstacle::Package,
            }),
            Reason::InvalidPolicy => self.repair(path),
            Reason::Denied | Reason::ExtensionDenied => self.remove(path),
            Reason::NotInAllowList => {
                let pattern = covering_entry(path).ok_or(Obstacle::Unnameable)?;
                let entry = self.added_entry(ListKind::Allow, pattern.as_written());
                add(&mut self.lists.allow, pattern);
                Ok((Change::Add, entry))
            }
            Reason::ExtensionNotAllowed => {
                let (_, extension) =
                    path.file_name().and_then(|name| name.rsplit_once('.')).ok_or(Obstacle::Unnameable)?;
                let extension = Extension::parse(extension).map_err(|_| Obstacle::Unnameable)?;
                let entry = self.added_entry(ListKind::AllowExtension, extension.as_written());
                add(&mut self.lists.allow_extensions, extension);
                Ok((Change::Add, entry))
            }
            Reason::Allowed | Reason::AllowedByDefault => {
                let pattern = exact_entry(path).ok_or(Obstacle::Unnameable)?;
                let entry = self.added_entry(ListKind::Deny, pattern.as_written());
                add(&mut self.lists.deny, pattern);
                Ok((Change::Add, entry))
            }
        }
    }

    /// Removes the denying entry.
    fn remove(&mut self, path: &WorkspacePath) -> Result<(Change, EntryView), Obstacle> {
        let policy = self.policy();
        let decision = policy.check(self.access, path);
        let found = decision.entry().ok_or(Obstacle::Unnameable)?;
        let index = found.index.ok_or(Obstacle::Unnameable)?;
        let is_extension = found.list == ListKind::DenyExtension;
        let places = if is_extension { &mut self.denied_extensions } else { &mut self.denied };
        let node = places.get(index).copied().flatten().ok_or(Obstacle::BuiltIn)?;
        places.remove(index);
        if is_extension {
            remove_at(&mut self.lists.deny_extensions, index);
        } else {
            remove_at(&mut self.lists.deny, index);
        }
        let entry = self.view(found.list, Some(node), found.text);
        Ok((Change::Remove, entry))
    }

    /// Repairs the next invalid entry or list. Its future content is not known, so it is assumed not to match the path.
    fn repair(&mut self, path: &WorkspacePath) -> Result<(Change, EntryView), Obstacle> {
        let policy = self.policy();
        let found = policy.check(self.access, path).entry().ok_or(Obstacle::UnreadableFile)?;
        let place = self.member.policy.place(self.access, found.list);
        let (Some(document), Some(list)) = (self.member.document, place.node) else {
            return Err(Obstacle::UnreadableFile);
        };
        let is_readable = |kind: ListKind, item: Node<'_>| match (kind, item.value()) {
            (ListKind::Deny | ListKind::Allow, Value::String(text)) => Pattern::parse(text).is_ok(),
            (_, Value::String(text)) => Extension::parse(text).is_ok(),
            _ => false,
        };
        let bad = document.node(list).items().find(|item| {
            place.unreadable_entry.is_some()
                && !is_readable(found.list, *item)
                && !self.repaired.contains(&item.id())
        });
        let written = bad.and_then(Node::scalar_text);
        let entry = self.view(found.list, Some(bad.map_or(list, Node::id)), written);
        self.repaired.insert(bad.map_or(list, Node::id));
        for kind in ListKind::ALL {
            if self.member.policy.place(self.access, kind).node == Some(list) && self.is_unreadable(kind) {
                self.reread(kind, path);
            }
        }
        Ok((Change::Repair, entry))
    }

    fn is_unreadable(&self, kind: ListKind) -> bool {
        match kind {
            ListKind::Deny => self.lists.deny.is_unreadable(),
            ListKind::DenyExtension => self.lists.deny_extensions.is_unreadable(),
            ListKind::Allow => self.lists.allow.is_unreadable(),
            ListKind::AllowExtension => self.lists.allow_extensions.is_unreadable(),
        }
    }

    /// Reads a list again, without the repaired entries.
    fn reread(&mut self, kind: ListKind, path: &WorkspacePath) {
        let place = self.member.policy.place(self.access, kind);
        let (Some(document), Some(list)) = (self.member.document, place.node) else { return };
        // If nothing could be read, the list may not exist; otherwise it exists and is not empty.
        let is_same = |other: &ListKind| self.member.policy.place(self.access, *other).node == Some(list);
        let exists = !ListKind::ALL.iter().all(is_same);
        let items = || document.node(list).items().filter(|item| !self.repaired.contains(&item.id()));
        let items: Vec<Node<'_>> =
            if place.unreadable_entry.is_some() { items().collect() } else { Vec::new() };
        let nodes: Vec<Option<NodeId>> = items.iter().map(|item| Some(item.id())).collect();
        let text = |item: &Node<'_>| match item.value() {
            Value::String(text) => Ok(text.to_owned()),
            _ => Err(item.scalar_text().unwrap_or_default().to_owned()),
        };
        let pattern = |item: &Node<'_>| text(item).and_then(|text| Pattern::parse(&text).map_err(|_| text));
        let extension =
            |item: &Node<'_>| text(item).and_then(|text| Extension::parse(&text).map_err(|_| text));
        match kind {
            ListKind::Deny => {
                self.denied = nodes;
                self.lists.deny = EntryList::from_entries(items.iter().map(pattern));
                let built_in = self.member.policy.built_in.and_then(|entry| Pattern::parse(entry).ok());
                if let (Some(built_in), false) = (built_in, self.lists.deny.is_unreadable()) {
                    self.denied.push(None);
                    add(&mut self.lists.deny, built_in);
                }
            }
            ListKind::DenyExtension => {
                self.denied_extensions = nodes;
                self.lists.deny_extensions = EntryList::from_entries(items.iter().map(extension));
            }
            ListKind::Allow => {
                self.lists.allow = EntryList::from_entries(items.iter().map(pattern));
                if exists && self.lists.allow == EntryList::Given(Vec::new()) {
                    let others = ["a", "b"].iter().filter_map(|other| Pattern::parse(other).ok());
                    self.lists.allow =
                        EntryList::Given(others.filter(|other| !other.matches(path)).take(1).collect());
                }
            }
            ListKind::AllowExtension => {
                self.lists.allow_extensions = EntryList::from_entries(items.iter().map(extension));
                if exists && self.lists.allow_extensions == EntryList::Given(Vec::new()) {
                    let name = path.file_name().unwrap_or_default();
                    let others = ["a", "b"].iter().filter(|other| !name.to_lowercase().ends_with(**other));
                    let others = others.filter_map(|other| Extension::parse(other).ok());
                    self.lists.allow_extensions = EntryList::Given(others.take(1).collect());
                }
            }
        }
    }

    /// Returns an entry to add, with the place of its list.
    fn added_entry(&self, kind: ListKind, written: &str) -> EntryView {
        let node = self.member.policy.place(self.access, kind).node;
        self.view(kind, node, Some(written))
    }

    fn view(&self, kind: ListKind, node: Option<NodeId>, written: Option<&str>) -> EntryView {
        let place = self.member.policy.place(self.access, kind);
        EntryView::at(self.member.document, kind.key(self.access), place, node, written)
    }
}

fn add<T>(list: &mut EntryList<T>, entry: T) {
    match list {
        EntryList::Given(entries) => entries.push(entry),
        EntryList::Absent => *list = EntryList::Given(vec![entry]),
        // An unreadable list stays unreadable.
        EntryList::Unreadable { .. } => {}
    }
}

fn remove_at<T>(list: &mut EntryList<T>, index: usize) {
    if let EntryList::Given(entries) = list
        && index < entries.len()
    {
        entries.remove(index);
    }
}

/// Returns the entry that a user would add to allow `path`: its parent directory, or the path itself.
fn covering_entry(path: &WorkspacePath) -> Option<Pattern> {
    let directory = path.parent().filter(|parent| !parent.is_root()).and_then(|parent| exact_entry(&parent));
    directory.or_else(|| exact_entry(path))
}

/// Returns the entry that covers exactly `path` and everything below it; `None` if the path contains a `*`.
fn exact_entry(path: &WorkspacePath) -> Option<Pattern> {
    if path.as_str().contains('*') { None } else { Pattern::parse(&path.to_string()).ok() }
}
