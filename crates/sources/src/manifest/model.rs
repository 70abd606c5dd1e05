//! The data model of `mind.toml`.

use minds_document::{Field, List, Spanned, Text};
use minds_paths::WorkspacePath;

use crate::{GlobPattern, HookEvent, ItemKey, ItemKind, ItemName, Prefix, RevisionName};

/// The whole file.
#[derive(Clone, Debug, Default)]
pub struct Manifest {
    /// Properties of the source itself.
    pub source: Field<SourceTable>,
    /// Commands that run when the source is added or removed.
    pub hooks: Field<List<HookEntry>>,
    /// The items, one by one.
    pub items: Field<List<ItemEntry>>,
    /// Where items are found, and nested sources.
    pub discover: Field<Discover>,
}

/// The `[source]` table.
#[derive(Clone, Debug, Default)]
pub struct SourceTable {
    /// The purpose of the source.
    pub description: Field<Text>,
    /// The prefix of the names of installed items; an empty string means none.
    pub prefix: Field<Option<Prefix>>,
    /// The minimum version of the format.
    pub min_mind_version: Field<Text>,
    /// The pin.
    pub pin: PinFields,
    /// The folders in which items are found by convention, instead of the root.
    pub roots: Field<List<WorkspacePath>>,
    /// A command; the deprecated form of a hook.
    pub install: Field<Text>,
}

/// The three keys of a pin, of which at most one may be set.
#[derive(Clone, Debug, Default)]
pub struct PinFields {
    /// A branch, of which the newest commit is used.
    pub follow_branch: Field<RevisionName>,
    /// A tag.
    pub pin_tag: Field<RevisionName>,
    /// A commit.
    pub pin_ref: Field<RevisionName>,
}

/// A hook, as written.
#[derive(Clone, Debug)]
pub struct HookEntry {
    /// The command. A blank one does nothing, and is not a hook.
    pub run: Spanned<Text>,
    /// Its name.
    pub name: Field<Text>,
    /// Whether it may be skipped.
    pub optional: Field<bool>,
    /// The event at which it runs.
    pub event: Field<HookEvent>,
}

/// An item, as written.
#[derive(Clone, Debug)]
pub struct ItemEntry {
    /// The kind.
    pub kind: Spanned<ItemKind>,
    /// The name.
    pub name: Spanned<ItemName>,
    /// The path relative to the root of the source.
    pub path: Spanned<WorkspacePath>,
    /// The path relative to an agent home.
    pub link: Field<WorkspacePath>,
    /// The purpose of the item, instead of the description in its front matter.
    pub description: Field<Text>,
    /// What `{{tools:name}}` stands for, relative to the folder of the tool; tools only.
    pub bin: Field<WorkspacePath>,
    /// The build command; tools only.
    pub build: Field<Text>,
    /// A command that runs after installation.
    pub install: Field<Text>,
    /// A command that runs before removal.
    pub uninstall: Field<Text>,
    /// Further hooks, which run after these.
    pub hooks: Field<List<HookEntry>>,
}

/// The `[discover]` table.
#[derive(Clone, Debug, Default)]
pub struct Discover {
    /// The locations of skills: folders with a `SKILL.md`, or these files.
    pub skills: Field<Globs>,
    /// The locations of agents.
    pub agents: Field<Globs>,
    /// The locations of rules.
    pub rules: Field<Globs>,
    /// The locations of tools: their folders.
    pub tools: Field<Globs>,
    /// Other sources that are added along with this one.
    pub sources: Field<List<NestedEntry>>,
}

/// Patterns for the items of one kind.
#[derive(Clone, Debug, Default)]
pub struct Globs {
    /// Patterns of items that are offered.
    pub include: Field<List<GlobPattern>>,
    /// Patterns of items that are not offered although `include` matches them.
    pub exclude: Field<List<GlobPattern>>,
}

/// Another source that is added along with this one, as written.
#[derive(Clone, Debug)]
pub struct NestedEntry {
    /// The repository. It is valid for [`SourceSpec::parse`](crate::SourceSpec::parse) with any base.
    pub source: Spanned<Text>,
    /// Its prefix; an empty string means none, whatever it says itself.
    pub r#as: Field<Option<Prefix>>,
    /// Whether all of its items are offered for installation.
    pub install: Field<bool>,
    /// The items that are offered for installation, without prefix.
    pub install_items: Field<List<ItemKey>>,
    /// The pin, if it has no `mind.toml`.
    pub pin: PinFields,
    /// The folders in which items are found by convention, if it has no `mind.toml`.
    pub roots: Field<List<WorkspacePath>>,
    /// Its hooks, if it has no `mind.toml`.
    pub hooks: Field<List<HookEntry>>,
    /// What to do if access to its repository is denied.
    pub on_auth_failure: Field<AuthFailureEntry>,
}

/// What to do if access to a repository is denied, as written.
#[derive(Clone, Debug)]
pub struct AuthFailureEntry {
    /// The action.
    pub action: Spanned<AuthFailureAction>,
    /// The message that is shown.
    pub message: Field<Text>,
}

/// An action if access to a repository is denied.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AuthFailureAction {
    /// The source is skipped, with a message.
    Skip,
    /// The operation fails.
    #[default]
    Error,
}

impl AuthFailureAction {
    /// Every action.
    pub const ALL: [Self; 2] = [Self::Skip, Self::Error];

    /// Returns the name of the action, as in `mind.toml`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Skip => "skip",
            Self::Error => "error",
        }
    }

    /// Returns the action with this name.
    pub fn find(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|action| action.name() == name)
    }
}

impl Discover {
    /// Returns the patterns for a kind.
    pub fn globs(&self, kind: ItemKind) -> &Field<Globs> {
        match kind {
            ItemKind::Skill => &self.skills,
            ItemKind::Agent => &self.agents,
            ItemKind::Rule => &self.rules,
            ItemKind::Tool => &self.tools,
        }
    }
}

impl Globs {
    /// Returns the `include` patterns, without their positions.
    pub fn include(&self) -> impl Iterator<Item = &GlobPattern> {
        patterns(&self.include)
    }

    /// Returns the `exclude` patterns, without their positions.
    pub fn exclude(&self) -> impl Iterator<Item = &GlobPattern> {
        patterns(&self.exclude)
    }
}

fn patterns(list: &Field<List<GlobPattern>>) -> impl Iterator<Item = &GlobPattern> {
    list.as_given().into_iter().flat_map(|list| &list.value.items).map(|pattern| &pattern.value)
}
