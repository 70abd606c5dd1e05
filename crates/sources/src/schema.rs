//! The structure of `mind.toml`, for JSON Schemas.
//!
//! The exact rules for names, paths, patterns and sources are left to the check: as regular expressions they
//! would not be readable.

use minds_document::schema::{Describe, FileKind, Object, Schema};
use serde_json::json;

use crate::manifest::{
    AuthFailureAction, AuthFailureEntry, Discover, Globs, HookEntry, ItemEntry, MANIFEST_FILE, Manifest,
    NestedEntry, SourceTable,
};
use crate::{HookEvent, ItemKind};

/// The file kinds of this crate.
pub const KINDS: &[FileKind] = &[FileKind {
    name: "source",
    file: MANIFEST_FILE,
    docs: "docs/mind-toml.md",
    summary: "what a repository offers to agents",
    schema: Manifest::schema,
}];

fn name() -> Schema {
    Schema::string().pattern(r#"^[^./\\ -][^/\\:*?"<>|#\[\]{}]*$"#, "must be a single file name")
}

fn prefix() -> Schema {
    Schema::string().pattern(r#"^([^./\\ -][^/\\:*?"<>|#\[\]{}]*)?$"#, "must be a single file name, or empty")
}

fn path() -> Schema {
    Schema::string().pattern(r"^[^/\\][^\\]*$", "must be a relative path with `/` as separator")
}

fn revision() -> Schema {
    Schema::string().pattern(r"^[^~^:?*\[\\ -][^~^:?*\[\\ ]*$", "must be a branch, a tag or a commit")
}

/// Adds the three keys of a pin.
fn add_pin_keys<S>(object: Object<S>) -> Object<S> {
    object
        .key("follow-branch", revision().describe("The branch whose newest commit is used."))
        .key("pin-tag", revision().describe("The tag whose commit is used."))
        .key("pin-ref", revision().describe("The commit that is used."))
        .excludes("follow-branch", "pin-tag")
        .excludes("follow-branch", "pin-ref")
        .excludes("pin-tag", "pin-ref")
}

impl Describe for Manifest {
    fn schema() -> Schema {
        Object::<Self>::new("source")
            .field("source", |manifest| &manifest.source, "Properties of the source itself.")
            .field(
                "hooks",
                |manifest| &manifest.hooks,
                "Commands that run on the host when the source is added (melded) or removed (unmelded).",
            )
            .field(
                "items",
                |manifest| &manifest.items,
                "The items, one by one. If there are any, nothing is found by convention.",
            )
            .field(
                "discover",
                |manifest| &manifest.discover,
                "Where items are found, and which other sources are added along with this one.",
            )
            .map(|schema| schema.describe("What a repository offers to agents."))
            .finish()
    }
}

impl Describe for SourceTable {
    fn schema() -> Schema {
        let object = Object::<Self>::new("source head")
            .field("description", |head| &head.description, "The purpose of the source.")
            .key(
                "prefix",
                prefix().describe("The prefix of the names of installed items, which is followed by a `-`."),
            )
            .field("min-mind-version", |head| &head.min_mind_version, "The minimum version of the format.");
        add_pin_keys(object)
            .key(
                "roots",
                Schema::list(path())
                    .describe("The folders in which items are found by convention, instead of the root."),
            )
            .field(
                "install",
                |head| &head.install,
                "A command that runs on installation. Deprecated: use `[[hooks]]`.",
            )
            .finish()
    }
}

impl Describe for HookEntry {
    fn schema() -> Schema {
        let events = Schema::words([
            (HookEvent::Install.name(), "after the source or item is installed"),
            (HookEvent::Uninstall.name(), "before the source or item is removed"),
        ]);
        Object::<Self>::new("hook")
            .key("run", Schema::string().describe("The command, for the shell of the host."))
            .field("name", |hook| &hook.name, "The name that is shown when consent is asked for.")
            .key(
                "optional",
                bool::schema().describe("Whether it may be skipped.").default_value(json!(false)),
            )
            .key(
                "event",
                events
                    .describe("The event at which it runs.")
                    .default_value(json!(HookEvent::default().name())),
            )
            .require_keys(&["run"])
            .finish()
            .define("hook")
    }
}

impl Describe for ItemEntry {
    fn schema() -> Schema {
        let kinds = Schema::words([
            (ItemKind::Skill.name(), "a folder with a `SKILL.md`"),
            (ItemKind::Agent.name(), "a Markdown file that describes an agent"),
            (ItemKind::Rule.name(), "a Markdown file with rules"),
            (ItemKind::Tool.name(), "a folder with a program and the files that it needs"),
        ]);
        let other_kinds: Vec<&str> =
            ItemKind::ALL.into_iter().filter(|kind| *kind != ItemKind::Tool).map(ItemKind::name).collect();
        let is_no_tool = json!({ "required": ["kind"], "properties": { "kind": { "enum": other_kinds } } });
        Object::<Self>::new("item")
            .key("kind", kinds.describe("The kind of the item."))
            .key("name", name().describe("Its name, without a prefix."))
            .key(
                "path",
                path()
                    .describe("Its path relative to the root of the source; a folder for skills and tools."),
            )
            .key(
                "link",
                path().describe(
                    "Its path relative to an agent home, instead of the default for its kind and name.",
                ),
            )
            .field(
                "description",
                |item| &item.description,
                "The purpose of the item, instead of the description in its front matter.",
            )
            .key(
                "bin",
                path().describe(
                    "What `{{tools:NAME}}` stands for, relative to the folder of the tool; tools only.",
                ),
            )
            .field(
                "build",
                |item| &item.build,
                "The build command, which runs before installation; tools only.",
            )
            .field("install", |item| &item.install, "A command that runs after installation.")
            .field("uninstall", |item| &item.uninstall, "A command that runs before removal.")
            .field("hooks", |item| &item.hooks, "Further hooks, which run after `install` and `uninstall`.")
            .require_keys(&["kind", "name", "path"])
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
                "The locations of skills: folders with a `SKILL.md`, or these files.",
            )
            .field("agents", |discover| &discover.agents, "The locations of agents: Markdown files.")
            .field("rules", |discover| &discover.rules, "The locations of rules: Markdown files.")
            .field("tools", |discover| &discover.tools, "The locations of tools: folders.")
            .field(
                "sources",
                |discover| &discover.sources,
                "Other sources that are added (melded) along with this one.",
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
                globs().describe("Patterns of items that are offered: `*`, `?` and `[a-z]` match within a name, `**` matches any folders."),
            )
            .key("exclude", globs().describe("Patterns of items that are not offered although `include` matches them."))
            .finish()
            .define("globs")
    }
}

impl Describe for NestedEntry {
    fn schema() -> Schema {
        let key = Schema::string().pattern("^(skill|agent|rule|tool):[^./\\\\ -]", "must be `kind:name`");
        let all = json!({ "required": ["install"], "properties": { "install": { "const": true } } });
        let object = Object::<Self>::new("nested source")
            .key(
                "source",
                Schema::string().pattern("^[^-]", "must be `owner/name`, a URL or a path").describe(
                    "The repository: `owner/name`, a URL, or a path relative to the folder of this file.",
                ),
            )
            .key("as", prefix().describe("Its prefix, which overrides the one in its own `mind.toml`."))
            .key(
                "install",
                bool::schema()
                    .describe("Whether all of its items are offered for installation.")
                    .default_value(json!(false)),
            )
            .key(
                "install-items",
                Schema::list(key).describe("The items that are offered for installation: `kind:name` each."),
            );
        add_pin_keys(object)
            .key(
                "roots",
                Schema::list(path()).describe(
                    "The folders in which items are found by convention, if it has no `mind.toml`.",
                ),
            )
            .field("hooks", |nested| &nested.hooks, "Its hooks, if it has no `mind.toml`.")
            .field(
                "on-auth-failure",
                |nested| &nested.on_auth_failure,
                "What to do if access to the repository is denied.",
            )
            .require_keys(&["source"])
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
            (AuthFailureAction::Skip.name(), "skip the source, with a message"),
            (AuthFailureAction::Error.name(), "fail"),
        ]);
        Object::<Self>::new("authentication failure")
            .key("action", actions.describe("The action."))
            .field("message", |failure| &failure.message, "The message that is shown.")
            .require_keys(&["action"])
            .finish()
    }
}
