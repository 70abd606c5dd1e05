//! The lists of a member for one operation.

use std::hash::{Hash, Hasher};

use minds_access_control::{Access, EntryList, Extension, ListKind, Lists, Pattern, all_are_effective};
use minds_document::{Field, NodeId, Spanned};

use crate::Effective;
use crate::model::{AccessList, AccessLists, Team};

/// Returns the lists of each member for each operation, except those that are empty or unreadable. Lists that are defined
/// once and used by many members are returned only once.
pub(super) fn combinations(team: &Team) -> impl Iterator<Item = Combination<'_>> {
    #[expect(clippy::disallowed_types, reason = "only looked up, never iterated")]
    let mut known = std::collections::HashSet::new();
    let operations = team.effective().flat_map(|member| Access::ALL.map(|access| (member, access)));
    operations
        .filter_map(move |(member, access)| Combination::of(team, &member, access))
        .filter(move |combination| !combination.is_empty() && known.insert(combination.key()))
}

type PatternField = Field<AccessList<Pattern>>;
type ExtensionField = Field<AccessList<Extension>>;

/// The four lists of a member for one operation, all of them readable.
pub(super) struct Combination<'f> {
    pub(super) access: Access,
    deny: &'f PatternField,
    deny_extensions: &'f ExtensionField,
    allow: &'f PatternField,
    allow_extensions: &'f ExtensionField,
    /// The built-in pattern that is added to the deny list.
    built_in: Option<Pattern>,
    /// The lists of `member_defaults`.
    defaults: Option<&'f AccessLists>,
}

impl<'f> Combination<'f> {
    fn of(team: &'f Team, member: &Effective<'f>, access: Access) -> Option<Self> {
        let built_in = member.shadow().and_then(|shadow| shadow.denied);
        let deny = match (access, built_in) {
            // Built-in lists hide inherited ones.
            (Access::Read, Some(_)) => member.own_field(|fields| &fields.access.no_read_dirs),
            (Access::Write, Some(_)) => member.own_field(|fields| &fields.access.no_write_dirs),
            (Access::Read, None) => member.field(|fields| &fields.access.no_read_dirs),
            (Access::Write, None) => member.field(|fields| &fields.access.no_write_dirs),
        };
        let (deny_extensions, allow, allow_extensions) = match access {
            Access::Read => (
                member.field(|fields| &fields.access.extension_lists().no_read_file_ext_names),
                member.field(|fields| &fields.access.read_dirs),
                member.field(|fields| &fields.access.extension_lists().read_file_ext_names),
            ),
            Access::Write => (
                member.field(|fields| &fields.access.extension_lists().no_write_file_ext_names),
                member.field(|fields| &fields.access.write_dirs),
                member.field(|fields| &fields.access.extension_lists().write_file_ext_names),
            ),
        };
        let all_are_readable = is_readable(deny)
            && is_readable(deny_extensions)
            && is_readable(allow)
            && is_readable(allow_extensions);
        let defaults = team.defaults().map(|defaults| &defaults.access);
        let built_in = built_in.and_then(|denied| Pattern::parse(denied).ok());
        all_are_readable.then_some(Self {
            access,
            deny,
            deny_extensions,
            allow,
            allow_extensions,
            built_in,
            defaults,
        })
    }

    fn key(&self) -> ([Option<NodeId>; 4], bool, Access) {
        let lists =
            [node(self.deny), node(self.deny_extensions), node(self.allow), node(self.allow_extensions)];
        (lists, self.built_in.is_some(), self.access)
    }

