//! What `mind.toml` says.

use minds_document::{Field, List, Spanned, Text};
use minds_paths::WorkspacePath;

use crate::{GlobPattern, HookEvent, ItemKey, ItemKind, ItemName, Prefix, RevisionName};

/// All that the file says.
#[derive(Clone, Debug, Default)]
pub struct Manifest {
    /// About the source itself.
    pub source: Field<SourceHead>,
    /// Commands that run when the source is melded or unmelded.
    pub hooks: Field<List<HookEntry>>,
    /// The items, one by one.
    pub items: Field<List<ItemEntry>>,
    /// Where items are found, and which other sources are curated.
    pub discover: Field<Discover>,
}

/// What `[source]` says.
#[derive(Clone, Debug, Default)]
pub struct SourceHead {
    /// What the source is for.
    pub description: Field<Text>,
    /// What the names of its items begin with, where they are installed; an empty text means nothing.
    pub prefix: Field<Option<Prefix>>,
    /// The oldest program that reads the source rightly.
    pub min_mind_version: Field<Text>,
    /// Which commit counts.
    pub pin: PinFields,
    /// Where the convention is followed, instead of the root.
    pub roots: Field<List<WorkspacePath>>,
    /// A command, in the old way to write a hook.
    pub install: Field<Text>,
}

/// The three keys that say which commit counts, of which at most one may be there.
#[derive(Clone, Debug, Default)]
pub struct PinFields {
    /// A branch, of which the newest commit counts.
    pub follow_branch: Field<RevisionName>,
    /// A tag.
    pub pin_tag: Field<RevisionName>,
    /// A commit.
    pub pin_ref: Field<RevisionName>,
}

/// A hook, as it is written.
#[derive(Clone, Debug)]
pub struct HookEntry {
    /// The command. A blank one does nothing, and counts as no hook.
    pub run: Spanned<Text>,
    /// What it is called.
    pub name: Field<Text>,
    /// Whether one may leave it out.
    pub optional: Field<bool>,
    /// When it runs.
    pub event: Field<HookEvent>,
}

/// An item, as it is written.
#[derive(Clone, Debug)]
pub struct ItemEntry {
    /// What it is.
    pub kind: Spanned<ItemKind>,
    /// The name.
    pub name: Spanned<ItemName>,
    /// Where it lies, from the root of the source.
    pub path: Spanned<WorkspacePath>,
    /// Where it is linked in an agent home.
    pub link: Field<WorkspacePath>,
    /// What it is for, instead of what its head says.
    pub description: Field<Text>,
    /// What `{{tools:name}}` stands for, from the folder of the tool; tools only.
    pub bin: Field<WorkspacePath>,
    /// What makes it; tools only.
    pub build: Field<Text>,
    /// A command that runs after it was installed.
    pub install: Field<Text>,
    /// A command that runs before it is removed.
    pub uninstall: Field<Text>,
    /// Further hooks, which run after these.
    pub hooks: Field<List<HookEntry>>,
}

/// What `[discover]` says.
#[derive(Clone, Debug, Default)]
pub struct Discover {
    /// Where skills are: folders with a `SKILL.md`, or these files.
    pub skills: Field<Globs>,
    /// Where agents are.
    pub agents: Field<Globs>,
    /// Where rules are.
    pub rules: Field<Globs>,
    /// Where tools are: their folders.
    pub tools: Field<Globs>,
    /// Other sources that are melded along with this one.
    pub sources: Field<List<NestedEntry>>,
}

/// Patterns for the items of one kind.
#[derive(Clone, Debug, Default)]
pub struct Globs {
    /// What is offered.
    pub include: Field<List<GlobPattern>>,
    /// What is not, of that.
    pub exclude: Field<List<GlobPattern>>,
}

/// Another source that is melded along with this one, as it is written.
#[derive(Clone, Debug)]
pub struct NestedEntry {
    /// Which repository. It is one for [`SourceSpec::parse`](crate::SourceSpec::parse), whatever the base.
    pub source: Spanned<Text>,
    /// The prefix that it gets; an empty text means none, whatever it says itself.
    pub r#as: Field<Option<Prefix>>,
    /// Whether all of its items are offered for installation.
    pub install: Field<bool>,
    /// The items that are offered for installation, without prefix.
    pub install_items: Field<List<ItemKey>>,
    /// Which commit counts, if it has no `mind.toml`.
    pub pin: PinFields,
    /// Where the convention is followed, if it has no `mind.toml`.
    pub roots: Field<List<WorkspacePath>>,
    /// The hooks, if it has no `mind.toml`.
    pub hooks: Field<List<HookEntry>>,
    /// What to do where its repository may not be read.
    pub on_auth_failure: Field<AuthFailureEntry>,
}

/// What to do where a repository may not be read, as it is written.
#[derive(Clone, Debug)]
pub struct AuthFailureEntry {
    /// What is done.
    pub action: Spanned<AuthFailureAction>,
    /// What is said then.
    pub message: Field<Text>,
}

/// What is done where a repository may not be read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AuthFailureAction {
    /// The source is left out, and it is said so.
    Skip,
    /// It is a failure.
    #[default]
    Error,
}

impl AuthFailureAction {
    /// Every action.
    pub const ALL: [Self; 2] = [Self::Skip, Self::Error];

    /// Returns the word for it.
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
    /// Returns the patterns of what is offered, without their places.
    pub fn include(&self) -> impl Iterator<Item = &GlobPattern> {
        patterns(&self.include)
    }

    /// Returns the patterns of what is not offered, without their places.
    pub fn exclude(&self) -> impl Iterator<Item = &GlobPattern> {
        patterns(&self.exclude)
    }
}

fn patterns(list: &Field<List<GlobPattern>>) -> impl Iterator<Item = &GlobPattern> {
    list.given().into_iter().flat_map(|list| &list.value.items).map(|pattern| &pattern.value)
}
