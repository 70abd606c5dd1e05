//! `team.yaml`

use minds_access_control::{Extension, MAX_PATTERN_BYTES, Pattern};
use minds_document::FiniteNumber;
use minds_document::schema::{Describe, Object, Schema};
use serde_json::json;

use crate::catalog::{PROVIDERS, TOOLSETS, find_toolset, toolset_names};
use crate::model::{AccessList, MemberFields, Routing, Team, Wording};

impl Describe for Team {
    fn schema() -> Schema {
        let ids = Schema::list(Schema::string());
        let members = Schema::mapping(MemberFields::schema())
            .user_keys()
            .snippet(
                "member",
                "A member with its toolsets",
                &json!({ "${1:coder}": { "name": "${2:Coder}", "gofor": ["${3:changing code}"], "toolsets": ["${4:ws_read}"] } }),
            )
            .describe("The members, by id.");
        Object::<Self>::new("minds team")
            .field("member_defaults", |team| &team.member_defaults, "The default values of members.")
            .field(
                "default_responder",
                |team| &team.default_responder,
                "The id of the member that answers messages without an addressee.",
            )
            .key(
                "shell_specialists",
                Schema::either([Schema::string(), ids, Schema::null()])
                    .describe("The ids of the members that may run shell commands: a single id or a list."),
            )
            .key("members", members)
            .map(|schema| {
                schema
                    .describe("The members of the team, with their models, tools and directories.")
                    .snippet(
                        "team",
                        "A team with defaults and one member",
                        &json!({
                            "member_defaults": { "provider": "${1:codex}", "model": "${2:gpt-5.2}", "no_write_dirs": [".minds/**"] },
                            "default_responder": "${3:coder}",
                            "members": { "${3:coder}": { "name": "${4:Coder}", "toolsets": ["ws_read", "ws_mod"] } },
                        }),
                    )
            })
            .finish()
    }
}

