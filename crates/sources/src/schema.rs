//! The shape of `mind.toml`, for JSON Schemas.
//!
//! What names, paths, patterns and sources are exactly is for the check alone: it would be regular expressions that nobody
//! wants to read.

use minds_document::schema::{Describe, FileKind, Object, Schema};
use serde_json::json;

use crate::manifest::{
    AuthFailureAction, AuthFailureEntry, Discover, Globs, HookEntry, ItemEntry, MANIFEST_FILE, Manifest,
    NestedEntry, SourceHead,
};
use crate::{HookEvent, ItemKind};

/// The kinds of files of the family.
pub const KINDS: &[FileKind] = &[FileKind {
    name: "source",
    file: MANIFEST_FILE,
    docs: "docs/mind-toml.md",
    summary: "what a repository offers to agents",
    schema: Manifest::schema,
}];

fn name() -> Schema {
    Schema::string().pattern(r#"^[^./\\ -][^/\\:*?"<>|#\[\]{}]*$"#, "must be one plain file name")
}

fn prefix() -> Schema {
    Schema::string()
        .pattern(r#"^([^./\\ -][^/\\:*?"<>|#\[\]{}]*)?$"#, "must be one plain file name, or empty")
}

fn path() -> Schema {
    Schema::string().pattern(r"^[^/\\][^\\]*$", "must be a relative path with `/` between its names")
}

fn revision() -> Schema {
    Schema::string().pattern(r"^[^~^:?*\[\\ -][^~^:?*\[\\ ]*$", "must be a branch, a tag or a commit")
}

/// Adds the three keys that say which commit counts.
fn pinned<S>(object: Object<S>) -> Object<S> {
    object
        .key("follow-branch", revision().described("The branch whose newest commit counts."))
        .key("pin-tag", revision().described("The tag whose commit counts."))
        .key("pin-ref", revision().described("The commit that counts."))
        .excludes("follow-branch", "pin-tag")
        .excludes("follow-branch", "pin-ref")
        .excludes("pin-tag", "pin-ref")
}

impl Describe for Manifest {
    fn schema() -> Schema {
        Object::<Self>::new("source")
            .field("source", |manifest| &manifest.source, "About the source itself.")
            .field(
                "hooks",
                |manifest| &manifest.hooks,
                "Commands that run on the host when the source is melded or unmelded.",
            )
            .field(
                "items",
                |manifest| &manifest.items,
                "The items, one by one. Where there are any, nothing is found by convention.",
            )
            .field(
                "discover",
                |manifest| &manifest.discover,
                "Where items are found, and which other sources belong to it.",
            )
            .map(|schema| schema.described("What a repository offers to agents."))
            .finish()
    }
}

impl Describe for SourceHead {
    fn schema() -> Schema {
        let object = Object::<Self>::new("source head")
            .field("description", |head| &head.description, "What the source is for.")
            .key(
                "prefix",
                prefix().described(
                    "What the names of its items begin with where they are installed, before a `-`.",
                ),
            )
            .field(
                "min-mind-version",
                |head| &head.min_mind_version,
                "The oldest version of the format that will do.",
            );
        pinned(object)
            .key(
                "roots",
                Schema::list(path())
                    .described("The folders in which the convention is followed, instead of the root."),
            )
            .field(
                "install",
                |head| &head.install,
                "A command, in the old way to write a hook; write `[[hooks]]`.",
            )
            .finish()
    }
}

impl Describe for HookEntry {
    fn schema() -> Schema {
        let events = Schema::words([
            (HookEvent::Install.name(), "after what it belongs to was installed"),
            (HookEvent::Uninstall.name(), "before what it belongs to is removed"),
        ]);
        Object::<Self>::new("hook")
            .key("run", Schema::string().described("The command, for the shell of the host."))
            .field("name", |hook| &hook.name, "What it is called where it is asked about.")
            .key(
                "optional",
                bool::schema().described("Whether one may leave it out.").default_value(json!(false)),
            )
            .key("event", events.described("When it runs.").default_value(json!(HookEvent::default().name())))
            .required(&["run"])
            .finish()
            .shared("hook")
    }
}

impl Describe for ItemEntry {
    fn schema() -> Schema {
        let kinds = Schema::words([
            (ItemKind::Skill.name(), "a folder with a `SKILL.md`"),
            (ItemKind::Agent.name(), "a Markdown file that describes an agent"),
            (ItemKind::Rule.name(), "a Markdown file with rules"),
            (ItemKind::Tool.name(), "a folder with a program and what it needs"),
        ]);
        let others: Vec<&str> =
            ItemKind::ALL.into_iter().filter(|kind| *kind != ItemKind::Tool).map(ItemKind::name).collect();
        let is_no_tool = json!({ "required": ["kind"], "properties": { "kind": { "enum": others } } });
        Object::<Self>::new("item")
            .key("kind", kinds.described("What it is."))
            .key("name", name().described("Its name, without a prefix."))
            .key(
                "path",
                path()
                    .described("Where it lies, from the root of the source: a folder for skills and tools."),
            )
            .key(
                "link",
                path().described("Where it is linked in an agent home, instead of where kind and name say."),
            )
            .field("description", |item| &item.description, "What it is for, instead of what its head says.")
            .key(
                "bin",
                path()
                    .described("What `{{tools:NAME}}` stands for, from the folder of the tool; tools only."),
            )
            .field(
                "build",
                |item| &item.build,
                "The command that makes it before it is installed; tools only.",
            )
            .field("install", |item| &item.install, "A command that runs after it was installed.")
            .field("uninstall", |item| &item.uninstall, "A command that runs before it is removed.")
            .field("hooks", |item| &item.hooks, "Further hooks, which run after these.")
            .required(&["kind", "name", "path"])
            .map(|schema| {
                schema
                    .with("if", is_no_tool)
                    .with("then", json!({ "properties": { "bin": false, "build": false } }))
            })
            .finish()
    }
}

impl Describe for Discover {
    fn schema() -> Schema {
        Object::<Self>::new("discover")
            .field(
                "skills",
                |discover| &discover.skills,
                "Where skills are: folders with a `SKILL.md`, or these files.",
            )
            .field("agents", |discover| &discover.agents, "Where agents are: Markdown files.")
            .field("rules", |discover| &discover.rules, "Where rules are: Markdown files.")
            .field("tools", |discover| &discover.tools, "Where tools are: folders.")
            .field(
                "sources",
                |discover| &discover.sources,
                "Other sources that are melded along with this one.",
            )
            .finish()
    }
}

impl Describe for Globs {
    fn schema() -> Schema {
        let globs = || Schema::list(path());
        Object::<Self>::new("patterns")
            .key(
                "include",
                globs().described("What is offered: `*`, `?` and `[a-z]` in a name, `**` for any folders."),
            )
            .key("exclude", globs().described("What is not, of that."))
            .finish()
            .shared("globs")
    }
}

impl Describe for NestedEntry {
    fn schema() -> Schema {
        let key = Schema::string().pattern("^(skill|agent|rule|tool):[^./\\\\ -]", "must be `kind:name`");
        let all = json!({ "required": ["install"], "properties": { "install": { "const": true } } });
        let object = Object::<Self>::new("nested source")
            .key(
                "source",
                Schema::string().pattern("^[^-]", "must be `owner/name`, a URL or a path").described(
                    "Which repository: `owner/name`, a URL, or a path from the folder of this file.",
                ),
            )
            .key("as", prefix().described("The prefix that it gets, whatever it says itself."))
            .key(
                "install",
                bool::schema()
                    .described("Whether all of its items are offered for installation.")
                    .default_value(json!(false)),
            )
            .key(
                "install-items",
                Schema::list(key).described("The items that are offered for installation: `kind:name` each."),
            );
        pinned(object)
            .key(
                "roots",
                Schema::list(path()).described("Where the convention is followed, if it has no `mind.toml`."),
            )
            .field("hooks", |nested| &nested.hooks, "Its hooks, if it has no `mind.toml`.")
            .field(
                "on-auth-failure",
                |nested| &nested.on_auth_failure,
                "What to do where it may not be read.",
            )
            .required(&["source"])
            .map(|schema| {
                let none = json!({ "properties": { "install-items": { "maxItems": 0 } } });
                schema.with("if", all).with("then", none)
            })
            .finish()
    }
}

impl Describe for AuthFailureEntry {
    fn schema() -> Schema {
        let actions = Schema::words([
            (AuthFailureAction::Skip.name(), "leave it out, and say so"),
            (AuthFailureAction::Error.name(), "fail"),
        ]);
        Object::<Self>::new("authentication failure")
            .key("action", actions.described("What is done."))
            .field("message", |failure| &failure.message, "What is said then.")
            .required(&["action"])
            .finish()
    }
}
