//! What a member may read and write after inheritance, and where its entries are defined.

use std::collections::BTreeMap;
use std::sync::Arc;

use minds_access_control::{Access, Compiler, EntryList, Extension, ListKind, Lists, Pattern, Policy};
use minds_document::{Document, Field, Node, NodeId, Spanned, Value};

use crate::effective::Effective;
use crate::model::{AccessList, AccessLists, MemberFields, Team};

/// What a member may read and write: its compiled lists after inheritance, and where they are defined.
///
/// Unreadable input never grants access: a list that could not be read is unreadable, and if a member could not be read,
/// all of its lists are unreadable.
#[derive(Clone, Debug)]
pub struct MemberPolicy {
    /// The compiled policy.
    pub policy: Policy,
    /// The built-in entry of both deny lists.
    pub built_in: Option<&'static str>,
    read: Places,
    write: Places,
}

/// Where a list is defined.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ListPlace {
    /// The list, or the value in its place; `None` if the file defines no such list for the member.
    pub node: Option<NodeId>,
    /// Whether it is the list of `member_defaults`.
    pub is_inherited: bool,
    /// Its entries in order, if all of them are valid; `None` for a built-in entry.
    pub entries: Vec<Option<NodeId>>,
    /// The first invalid entry, if there is one.
    pub unreadable_entry: Option<NodeId>,
}

/// Where the lists for one operation are defined.
#[derive(Clone, Debug, Default)]
struct Places {
    deny: ListPlace,
    deny_extensions: ListPlace,
    allow: ListPlace,
    allow_extensions: ListPlace,
}

impl MemberPolicy {
    /// Returns a policy that denies everything, for a member about which nothing reliable is known: every list is unreadable.
    pub fn deny_all() -> Self {
        let lists = || Lists {
            deny: EntryList::unreadable(),
            deny_extensions: EntryList::unreadable(),
            allow: EntryList::unreadable(),
            allow_extensions: EntryList::unreadable(),
        };
        let policy = Policy::new(lists(), lists());
        Self { policy, built_in: None, read: Places::default(), write: Places::default() }
    }

    /// Returns a policy without lists: only the reserved areas are denied.
    pub fn allow_by_default() -> Self {
        let policy = Policy::builder().build();
        Self { policy, built_in: None, read: Places::default(), write: Places::default() }
    }

    /// Returns where a list is defined.
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

/// Creates the policies of the members of one team. Members with equal lists share a policy.
#[derive(Debug)]
pub struct MemberPolicies<'t> {
    team: &'t Team,
    document: &'t Document,
    compiler: Compiler,
    known: BTreeMap<(Nodes, Nodes, Option<&'static str>), Arc<MemberPolicy>>,
}

/// The nodes of the four lists for one operation.
type Nodes = [Option<NodeId>; 4];

impl<'t> MemberPolicies<'t> {
    /// Returns a factory for the policies of the members of `team`, which was read from `document`.
    pub fn new(team: &'t Team, document: &'t Document) -> Self {
        Self { team, document, compiler: Compiler::default(), known: BTreeMap::new() }
    }

    /// Returns whether everything about members could be read: otherwise there may be further members and lists.
    pub fn are_reliable(&self) -> bool {
        let root = self.document.root();
        self.team.is_complete(self.document)
            && !["members", "member_defaults"].iter().any(|key| root.repeats(key))
    }

    /// Returns the policy of a member of the team.
    pub fn policy(&mut self, member: &Effective<'t>) -> Arc<MemberPolicy> {
        if !self.is_member_reliable(member.id) {
            return Arc::new(MemberPolicy::deny_all());
        }
        let denied = member.shadow().and_then(|shadow| shadow.denied);
        let [read, write] = Access::ALL.map(|access| self.resolve_lists(member, access));
        let key = (read.nodes(), write.nodes(), denied);
        if let Some(known) = self.known.get(&key) {
            return Arc::clone(known);
        }
        let (read_lists, read) = read.lists(self.document, denied);
        let (write_lists, write) = write.lists(self.document, denied);
        let policy = self.compiler.compile(read_lists, write_lists);
        let member_policy = Arc::new(MemberPolicy { policy, built_in: denied, read, write });
        self.known.insert(key, Arc::clone(&member_policy));
        member_policy
    }

