//! `minds.toml`

use minds_document::schema::{Describe, Object, Schema};
use serde_json::json;

use crate::settings::{Check, DEFAULT_TASK_HOME, LanguageTag, Settings, TaskHome};

impl Describe for Settings {
    fn schema() -> Schema {
        Object::<Self>::new("minds settings")
            .key(
                "task_home",
                TaskHome::schema()
                    .describe("The directory for task packages, relative to the workspace.")
                    .default_value(json!(DEFAULT_TASK_HOME)),
            )
            .field(
                "task_maintainers",
                |settings| &settings.task_maintainers,
                "The members that may change task packages; all other members may only read them. By default every member may.",
            )
            .key(
                "language",
                LanguageTag::schema().describe(
                    "The language of minds files and instructions for members, such as `zh`. If a member has no \
                     `persona.zh.md`, it receives `persona.md`.",
                ),
            )
            .field("check", |settings| &settings.check, "The settings of checks.")
            .map(|schema| schema.describe("The settings of `minds` itself for this workspace."))
            .finish()
    }
}

impl Describe for Check {
    fn schema() -> Schema {
        Object::<Self>::new("check")
            .key(
                "strict",
                bool::schema()
                    .describe("Whether warnings make `minds check` fail, as with `--strict`.")
                    .default_value(json!(false)),
            )
            .finish()
    }
}

impl Describe for LanguageTag {
    fn schema() -> Schema {
        Schema::string()
            .pattern(
                "^[A-Za-z]{2,3}(-[A-Za-z0-9]{1,8})*$",
                "must be a language tag such as `en`, `zh` or `pt-BR`",
            )
            .examples(["en", "zh"])
    }
}

impl Describe for TaskHome {
    fn schema() -> Schema {
        Schema::string()
            .pattern("^[^/\\\\]", "must be a path inside the workspace, without a leading slash")
            .examples(["work/tasks"])
    }
}