impl Describe for MemberFields {
    fn schema() -> Schema {
        let effort = Schema::integer(0, Some(100));
        let pushes = FiniteNumber::schema();
        Object::<Self>::new("member")
            .key(
                "name",
                String::schema().describe("The display name; the id by default.").examples(["Coder"]),
            )
            .key("icon", String::schema().describe("An emoji or a short text.").examples(["🧭"]))
            .field("gofor", |member| &member.gofor, "The requests that should be routed to the member.")
            .field(
                "nogo",
                |member| &member.rare().nogo,
                "The requests that should not be routed to the member.",
            )
            .key(
                "provider",
                Schema::string_suggesting(PROVIDERS.iter().map(|provider| provider.key))
                    .describe("The key of a provider: built in, or defined in `llm.yaml`."),
            )
            .key("model", Schema::string_suggesting(models()).describe("The key of a model of the provider."))
            .field("model_params", |member| &member.rare().model_params, "Parameters of the model.")
            .key("toolsets", toolsets())
            .key("tools", tools())
            .key(
                "diligence-push-max",
                pushes
                    .clone()
                    .describe("The maximum number of times that the member is prompted to continue."),
            )
            .key(
                "diligence_push_max",
                pushes.describe("Another spelling of `diligence-push-max`.").do_not_suggest(),
            )
            .field("read_dirs", |member| &member.access.read_dirs, "The only directories that may be read.")
            .field(
                "write_dirs",
                |member| &member.access.write_dirs,
                "The only directories that may be written.",
            )
            .field(
                "no_read_dirs",
                |member| &member.access.no_read_dirs,
                "Directories that must not be read, regardless of other lists.",
            )
            .field(
                "no_write_dirs",
                |member| &member.access.no_write_dirs,
                "Directories that must not be written, regardless of other lists.",
            )
            .field(
                "read_file_ext_names",
                |member| &member.access.extension_lists().read_file_ext_names,
                "The only file extensions that may be read.",
            )
            .field(
                "write_file_ext_names",
                |member| &member.access.extension_lists().write_file_ext_names,
                "The only file extensions that may be written.",
            )
            .field(
                "no_read_file_ext_names",
                |member| &member.access.extension_lists().no_read_file_ext_names,
                "File extensions that must not be read.",
            )
            .field(
                "no_write_file_ext_names",
                |member| &member.access.extension_lists().no_write_file_ext_names,
                "File extensions that must not be written.",
            )
            .field("streaming", |member| &member.streaming, "Whether answers are streamed.")
            .key(
                "hidden",
                bool::schema()
                    .describe("Whether the member is omitted from the team directory.")
                    .default_value(json!(false)),
            )
            .key(
                "fbr-effort",
                effort
                    .clone()
                    .describe("The effort for fresh-eyes reasoning, from 0 to 100.")
                    .default_value(json!(3)),
            )
            .key("fbr_effort", effort.describe("Another spelling of `fbr-effort`.").do_not_suggest())
            .field(
                "fbr_model_params",
                |member| &member.rare().fbr_model_params,
                "Parameters of the model for fresh-eyes reasoning.",
            )
            .field("from", |member| &member.rare().from, "The app that provides the member.")
            .field("use", |member| &member.rare().r#use, "The member of the app.")
            .field("import", |member| &member.rare().import, "The items to import from the app.")
            .excludes("diligence-push-max", "diligence_push_max")
            .excludes("fbr-effort", "fbr_effort")
            .finish()
            .define("member")
    }
}

fn toolsets() -> Schema {
    let assignable = |name: &&str| find_toolset(name).is_some_and(|toolset| toolset.is_assignable);
    let names: Vec<&str> = toolset_names().filter(assignable).collect();
    let excluded: Vec<String> = names.iter().map(|name| format!("!{name}")).collect();
    let suggested = names.into_iter().chain(["*"]).chain(excluded.iter().map(String::as_str));
    Schema::list(Schema::string_suggesting(suggested))
        .describe("Toolsets: a name, `*` for all, `!name` to exclude one.")
        .examples_of([json!(["ws_read", "ws_mod"]), json!(["*", "!os"])])
}

fn tools() -> Schema {
    let mut names: Vec<&str> = TOOLSETS.iter().flat_map(|toolset| toolset.tools).copied().collect();
    names.sort_unstable();
    names.dedup();
    Schema::list(Schema::string_suggesting(names)).describe("Single tools, added after the toolsets.")
}

/// Returns the distinct keys of all built-in models.
fn models() -> Vec<&'static str> {
    let mut models: Vec<&str> =
        PROVIDERS.iter().flat_map(|provider| provider.models).map(|model| model.key).collect();
    models.sort_unstable();
    models.dedup();
    models
}

impl Describe for AccessList<Pattern> {
    fn schema() -> Schema {
        let no_way_up = json!({
            "pattern": "^(?!(.*[/\\\\])?\\.\\.([/\\\\]|$))",
            "patternErrorMessage": "must not have `..`",
        });
        let pattern = Schema::string()
            .with("maxLength", json!(MAX_PATTERN_BYTES))
            .with("allOf", json!([no_way_up]))
            .pattern("\\S", "must name a directory")
            .describe(
                "A directory and everything below it: `*` within a segment, `**` for any number of segments.",
            )
            .examples(["src/**", "docs", ".minds/**"])
            .define("directory");
        Schema::list(pattern)
    }
}

impl Describe for AccessList<Extension> {
    fn schema() -> Schema {
        let extension = Schema::string()
            .pattern("^[^/\\\\]*[^/\\\\.\\s][^/\\\\]*$", "must be an extension such as `md`")
            .describe("An extension, with or without a leading dot.")
            .examples(["md", "rs"])
            .define("extension");
        Schema::list(extension)
    }
}

impl Describe for Wording {
    fn schema() -> Schema {
        Schema::string()
    }
}

impl Describe for Routing {
    fn schema() -> Schema {
        let labels = || Schema::mapping(Schema::string()).user_keys();
        // A maximum of one would also count keys that are reserved for the user.
        let one_label = labels().with("minProperties", json!(1));
        let item = Schema::either([Schema::string(), one_label]);
        Schema::either([Schema::string(), Schema::list(item), labels()]).define("routing")
    }
}
