//! The data model of `mind.toml`.

use minds_document::{Completeness, Decode, Field, Keys, List, Spanned, Text};
use minds_vfs::WorkspacePath;

use super::decode::conditions::{exclude_contradictions, exclude_other_pins, exclude_tool_keys};
use super::decode::help_with_table;
use super::decode::values::{
    command, description, path, path_schema, prefix, prefix_schema, relative_path, roots, roots_schema,
    spec_schema,
};
use crate::rules::invalid_spec;
use crate::{GlobPattern, HookEvent, ItemKey, ItemKind, ItemName, Prefix, RevisionName};

/// What a repository offers to agents.
///
/// The whole file.
#[derive(Clone, Debug, Default, Keys, Decode, Completeness)]
#[keys(title = "source", describe, hint = help_with_table)]
pub struct Manifest {
    /// Properties of the source itself.
    pub source: Field<SourceTable>,
    /// Commands that run on the host when the source is added (melded) or removed (unmelded).
    pub hooks: Field<List<HookEntry>>,
    /// The items, one by one. If there are any, nothing is found by convention.
    pub items: Field<List<ItemEntry>>,
    /// Where items are found, and which other sources are added along with this one.
    pub discover: Field<Discover>,
}

/// The `[source]` table.
#[derive(Clone, Debug, Default, Keys, Completeness)]
#[keys(title = "source properties", extend = exclude_other_pins)]
pub struct SourceTable {
    /// The purpose of the source.
    #[key(decode = description)]
    pub description: Field<Text>,
    /// The prefix of the names of installed items, which is followed by a `-`.
    ///
    /// An empty string means none.
    #[key(decode = prefix, schema = prefix_schema)]
    pub prefix: Field<Option<Prefix>>,
    /// The minimum version of the format.
    #[key(name = "min-mind-version")]
    pub min_mind_version: Field<Text>,
    /// The pin.
    #[key(flatten)]
    pub pin: PinFields,
    /// The folders in which items are found by convention, instead of the root.
    #[key(decode = roots, schema = roots_schema)]
    pub roots: Field<List<WorkspacePath>>,
    /// A command that runs on installation. Deprecated: use `[[hooks]]`.
    #[key(decode = command)]
    pub install: Field<Text>,
}

/// The three keys of a pin, of which at most one may be set: a mapping with these keys is extended by
/// `exclude_other_pins`.
#[derive(Clone, Debug, Default, Keys, Completeness)]
#[keys(group)]
pub struct PinFields {
    /// The branch whose newest commit is used.
    #[key(name = "follow-branch")]
    pub follow_branch: Field<RevisionName>,
    /// The tag whose commit is used.
    #[key(name = "pin-tag")]
    pub pin_tag: Field<RevisionName>,
    /// The commit that is used.
    #[key(name = "pin-ref")]
    pub pin_ref: Field<RevisionName>,
}

/// A hook, as written.
#[derive(Clone, Debug, Keys, Decode, Completeness)]
#[keys(title = "hook", define = "hook", list = "a list of tables", partial = HookKeys)]
pub struct HookEntry {
    /// The command, for the shell of the host.
    ///
    /// A blank one does nothing, and is not a hook.
    #[key(decode = command)]
    pub run: Spanned<Text>,
    /// The name that is shown when consent is asked for.
    #[key(decode = description)]
    pub name: Field<Text>,
    /// Whether it may be skipped.
    #[key(default = false)]
    pub optional: Field<bool>,
    /// The event at which it runs.
    #[key(default = HookEvent::default().name())]
    pub event: Field<HookEvent>,
}

