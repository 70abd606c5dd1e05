//! The meaning of `mind.toml`, with defaults applied.

use minds_document::{Field, List};
use minds_vfs::WorkspacePath;

use super::model::{
    AuthFailureAction, Globs, HookEntry, ItemEntry, Manifest, NestedEntry, PinFields, SourceTable,
};
use crate::{Hook, HookEvent, ItemKey, ItemKind, Pin, Prefix, RevisionName};

/// An item that the file lists.
#[derive(Clone, Debug)]
pub struct DeclaredItem<'m> {
    /// The entry, with its positions in the file.
    pub entry: &'m ItemEntry,
    /// The kind and the name in the source.
    pub key: ItemKey,
    /// Its hooks, in the order in which they run.
    pub hooks: Vec<Hook>,
}

/// Another source that is added along with this one.
#[derive(Clone, Debug)]
pub struct NestedSource<'m> {
    /// The entry, with its positions in the file.
    pub entry: &'m NestedEntry,
    /// The repository; relative paths are relative to the folder of the file.
    pub spec: &'m str,
    /// The prefix that the entry sets. `None`: its own prefix is used. `Some(None)`: it has no prefix,
    /// even if its file sets one.
    pub prefix: Option<Option<Prefix>>,
    /// The items that are offered for installation.
    pub selection: Selection,
    /// The commit that is used.
    pub pin: Pin,
    /// The roots of its convention, if the entry sets them.
    pub roots: Option<Vec<WorkspacePath>>,
    /// Its hooks, in the order in which they run.
    pub hooks: Vec<Hook>,
    /// What to do if access to its repository is denied.
    pub on_auth_failure: AuthFailureAction,
    /// The message that is shown in this case.
    pub auth_failure_message: Option<&'m str>,
}

/// The items of a nested source that are offered for installation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Selection {
    /// None: the source is registered, and its items are available.
    #[default]
    None,
    /// All of its items.
    All,
    /// The items with these names in the source.
    Items(Vec<ItemKey>),
}

impl Manifest {
    /// Returns the `[source]` table, if it exists.
    pub fn source_table(&self) -> Option<&SourceTable> {
        self.source.as_given().map(|head| &head.value)
    }

    /// Returns the purpose of the source, in the words of its author.
    pub fn description(&self) -> Option<&str> {
        self.source_table().and_then(|head| text(&head.description))
    }

    /// Returns the prefix of the names of installed items.
    pub fn prefix(&self) -> Option<&Prefix> {
        self.source_table().and_then(|head| head.prefix.as_given()).and_then(|prefix| prefix.value.as_ref())
    }

    /// Returns the pin.
    pub fn pin(&self) -> Pin {
        self.source_table().map(|head| head.pin.pin()).unwrap_or_default()
    }

    /// Returns the folders in which items are found by convention, if the file sets them. The root of the
    /// source is an empty path.
    pub fn roots(&self) -> Option<Vec<WorkspacePath>> {
        self.source_table().and_then(|head| values(&head.roots))
    }

    /// Returns the hooks of the source in the order in which they run: that of the deprecated key runs first.
    pub fn hooks(&self) -> Vec<Hook> {
        let install = self.source_table().and_then(|head| text(&head.install));
        let first = install.and_then(|run| hook(run, HookEvent::Install));
        first.into_iter().chain(hooks(&self.hooks)).collect()
    }

    /// Returns the items that the file lists, in its order.
    pub fn declared_items(&self) -> Vec<DeclaredItem<'_>> {
        let entries = self.items.as_given().into_iter().flat_map(|list| &list.value.items);
        entries.map(|entry| entry.value.to_declared_item()).collect()
    }

    /// Returns the patterns for a kind, if any of them includes something.
    pub fn globs(&self, kind: ItemKind) -> Option<&Globs> {
        let globs = &self.discover.as_given()?.value.globs(kind).as_given()?.value;
        globs.include().next().is_some().then_some(globs)
    }

    /// Returns whether the file lists the items, so that nothing is found by convention: it has an item, or
    /// an `include` pattern.
    pub fn is_authoritative(&self) -> bool {
        let has_items = self.items.as_given().is_some_and(|items| has_entries(&items.value));
        let is_including = |kind: ItemKind| {
            let globs = self.discover.as_given().and_then(|discover| discover.value.globs(kind).as_given());
            let include = globs.and_then(|globs| globs.value.include.as_given());
            include.is_some_and(|include| has_entries(&include.value))
        };
        has_items || ItemKind::ALL.into_iter().any(is_including)
    }

    /// Returns the sources that are added along with this one, in the order of the file.
    pub fn nested_sources(&self) -> Vec<NestedSource<'_>> {
        let sources = self.discover.as_given().and_then(|discover| discover.value.sources.as_given());
        let entries = sources.into_iter().flat_map(|list| &list.value.items);
        entries.map(|entry| entry.value.to_nested_source()).collect()
    }
}

