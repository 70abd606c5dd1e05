//! What a member may read and write after inheritance, and where its entries stand.

use std::collections::BTreeMap;
use std::sync::Arc;

use minds_access_control::{Access, Compiler, EntryList, Extension, ListKind, Lists, Pattern, Policy};
use minds_document::{Document, Field, Node, NodeId, Spanned, Value};

use crate::effective::Effective;
use crate::model::{AccessList, AccessLists, MemberFields, Team};

/// What a member may read and write: its lists after inheritance, compiled, and where they stand.
///
/// Nothing that could not be read opens anything: where it is not known what a list says, it is unreadable, and where it
/// is not known what a member says, all of its lists are.
#[derive(Clone, Debug)]
pub struct MemberPolicy {
    /// What decides.
    pub policy: Policy,
    /// The entry that is built into both deny lists.
    pub built_in: Option<&'static str>,
    read: Places,
    write: Places,
}

/// Where a list stands.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ListPlace {
    /// The list, or what stands in its place; none if the file has no such list for the member.
    pub node: Option<NodeId>,
    /// Whether it is that of `member_defaults`.
    pub is_inherited: bool,
    /// Its entries in order, if all of them could be read; none for one that is built in.
    pub entries: Vec<Option<NodeId>>,
    /// The first entry that cannot be read, if one keeps the list from being read.
    pub unreadable_entry: Option<NodeId>,
}

/// Where the lists about one access stand.
#[derive(Clone, Debug, Default)]
struct Places {
    deny: ListPlace,
    deny_extensions: ListPlace,
    allow: ListPlace,
    allow_extensions: ListPlace,
}

impl MemberPolicy {
    /// Returns the policy of somebody of whom nothing reliable is known: every list is unreadable.
    pub fn closed() -> Self {
        let lists = || Lists {
            deny: EntryList::unreadable(),
            deny_extensions: EntryList::unreadable(),
            allow: EntryList::unreadable(),
            allow_extensions: EntryList::unreadable(),
        };
        let policy = Policy::new(lists(), lists());
        Self { policy, built_in: None, read: Places::default(), write: Places::default() }
    }

    /// Returns the policy of a caller without lists: only the reserved areas are closed.
    pub fn open() -> Self {
        let policy = Policy::builder().build();
        Self { policy, built_in: None, read: Places::default(), write: Places::default() }
    }

    /// Returns where a list stands.
    pub fn place(&self, access: Access, kind: ListKind) -> &ListPlace {
        let places = match access {
            Access::Read => &self.read,
            Access::Write => &self.write,
        };
        match kind {
            ListKind::Deny => &places.deny,
            ListKind::DenyExtension => &places.deny_extensions,
            ListKind::Allow => &places.allow,
            ListKind::AllowExtension => &places.allow_extensions,
        }
    }
}

/// Makes the policies of the members of one team. Members that have the same lists share one.
#[derive(Debug)]
pub struct MemberPolicies<'t> {
    team: &'t Team,
    document: &'t Document,
    compiler: Compiler,
    known: BTreeMap<(Nodes, Nodes, Option<&'static str>), Arc<MemberPolicy>>,
}

/// The four lists about one access, by the places where they stand.
type Nodes = [Option<NodeId>; 4];

impl<'t> MemberPolicies<'t> {
    /// Returns what makes the policies of the members of `team`, which `document` says.
    pub fn new(team: &'t Team, document: &'t Document) -> Self {
        Self { team, document, compiler: Compiler::default(), known: BTreeMap::new() }
    }

    /// Returns whether everything is known that could be about members: otherwise there may be other members, and other
    /// lists, than those that were read.
    pub fn are_reliable(&self) -> bool {
        let root = self.document.root();
        self.team.is_whole(self.document)
            && !["members", "member_defaults"].iter().any(|key| root.repeats(key))
    }