    /// Returns the content that decides which entries have no effect.
    pub(super) fn content(&self) -> Content<'f> {
        Content {
            deny: entries(self.deny),
            deny_extensions: entries(self.deny_extensions),
            allow: entries(self.allow),
            allow_extensions: entries(self.allow_extensions),
            has_built_in: self.built_in.is_some(),
        }
    }

    /// Returns the number of patterns.
    pub(super) fn length(&self) -> usize {
        entries(self.deny).len() + entries(self.allow).len()
    }

    fn is_empty(&self) -> bool {
        self.nodes().next().is_none()
    }

    /// Returns the nodes of all entries.
    pub(super) fn nodes(&self) -> impl Iterator<Item = NodeId> {
        let patterns = entries(self.deny).iter().chain(entries(self.allow)).map(|entry| entry.node);
        let extensions = entries(self.deny_extensions).iter().chain(entries(self.allow_extensions));
        patterns.chain(extensions.map(|entry| entry.node))
    }

    /// Returns whether a quick check proves that all entries have an effect.
    pub(super) fn all_are_effective(&self) -> bool {
        let deny = entries(self.deny).iter().map(|entry| &entry.value).chain(&self.built_in);
        let allow = entries(self.allow).iter().map(|entry| &entry.value);
        let has_extensions =
            !entries(self.deny_extensions).is_empty() || !entries(self.allow_extensions).is_empty();
        !has_extensions && all_are_effective(deny, allow)
    }

    /// Returns the total weight of the patterns (see [`Pattern::weight`]), counting each extension as one.
    pub(super) fn weight(&self) -> usize {
        let patterns = entries(self.deny).iter().chain(entries(self.allow));
        let extensions = entries(self.deny_extensions).len() + entries(self.allow_extensions).len();
        patterns.map(|entry| entry.value.weight()).sum::<usize>() + extensions
    }

    pub(super) fn place(&self) -> Option<Spanned<()>> {
        self.deny.place().or_else(|| self.allow.place())
    }

    /// Returns the lists as values that can be compared.
    pub(super) fn to_lists(&self) -> Lists {
        let mut deny = AccessList::entry_list(self.deny);
        if let Some(built_in) = &self.built_in {
            deny = EntryList::Given(deny.entries().iter().chain([built_in]).cloned().collect());
        }
        Lists {
            deny,
            deny_extensions: AccessList::entry_list(self.deny_extensions),
            allow: AccessList::entry_list(self.allow),
            allow_extensions: AccessList::entry_list(self.allow_extensions),
        }
    }

    /// Returns whether an entry of a deny list repeats one of the inherited list that it replaces: without it, the inherited
    /// entry would be dropped.
    pub(super) fn repeats_inherited(&self, list: ListKind, index: usize) -> bool {
        fn repeats<T: PartialEq>(
            own: &Field<AccessList<T>>,
            inherited: &Field<AccessList<T>>,
            index: usize,
        ) -> bool {
            let is_replaced = node(own) != node(inherited);
            let entry = entries(own).get(index).filter(|_| is_replaced);
            entry.is_some_and(|entry| entries(inherited).iter().any(|other| other.value == entry.value))
        }
        let Some(inherited) = self.defaults else { return false };
        let extensions = inherited.extension_lists();
        match (list, self.access) {
            (ListKind::Deny, Access::Read) => repeats(self.deny, &inherited.no_read_dirs, index),
            (ListKind::Deny, Access::Write) => repeats(self.deny, &inherited.no_write_dirs, index),
            (ListKind::DenyExtension, Access::Read) => {
                repeats(self.deny_extensions, &extensions.no_read_file_ext_names, index)
            }
            (ListKind::DenyExtension, Access::Write) => {
                repeats(self.deny_extensions, &extensions.no_write_file_ext_names, index)
            }
            (ListKind::Allow | ListKind::AllowExtension, _) => false,
        }
    }

    /// Returns an entry as written.
    pub(super) fn entry(&self, list: ListKind, index: usize) -> Option<Spanned<&'f str>> {
        fn at<T>(
            list: &Field<AccessList<T>>,
            index: usize,
            written: fn(&T) -> &str,
        ) -> Option<Spanned<&str>> {
            let entry = entries(list).get(index)?;
            Some(Spanned { value: written(&entry.value), span: entry.span, node: entry.node })
        }
        match list {
            ListKind::Deny => at(self.deny, index, Pattern::as_written),
            ListKind::DenyExtension => at(self.deny_extensions, index, Extension::as_written),
            ListKind::Allow => at(self.allow, index, Pattern::as_written),
            ListKind::AllowExtension => at(self.allow_extensions, index, Extension::as_written),
        }
    }
}

/// The entries of four lists. Equal contents have the same redundant entries.
#[derive(Clone, Copy)]
pub(super) struct Content<'f> {
    deny: &'f [Spanned<Pattern>],
    deny_extensions: &'f [Spanned<Extension>],
    allow: &'f [Spanned<Pattern>],
    allow_extensions: &'f [Spanned<Extension>],
    has_built_in: bool,
}

impl<'f> Content<'f> {
    /// Returns the entries of each list as written.
    fn written_entries(&self) -> (impl Iterator<Item = &'f str>, [usize; 4], bool) {
        let lengths =
            [self.deny.len(), self.deny_extensions.len(), self.allow.len(), self.allow_extensions.len()];
        let patterns = self.deny.iter().chain(self.allow).map(|entry| entry.value.as_written());
        let extensions = self.deny_extensions.iter().chain(self.allow_extensions);
        (patterns.chain(extensions.map(|entry| entry.value.as_written())), lengths, self.has_built_in)
    }
}

impl PartialEq for Content<'_> {
    fn eq(&self, other: &Self) -> bool {
        let (own, own_lengths, own_built_in) = self.written_entries();
        let (other, lengths, built_in) = other.written_entries();
        own_lengths == lengths && own_built_in == built_in && own.eq(other)
    }
}

impl Eq for Content<'_> {}

impl Hash for Content<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        let (entries, lengths, has_built_in) = self.written_entries();
        (lengths, has_built_in).hash(state);
        entries.for_each(|entry| entry.hash(state));
    }
}

fn entries<T>(list: &Field<AccessList<T>>) -> &[Spanned<T>] {
    list.as_given().map(|list| list.value.0.items.as_slice()).unwrap_or_default()
}

fn node<T>(list: &Field<AccessList<T>>) -> Option<NodeId> {
    list.as_given().map(|list| list.node)
}

fn is_readable<T>(list: &Field<AccessList<T>>) -> bool {
    !list.is_unreadable() && list.as_given().is_none_or(|list| list.value.0.is_complete)
}