    /// Returns the entries of the list that limits where a member writes; `None` if no list does, or if it is unreadable.
    pub(crate) fn write_entries(&self, member: &Effective<'t>) -> Option<impl Iterator<Item = &'t Pattern>> {
        let key = ListKind::Allow.key(Access::Write).as_str();
        match self.resolve_list(member, key, true, patterns).list {
            FoundList::List(_, AccessList(list)) if list.is_complete && !list.items.is_empty() => {
                Some(list.items.iter().map(|entry| &entry.value))
            }
            FoundList::Absent | FoundList::List(..) | FoundList::Unreadable(_) => None,
        }
    }

    /// Returns whether everything about a member could be read.
    pub(crate) fn is_member_reliable(&self, id: &str) -> bool {
        let members = self.team.members_field.place();
        self.are_reliable() && !members.is_some_and(|members| self.repeats(members.node, id))
    }

    /// Returns whether a key of `member_defaults` could be read and is given only once.
    pub(crate) fn is_default_reliable(&self, key: &str) -> bool {
        let defaults = &self.team.member_defaults;
        !defaults.is_unreadable()
            && !defaults.place().is_some_and(|defaults| self.repeats(defaults.node, key))
    }

    /// Returns whether a mapping gives a key twice.
    pub(crate) fn repeats(&self, mapping: NodeId, key: &str) -> bool {
        self.document.node(mapping).repeats(key)
    }

    fn resolve_lists(&self, member: &Effective<'t>, access: Access) -> ResolvedLists<'t> {
        // Built-in entries hide the inherited list.
        let is_built_in = member.shadow().is_some_and(|shadow| shadow.denied.is_some());
        let pattern = |kind: ListKind, is_inherited| {
            self.resolve_list(member, kind.key(access).as_str(), is_inherited, patterns)
        };
        let extension =
            |kind: ListKind| self.resolve_list(member, kind.key(access).as_str(), true, extensions);
        ResolvedLists {
            deny: pattern(ListKind::Deny, !is_built_in),
            deny_extensions: extension(ListKind::DenyExtension),
            allow: pattern(ListKind::Allow, true),
            allow_extensions: extension(ListKind::AllowExtension),
        }
    }

    /// Returns the list of a member: its own, otherwise the inherited one.
    fn resolve_list<T>(
        &self,
        member: &Effective<'t>,
        key: &str,
        is_inherited: bool,
        get: Getter<'t, T>,
    ) -> ResolvedList<'t, T> {
        let own =
            member.definition().map(|own| (own.fields.place(), own.fields.as_given().map(|own| &*own.value)));
        let defaults = &self.team.member_defaults;
        let defaults = (defaults.place(), defaults.as_given().map(|defaults| &defaults.value));
        let own = own.map_or(FoundList::Absent, |(place, fields)| self.find_list(place, fields, key, get));
        if is_inherited && matches!(own, FoundList::Absent) {
            return ResolvedList {
                list: self.find_list(defaults.0, defaults.1, key, get),
                is_inherited: true,
            };
        }
        ResolvedList { list: own, is_inherited: false }
    }

    /// Returns the list of the fields at `place`. It is unreadable if the fields are, or if the key is defined twice.
    fn find_list<T>(
        &self,
        place: Option<Spanned<()>>,
        fields: Option<&'t MemberFields>,
        key: &str,
        get: Getter<'t, T>,
    ) -> FoundList<'t, T> {
        let Some(place) = place else { return FoundList::Absent };
        let Some(fields) = fields else { return FoundList::Unreadable(place.node) };
        match get(&fields.access, key) {
            Field::Absent => FoundList::Absent,
            _ if self.repeats(place.node, key) => FoundList::Unreadable(place.node),
            Field::Given(list) => FoundList::List(list.node, &list.value),
            Field::Unreadable(place) => FoundList::Unreadable(place.node),
        }
    }
}

/// The four lists of a member for one operation.
struct ResolvedLists<'t> {
    deny: ResolvedList<'t, Pattern>,
    deny_extensions: ResolvedList<'t, Extension>,
    allow: ResolvedList<'t, Pattern>,
    allow_extensions: ResolvedList<'t, Extension>,
}

