//! What would change a decision, found by changing lists and deciding again.

use std::collections::BTreeSet;

use minds_access_control::{
    Access, EntryList, Extension, ListKind, Lists, Pattern, Policy, Reason, Reserved,
};
use minds_document::{Node, NodeId, Value};
use minds_paths::WorkspacePath;
use serde::Serialize;

use super::{EntryView, Judgement, MemberAccess};

/// A decision, and what would turn it into its opposite.
#[derive(Clone, Debug)]
pub struct Explanation {
    /// The decision.
    pub judgement: Judgement,
    /// What is to be done, one after the other: after the last step the decision is the opposite, unless something is in
    /// the way.
    pub steps: Vec<Step>,
    /// What no change of the lists can change, if that is in the way.
    pub obstacle: Option<Obstacle>,
}

/// A change of one list, and what is decided then.
#[derive(Clone, Debug, Serialize)]
pub struct Step {
    /// What is to be done.
    pub action: Change,
    /// With which entry of which list. Of an entry that is added, the place is that of the list; null if the member has
    /// no such list yet.
    #[serde(flatten)]
    pub entry: EntryView,
    /// Why the path is allowed or denied afterwards.
    #[serde(serialize_with = "code")]
    pub then: Reason,
}

/// What is to be done with an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Change {
    /// It is removed.
    Remove,
    /// It is added.
    Add,
    /// It is written so that it can be read.
    Mend,
}

/// What no change of the lists can change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Obstacle {
    /// The text is no path in the workspace.
    NoPath,
    /// A task package, which the tools for task documents change.
    Package,
    /// `.minds`, which the tools that manage the team change.
    Minds,
    /// A `.git`, which only git changes.
    Git,
    /// An entry that is built in.
    BuiltIn,
    /// It is not known what the file says about the member.
    UnreadableFile,
    /// No entry can name the path and nothing else.
    Unnameable,
    /// More steps than are looked for.
    TooMany,
}

/// How many steps are looked for: whoever needs more does not read them one by one.
const MAX_STEPS: usize = 100;

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
fn code<S: serde::Serializer>(reason: &Reason, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(reason.code())
}

impl MemberAccess<'_> {
    /// Decides, and finds what would change the decision.
    pub fn explain(&mut self, access: Access, path: &str) -> Explanation {
        self.explain_within(access, path, MAX_STEPS)
    }

    /// Does the same, and looks for at most `max_steps` steps. The cost of a step is that of reading the lists.
    pub fn explain_within(&mut self, access: Access, path: &str, max_steps: usize) -> Explanation {
        let max_steps = max_steps.min(MAX_STEPS);
        let judgement = self.judge(access, path);
        let Some(path) = judgement.path.clone() else {
            return Explanation { judgement, steps: Vec::new(), obstacle: Some(Obstacle::NoPath) };
        };
        let mut draft = Draft::new(self, access);
        let mut steps = Vec::new();
        let mut reason = judgement.reason;
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
        Explanation { judgement, steps, obstacle }
    }
}

/// The lists of a member about one access while they are changed.
struct Draft<'m, 't> {
    member: &'m MemberAccess<'t>,
    access: Access,
    lists: Lists,
    /// Where the entries of the deny list stand.
    denied: Vec<Option<NodeId>>,
    /// Where the extensions of the deny list stand.
    denied_extensions: Vec<Option<NodeId>>,
    /// Entries that could not be read, and can be now.
    mended: BTreeSet<NodeId>,
}

impl<'m, 't> Draft<'m, 't> {
    fn new(member: &'m MemberAccess<'t>, access: Access) -> Self {
        Self {
            member,
            access,
            lists: member.policy.policy.lists(access).clone(),
            denied: member.policy.place(access, ListKind::Deny).entries.clone(),
            denied_extensions: member.policy.place(access, ListKind::DenyExtension).entries.clone(),
            mended: BTreeSet::new(),
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

    /// Changes what decides, or says why nothing can.
    fn change(&mut self, path: &WorkspacePath, reason: Reason) -> Result<(Change, EntryView), Obstacle> {
        match reason {
            Reason::InvalidPath | Reason::Outside => Err(Obstacle::NoPath),
            Reason::Reserved => Err(match Reserved::find(self.access, path) {
                Some(Reserved::Minds) => Obstacle::Minds,
                Some(Reserved::Git) => Obstacle::Git,
                _ => Obstacle::Package,
            }),
            Reason::InvalidPolicy => self.mend(path),
            Reason::Denied | Reason::ExtensionDenied => self.remove(path),
            Reason::NotInAllowList => {
                let pattern = naming(path).ok_or(Obstacle::Unnameable)?;
                let entry = self.added(ListKind::Allow, pattern.written());
                add(&mut self.lists.allow, pattern);
                Ok((Change::Add, entry))
            }
            Reason::ExtensionNotAllowed => {
                let (_, extension) =
                    path.file_name().and_then(|name| name.rsplit_once('.')).ok_or(Obstacle::Unnameable)?;
                let extension = Extension::parse(extension).map_err(|_| Obstacle::Unnameable)?;
                let entry = self.added(ListKind::AllowExtension, extension.written());
                add(&mut self.lists.allow_extensions, extension);
                Ok((Change::Add, entry))
            }
            Reason::Allowed | Reason::AllowedByDefault => {
                let pattern = exactly(path).ok_or(Obstacle::Unnameable)?;
                let entry = self.added(ListKind::Deny, pattern.written());
                add(&mut self.lists.deny, pattern);
                Ok((Change::Add, entry))
            }
        }
    }

    /// Removes the entry that denies.
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
            cut(&mut self.lists.deny_extensions, index);
        } else {
            cut(&mut self.lists.deny, index);
        }
        let entry = self.view(found.list, Some(node), found.written);
        Ok((Change::Remove, entry))
    }