    /// Returns the policy of a member of the team.
    pub fn policy(&mut self, member: &Effective<'t>) -> Arc<MemberPolicy> {
        if !self.knows(member.id) {
            return Arc::new(MemberPolicy::closed());
        }
        let denied = member.shadow().and_then(|shadow| shadow.denied);
        let [read, write] = Access::ALL.map(|access| self.sources(member, access));
        let key = (read.nodes(), write.nodes(), denied);
        if let Some(known) = self.known.get(&key) {
            return Arc::clone(known);
        }
        let (read_lists, read) = read.lists(self.document, denied);
        let (write_lists, write) = write.lists(self.document, denied);
        let policy = self.compiler.compile(read_lists, write_lists);
        let made = Arc::new(MemberPolicy { policy, built_in: denied, read, write });
        self.known.insert(key, Arc::clone(&made));
        made
    }

    /// Returns whether it is known what the file says about a member.
    pub(crate) fn knows(&self, id: &str) -> bool {
        let members = self.team.members_field.place();
        self.are_reliable() && !members.is_some_and(|members| self.repeats(members.node, id))
    }

    /// Returns whether it is known what `member_defaults` says, as far as its place tells, about a key.
    pub(crate) fn knows_default(&self, key: &str) -> bool {
        let defaults = &self.team.member_defaults;
        !defaults.is_unreadable()
            && !defaults.place().is_some_and(|defaults| self.repeats(defaults.node, key))
    }

    /// Returns whether a mapping gives a key twice.
    pub(crate) fn repeats(&self, mapping: NodeId, key: &str) -> bool {
        self.document.node(mapping).repeats(key)
    }

    fn sources(&self, member: &Effective<'t>, access: Access) -> Sources<'t> {
        // What is built in for a list hides the inherited one.
        let is_built_in = member.shadow().is_some_and(|shadow| shadow.denied.is_some());
        let pattern =
            |kind: ListKind, is_inherited| self.source(member, kind.key(access), is_inherited, patterns);
        let extension = |kind: ListKind| self.source(member, kind.key(access), true, extensions);
        Sources {
            deny: pattern(ListKind::Deny, !is_built_in),
            deny_extensions: extension(ListKind::DenyExtension),
            allow: pattern(ListKind::Allow, true),
            allow_extensions: extension(ListKind::AllowExtension),
        }
    }

    /// Returns a list of a member: its own, else the inherited one.
    fn source<T>(
        &self,
        member: &Effective<'t>,
        key: &str,
        is_inherited: bool,
        get: Getter<'t, T>,
    ) -> Source<'t, T> {
        let own = member.own().map(|own| (own.fields.place(), own.fields.given().map(|own| &*own.value)));
        let defaults = &self.team.member_defaults;
        let defaults = (defaults.place(), defaults.given().map(|defaults| &defaults.value));
        let own = own.map_or(Said::Nothing, |(place, fields)| self.said(place, fields, key, get));
        if is_inherited && matches!(own, Said::Nothing) {
            return Source { said: self.said(defaults.0, defaults.1, key, get), is_inherited: true };
        }
        Source { said: own, is_inherited: false }
    }

    /// Returns what the fields at `place` say about a list. It is unreadable if they are, and if it is there twice.
    fn said<T>(
        &self,
        place: Option<Spanned<()>>,
        fields: Option<&'t MemberFields>,
        key: &str,
        get: Getter<'t, T>,
    ) -> Said<'t, T> {
        let Some(place) = place else { return Said::Nothing };
        let Some(fields) = fields else { return Said::Unreadable(place.node) };
        match get(&fields.access, key) {
            Field::Absent => Said::Nothing,
            _ if self.repeats(place.node, key) => Said::Unreadable(place.node),
            Field::Given(list) => Said::List(list.node, &list.value),
            Field::Unreadable(place) => Said::Unreadable(place.node),
        }
    }
}

/// The four lists of a member about one access.
struct Sources<'t> {
    deny: Source<'t, Pattern>,
    deny_extensions: Source<'t, Extension>,
    allow: Source<'t, Pattern>,
    allow_extensions: Source<'t, Extension>,
}

/// A list, and whose it is.
struct Source<'t, T> {
    said: Said<'t, T>,
    is_inherited: bool,
}