/// An item, as written.
#[derive(Clone, Debug, Keys, Completeness)]
#[keys(title = "item", list = "a list of tables", partial = ItemKeys, extend = exclude_tool_keys)]
pub struct ItemEntry {
    /// The kind of the item.
    pub kind: Spanned<ItemKind>,
    /// Its name, without a prefix.
    pub name: Spanned<ItemName>,
    /// Its path relative to the root of the source; a folder for skills and tools.
    #[key(decode = path, schema = path_schema)]
    pub path: Spanned<WorkspacePath>,
    /// Its path relative to an agent home, instead of the default for its kind and name.
    #[key(decode = relative_path, schema = path_schema)]
    pub link: Field<WorkspacePath>,
    /// The purpose of the item, instead of the description in its front matter.
    #[key(decode = description)]
    pub description: Field<Text>,
    /// What `{{tools:NAME}}` stands for, relative to the folder of the tool; tools only.
    #[key(decode = relative_path, schema = path_schema)]
    pub bin: Field<WorkspacePath>,
    /// The build command, which runs before installation; tools only.
    #[key(decode = command)]
    pub build: Field<Text>,
    /// A command that runs after installation.
    #[key(decode = command)]
    pub install: Field<Text>,
    /// A command that runs before removal.
    #[key(decode = command)]
    pub uninstall: Field<Text>,
    /// Further hooks, which run after `install` and `uninstall`.
    pub hooks: Field<List<HookEntry>>,
}

/// The `[discover]` table.
#[derive(Clone, Debug, Default, Keys, Decode, Completeness)]
#[keys(title = "discover")]
pub struct Discover {
    /// The locations of skills: folders with a `SKILL.md`, or these files.
    pub skills: Field<Globs>,
    /// The locations of agents: Markdown files.
    pub agents: Field<Globs>,
    /// The locations of rules: Markdown files.
    pub rules: Field<Globs>,
    /// The locations of tools: folders.
    pub tools: Field<Globs>,
    /// Other sources that are added (melded) along with this one.
    pub sources: Field<List<NestedEntry>>,
}

/// Patterns for the items of one kind.
#[derive(Clone, Debug, Default, Keys, Decode, Completeness)]
#[keys(title = "patterns", define = "globs")]
pub struct Globs {
    /// Patterns of items that are offered: `*`, `?` and `[a-z]` match within a name, `**` matches any folders.
    pub include: Field<List<GlobPattern>>,
    /// Patterns of items that are not offered although `include` matches them.
    pub exclude: Field<List<GlobPattern>>,
}

/// Another source that is added along with this one, as written.
#[derive(Clone, Debug, Keys, Completeness)]
#[keys(
    title = "nested source",
    list = "a list of tables",
    partial = NestedKeys,
    extend = exclude_contradictions
)]
pub struct NestedEntry {
    /// The repository: `owner/name`, a URL, or a path relative to the folder of this file.
    ///
    /// It is valid for [`SourceSpec::parse`](crate::SourceSpec::parse) with any base.
    #[key(decode = invalid_spec::decode, schema = spec_schema)]
    pub source: Spanned<Text>,
    /// Its prefix, which overrides the one in its own `mind.toml`.
    ///
    /// An empty string means none.
    #[key(decode = prefix, schema = prefix_schema)]
    pub r#as: Field<Option<Prefix>>,
    /// Whether all of its items are offered for installation.
    #[key(default = false)]
    pub install: Field<bool>,
    /// The items that are offered for installation: `kind:name` each.
    ///
    /// Without prefix.
    #[key(name = "install-items")]
    pub install_items: Field<List<ItemKey>>,
    /// The pin, if it has no `mind.toml`.
    #[key(flatten)]
    pub pin: PinFields,
    /// The folders in which items are found by convention, if it has no `mind.toml`.
    #[key(decode = roots, schema = roots_schema)]
    pub roots: Field<List<WorkspacePath>>,
    /// Its hooks, if it has no `mind.toml`.
    pub hooks: Field<List<HookEntry>>,
    /// What to do if access to the repository is denied.
    #[key(name = "on-auth-failure")]
    pub on_auth_failure: Field<AuthFailureEntry>,
}

/// What to do if access to a repository is denied, as written.
#[derive(Clone, Debug, Keys, Completeness)]
#[keys(title = "authentication failure", partial = AuthFailureKeys)]
pub struct AuthFailureEntry {
    /// The action.
    pub action: Spanned<AuthFailureAction>,
    /// The message that is shown.
    #[key(decode = description)]
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