    /// Makes the next thing readable that is not. Nobody knows what it will say then, so it is taken for something about
    /// other paths.
    fn mend(&mut self, path: &WorkspacePath) -> Result<(Change, EntryView), Obstacle> {
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
                && !self.mended.contains(&item.id())
        });
        let written = bad.and_then(Node::scalar_text);
        let entry = self.view(found.list, Some(bad.map_or(list, Node::id)), written);
        self.mended.insert(bad.map_or(list, Node::id));
        for kind in ListKind::ALL {
            if self.member.policy.place(self.access, kind).node == Some(list) && self.is_unreadable(kind) {
                self.reread(kind, path);
            }
        }
        Ok((Change::Mend, entry))
    }

    fn is_unreadable(&self, kind: ListKind) -> bool {
        match kind {
            ListKind::Deny => self.lists.deny.is_unreadable(),
            ListKind::DenyExtension => self.lists.deny_extensions.is_unreadable(),
            ListKind::Allow => self.lists.allow.is_unreadable(),
            ListKind::AllowExtension => self.lists.allow_extensions.is_unreadable(),
        }
    }

    /// Reads a list again, without the entries that are mended.
    fn reread(&mut self, kind: ListKind, path: &WorkspacePath) {
        let place = self.member.policy.place(self.access, kind);
        let (Some(document), Some(list)) = (self.member.document, place.node) else { return };
        // Where nothing at all could be read, no list need be meant; elsewhere one was, and it holds something.
        let is_same = |other: &ListKind| self.member.policy.place(self.access, *other).node == Some(list);
        let is_meant = !ListKind::ALL.iter().all(is_same);
        let items = || document.node(list).items().filter(|item| !self.mended.contains(&item.id()));
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
                if is_meant && self.lists.allow == EntryList::Given(Vec::new()) {
                    let others = ["a", "b"].iter().filter_map(|other| Pattern::parse(other).ok());
                    self.lists.allow =
                        EntryList::Given(others.filter(|other| !other.matches(path)).take(1).collect());
                }
            }
            ListKind::AllowExtension => {
                self.lists.allow_extensions = EntryList::from_entries(items.iter().map(extension));
                if is_meant && self.lists.allow_extensions == EntryList::Given(Vec::new()) {
                    let name = path.file_name().unwrap_or_default();
                    let others = ["a", "b"].iter().filter(|other| !name.to_lowercase().ends_with(**other));
                    let others = others.filter_map(|other| Extension::parse(other).ok());
                    self.lists.allow_extensions = EntryList::Given(others.take(1).collect());
                }
            }
        }
    }

    /// Returns an entry that is to be added, at the place of its list.
    fn added(&self, kind: ListKind, written: &str) -> EntryView {
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
        // What cannot be read stays so.
        EntryList::Unreadable { .. } => {}
    }
}

fn cut<T>(list: &mut EntryList<T>, index: usize) {
    if let EntryList::Given(entries) = list
        && index < entries.len()
    {
        entries.remove(index);
    }
}

/// Returns the entry that one would write to open `path`: the directory that holds it, else the path itself.
fn naming(path: &WorkspacePath) -> Option<Pattern> {
    let directory = path.parent().filter(|parent| !parent.is_root()).and_then(|parent| exactly(&parent));
    directory.or_else(|| exactly(path))
}

/// Returns the entry that names `path` and what lies below, and nothing beside it; none if there is a `*` in it.
fn exactly(path: &WorkspacePath) -> Option<Pattern> {
    if path.as_str().contains('*') { None } else { Pattern::parse(&path.to_string()).ok() }
}