impl ItemEntry {
    pub(crate) fn to_declared_item(&self) -> DeclaredItem<'_> {
        let install = text(&self.install).and_then(|run| hook(run, HookEvent::Install));
        let uninstall = text(&self.uninstall).and_then(|run| hook(run, HookEvent::Uninstall));
        DeclaredItem {
            entry: self,
            key: ItemKey { kind: self.kind.value, name: self.name.value.clone() },
            hooks: install.into_iter().chain(uninstall).chain(hooks(&self.hooks)).collect(),
        }
    }
}

impl NestedEntry {
    fn to_nested_source(&self) -> NestedSource<'_> {
        let failure = self.on_auth_failure.as_given().map(|failure| &failure.value);
        NestedSource {
            entry: self,
            spec: &self.source.value,
            prefix: self.r#as.as_given().map(|prefix| prefix.value.clone()),
            selection: self.selection(),
            pin: self.pin.pin(),
            roots: values(&self.roots),
            hooks: hooks(&self.hooks).collect(),
            on_auth_failure: failure.map(|failure| failure.action.value).unwrap_or_default(),
            auth_failure_message: failure.and_then(|failure| text(&failure.message)),
        }
    }

    /// Returns the items that are offered. An empty list selects nothing.
    fn selection(&self) -> Selection {
        match values(&self.install_items) {
            Some(items) if items.is_empty() => Selection::None,
            Some(items) => Selection::Items(items),
            None if self.install.as_given().is_some_and(|install| install.value) => Selection::All,
            None => Selection::None,
        }
    }
}

impl PinFields {
    /// Returns the pin; the default branch if no key is set.
    pub fn pin(&self) -> Pin {
        let name = |field: &Field<RevisionName>| field.as_given().map(|name| name.value.clone());
        let branch = name(&self.follow_branch).map(Pin::FollowBranch);
        let tag = || name(&self.pin_tag).map(Pin::Tag);
        let commit = || name(&self.pin_ref).map(Pin::Ref);
        branch.or_else(tag).or_else(commit).unwrap_or_default()
    }
}

impl HookEntry {
    /// Returns the hook; none if its command is blank.
    pub fn hook(&self) -> Option<Hook> {
        let event = self.event.as_given().map(|event| event.value).unwrap_or_default();
        let mut hook = hook(&self.run.value, event)?;
        hook.name = text(&self.name).map(str::to_owned);
        hook.is_optional = self.optional.as_given().is_some_and(|optional| optional.value);
        Some(hook)
    }
}

fn hook(run: &str, event: HookEvent) -> Option<Hook> {
    let has_command = !run.trim().is_empty();
    has_command.then(|| Hook { run: run.to_owned(), name: None, is_optional: false, event })
}

fn hooks(list: &Field<List<HookEntry>>) -> impl Iterator<Item = Hook> {
    list.as_given().into_iter().flat_map(|list| &list.value.items).filter_map(|entry| entry.value.hook())
}

fn text(field: &Field<String>) -> Option<&str> {
    field.as_given().map(|text| text.value.as_str())
}

fn values<T: Clone>(list: &Field<List<T>>) -> Option<Vec<T>> {
    list.as_given().map(|list| list.value.items.iter().map(|item| item.value.clone()).collect())
}

fn has_entries<T>(list: &List<T>) -> bool {
    !list.items.is_empty() || !list.is_complete
}
