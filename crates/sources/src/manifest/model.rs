//! What `mind.toml` says.

use minds_document::{Field, List, Text};

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

impl Manifest {
    /// Returns whether the file lists the items, so that nothing is found by convention: it has an item, or a pattern
    /// that includes.
    pub fn is_authoritative(&self) -> bool {
        let has_items = self.items.given().is_some_and(|items| !items.value.items.is_empty());
        let has_globs = self.discover.given().is_some_and(|discover| {
            let discover = &discover.value;
            [&discover.skills, &discover.agents, &discover.rules, &discover.tools].into_iter().any(|globs| {
                let include = globs.given().and_then(|globs| globs.value.include.given());
                include.is_some_and(|include| !include.value.items.is_empty())
            })
        });
        has_items || has_globs
    }
}

/// What `[source]` says.
#[derive(Clone, Debug, Default)]
pub struct SourceHead {
    /// What the source is for.
    pub description: Field<Text>,
    /// What the names of its items begin with, where they are installed.
    pub prefix: Field<Text>,
    /// The oldest program that reads the source rightly.
    pub min_mind_version: Field<Text>,
    /// Which commit counts.
    pub pin: PinFields,
    /// Where the convention is followed, instead of the root.
    pub roots: Field<List<Text>>,
    /// A command, in the old way to write a hook.
    pub install: Field<Text>,
}

/// The three keys that say which commit counts, of which at most one may be there.
#[derive(Clone, Debug, Default)]
pub struct PinFields {
    /// A branch, of which the newest commit counts.
    pub follow_branch: Field<Text>,
    /// A tag.
    pub pin_tag: Field<Text>,
    /// A commit.
    pub pin_ref: Field<Text>,
}

/// A hook, as it is written.
#[derive(Clone, Debug, Default)]
pub struct HookEntry {
    /// The command.
    pub run: Field<Text>,
    /// What it is called.
    pub name: Field<Text>,
    /// Whether one may leave it out.
    pub optional: Field<bool>,
    /// When it runs: the name of a [`HookEvent`](crate::HookEvent).
    pub event: Field<Text>,
}

/// An item, as it is written.
#[derive(Clone, Debug, Default)]
pub struct ItemEntry {
    /// The name of an [`ItemKind`](crate::ItemKind).
    pub kind: Field<Text>,
    /// The name.
    pub name: Field<Text>,
    /// Where it lies, from the root of the source.
    pub path: Field<Text>,
    /// Where it is linked in an agent home.
    pub link: Field<Text>,
    /// What it is for, instead of what its head says.
    pub description: Field<Text>,
    /// What `{{tools:name}}` stands for; tools only.
    pub bin: Field<Text>,
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
    pub sources: Field<List<NestedSource>>,
}

/// Patterns for the items of one kind.
#[derive(Clone, Debug, Default)]
pub struct Globs {
    /// What is offered.
    pub include: Field<List<Text>>,
    /// What is not, of that.
    pub exclude: Field<List<Text>>,
}

/// Another source that is melded along with this one.
#[derive(Clone, Debug, Default)]
pub struct NestedSource {
    /// Which repository.
    pub source: Field<Text>,
    /// The prefix that it gets.
    pub r#as: Field<Text>,
    /// Whether all of its items are offered for installation.
    pub install: Field<bool>,
    /// The items that are offered for installation: kinds and names without prefix.
    pub install_items: Field<List<Text>>,
    /// Which commit counts, if it has no `mind.toml`.
    pub pin: PinFields,
    /// Where the convention is followed, if it has no `mind.toml`.
    pub roots: Field<List<Text>>,
    /// The hooks, if it has no `mind.toml`.
    pub hooks: Field<List<HookEntry>>,
    /// What to do where its repository may not be read.
    pub on_auth_failure: Field<AuthFailure>,
}

/// What to do where a repository may not be read.
#[derive(Clone, Debug, Default)]
pub struct AuthFailure {
    /// One of [`AuthFailure::ACTIONS`].
    pub action: Field<Text>,
    /// What is said then.
    pub message: Field<Text>,
}

impl AuthFailure {
    /// What can be done.
    pub const ACTIONS: [&str; 2] = ["skip", "error"];
}