/// A list, and whether it is inherited.
struct ResolvedList<'t, T> {
    list: FoundList<'t, T>,
    is_inherited: bool,
}

/// A list as found in the file.
enum FoundList<'t, T> {
    Absent,
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

impl ResolvedLists<'_> {
    fn nodes(&self) -> Nodes {
        [self.deny.node(), self.deny_extensions.node(), self.allow.node(), self.allow_extensions.node()]
    }

    /// Returns the lists that decide access, with `denied` appended to the deny list, and where they are defined.
    fn lists(&self, document: &Document, denied: Option<&str>) -> (Lists, Places) {
        let is_valid = |item: Node<'_>| match item.value() {
            Value::String(written) => Pattern::parse(written).is_ok(),
            _ => false,
        };
        let is_valid_extension = |item: Node<'_>| match item.value() {
            Value::String(written) => Extension::parse(written).is_ok(),
            _ => false,
        };
        let (mut deny, mut deny_at) = self.deny.list(document, is_valid);
        if let Some(denied) = denied {
            add_built_in(&mut deny, &mut deny_at, denied);
        }
        let (deny_extensions, deny_extensions_at) = self.deny_extensions.list(document, is_valid_extension);
        let (allow, allow_at) = self.allow.list(document, is_valid);
        let (allow_extensions, allow_extensions_at) =
            self.allow_extensions.list(document, is_valid_extension);
        let places = Places {
            deny: deny_at,
            deny_extensions: deny_extensions_at,
            allow: allow_at,
            allow_extensions: allow_extensions_at,
        };
        (Lists { deny, deny_extensions, allow, allow_extensions }, places)
    }
}

impl<T: Clone> ResolvedList<'_, T> {
    fn node(&self) -> Option<NodeId> {
        match self.list {
            FoundList::Absent => None,
            FoundList::List(node, _) | FoundList::Unreadable(node) => Some(node),
        }
    }

    fn list(&self, document: &Document, is_valid: impl Fn(Node<'_>) -> bool) -> (EntryList<T>, ListPlace) {
        let node = self.node();
        let mut place =
            ListPlace { node, is_inherited: self.is_inherited && node.is_some(), ..ListPlace::default() };
        match self.list {
            FoundList::Absent => (EntryList::Absent, place),
            FoundList::List(_, AccessList(list)) if list.is_complete => {
                place.entries = list.items.iter().map(|entry| Some(entry.node)).collect();
                (EntryList::Given(list.items.iter().map(|entry| entry.value.clone()).collect()), place)
            }
            FoundList::List(node, _) => {
                let entry = document.node(node).items().find(|item| !is_valid(*item));
                place.unreadable_entry = entry.map(Node::id);
                let entry = entry.and_then(Node::scalar_text).map(Into::into);
                (EntryList::Unreadable { entry }, place)
            }
            FoundList::Unreadable(_) => (EntryList::unreadable(), place),
        }
    }
}

/// Appends the built-in entry; an unreadable list stays unreadable.
fn add_built_in(list: &mut EntryList<Pattern>, place: &mut ListPlace, denied: &str) {
    let Ok(pattern) = Pattern::parse(denied) else { return };
    match list {
        EntryList::Unreadable { .. } => {}
        EntryList::Given(entries) if entries.iter().any(|entry| entry.as_written() == denied) => {}
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