/// What the file says about a list.
enum Said<'t, T> {
    Nothing,
    List(NodeId, &'t AccessList<T>),
    Unreadable(NodeId),
}

/// Finds a list by its key.
type Getter<'t, T> = fn(&'t AccessLists, &str) -> &'t Field<AccessList<T>>;

fn patterns<'t>(lists: &'t AccessLists, key: &str) -> &'t Field<AccessList<Pattern>> {
    let found = lists.directories().into_iter().find(|(name, _)| *name == key);
    found.map_or(const { &Field::Absent }, |(_, list)| list)
}

fn extensions<'t>(lists: &'t AccessLists, key: &str) -> &'t Field<AccessList<Extension>> {
    let found = lists.extensions().into_iter().find(|(name, _)| *name == key);
    found.map_or(const { &Field::Absent }, |(_, list)| list)
}

impl Sources<'_> {
    fn nodes(&self) -> Nodes {
        [self.deny.node(), self.deny_extensions.node(), self.allow.node(), self.allow_extensions.node()]
    }

    /// Returns the lists as access is decided by them, with `denied` behind the file's own, and where they stand.
    fn lists(&self, document: &Document, denied: Option<&str>) -> (Lists, Places) {
        let can_read = |item: Node<'_>| match item.value() {
            Value::String(written) => Pattern::parse(written).is_ok(),
            _ => false,
        };
        let can_read_extension = |item: Node<'_>| match item.value() {
            Value::String(written) => Extension::parse(written).is_ok(),
            _ => false,
        };
        let (mut deny, mut deny_at) = self.deny.list(document, can_read);
        if let Some(denied) = denied {
            add_built_in(&mut deny, &mut deny_at, denied);
        }
        let (deny_extensions, deny_extensions_at) = self.deny_extensions.list(document, can_read_extension);
        let (allow, allow_at) = self.allow.list(document, can_read);
        let (allow_extensions, allow_extensions_at) =
            self.allow_extensions.list(document, can_read_extension);
        let places = Places {
            deny: deny_at,
            deny_extensions: deny_extensions_at,
            allow: allow_at,
            allow_extensions: allow_extensions_at,
        };
        (Lists { deny, deny_extensions, allow, allow_extensions }, places)
    }
}

impl<T: Clone> Source<'_, T> {
    fn node(&self) -> Option<NodeId> {
        match self.said {
            Said::Nothing => None,
            Said::List(node, _) | Said::Unreadable(node) => Some(node),
        }
    }

    fn list(&self, document: &Document, can_read: impl Fn(Node<'_>) -> bool) -> (EntryList<T>, ListPlace) {
        let node = self.node();
        let mut place =
            ListPlace { node, is_inherited: self.is_inherited && node.is_some(), ..ListPlace::default() };
        match self.said {
            Said::Nothing => (EntryList::Absent, place),
            Said::List(_, AccessList(list)) if list.is_complete => {
                place.entries = list.items.iter().map(|entry| Some(entry.node)).collect();
                (EntryList::Given(list.items.iter().map(|entry| entry.value.clone()).collect()), place)
            }
            Said::List(node, _) => {
                let entry = document.node(node).items().find(|item| !can_read(*item));
                place.unreadable_entry = entry.map(Node::id);
                let entry = entry.and_then(Node::scalar_text).map(Into::into);
                (EntryList::Unreadable { entry }, place)
            }
            Said::Unreadable(_) => (EntryList::unreadable(), place),
        }
    }
}

/// Adds what is built in behind what the file says; what cannot be read stays so.
fn add_built_in(list: &mut EntryList<Pattern>, place: &mut ListPlace, denied: &str) {
    let Ok(pattern) = Pattern::parse(denied) else { return };
    match list {
        EntryList::Unreadable { .. } => {}
        EntryList::Given(entries) if entries.iter().any(|entry| entry.written() == denied) => {}
        EntryList::Given(entries) => {
            entries.push(pattern);
            place.entries.push(None);
        }
        EntryList::Absent => {
            *list = EntryList::Given(vec![pattern]);
            place.entries = vec![None];
        }
    }
}
