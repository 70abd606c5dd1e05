//! Project files.

use minds_document::schema::{Describe, Object, Schema};
use serde_json::json;

use super::{nullable, raw_string, raw_strings, version};
use crate::project::{AgentFields, AgentInterfaces, Channel, Project, ProjectHead, SpeechToText, Telegram};
use crate::runtime::BUILT_IN_RUNTIMES;

impl Describe for Project {
    fn schema() -> Schema {
        let agents = |description: &str| {
            let agent = nullable(AgentFields::schema().define("agent"));
            nullable(Schema::mapping(agent).no_merge_key()).describe(description)
        };
        Object::<Self>::new("project file")
            .key("version", version())
            .key("project", ProjectHead::schema())
            .key("channels", nullable(Schema::list(Channel::schema())).describe("The channels."))
            .key("managers", agents("The agents to which other agents can report, by id."))
            .key("workers", agents("The other agents, by id."))
            .require_keys(&["version", "project"])
            .map(|schema| {
                schema.describe("A project: its agents, and which of them can write to each other.")
            })
            .finish()
    }
}

impl Describe for ProjectHead {
    fn schema() -> Schema {
        Object::<Self>::new("project")
            .key("id", raw_string().describe("The id, which is part of the names of files and sessions."))
            .key("name", raw_string().describe("The display name."))
            .key("cwd", raw_string().describe("The directory in which its agents work."))
            .require_keys(&["id", "name", "cwd"])
            .finish()
    }
}

impl Describe for Channel {
    fn schema() -> Schema {
        let members = Schema::either([Schema::constant(json!("*")), Schema::list(Schema::string())]);
        Object::<Self>::new("channel")
            .key("name", raw_string().describe("The name."))
            .key("members", members.describe("The members: `\"*\"` for all agents, or a list of ids."))
            .require_keys(&["name"])
            .finish()
    }
}

impl Describe for AgentFields {
    fn schema() -> Schema {
        let paths = Schema::either([Schema::string(), Schema::list(Schema::string())]);
        let efforts = Schema::words(Self::EFFORTS.map(|word| (word, "")));
        let runtimes = format!(
            "The runtime: {}, or one that is described in `runtimes/`.",
            BUILT_IN_RUNTIMES.join(", ")
        );
        Object::<Self>::new("agent")
            .key(
                "runtime",
                raw_string()
                    .suggest(BUILT_IN_RUNTIMES)
                    .describe(&runtimes)
                    .default_value(json!(Self::DEFAULT_RUNTIME)),
            )
            .key("model", raw_string().describe("The name of the model."))
            .key("role_prompt", nullable(paths).describe("The files with the role prompt of the agent."))
            .key(
                "permission_mode",
                raw_string().suggest(Self::PERMISSION_MODES).describe(
                    "Which actions the runtime asks permission for; the values depend on the runtime.",
                ),
            )
            .key(
                "autonomy",
                raw_string().suggest(Self::AUTONOMY).describe("How much the agent may decide by itself."),
            )
            .key(
                "can_dm",
                nullable(raw_strings())
                    .describe("The agents to which it may send direct messages; an empty list means all."),
            )
            .key(
                "can_broadcast",
                nullable(raw_strings()).describe(
                    "The channels to which it may write; an empty list means all of which it is a member.",
                ),
            )
            .key("reports_to", raw_string().describe("The manager to which it reports."))
            .key(
                "on_rate_limit",
                nullable(raw_strings()).describe("The hooks that run when a rate limit is reached."),
            )
            .key("effort", nullable(efforts).describe("The reasoning effort of the model."))
            .key(
                "interfaces",
                nullable(AgentInterfaces::schema())
                    .describe("Interfaces through which people contact the agent."),
            )
            .key("display_name", raw_string().describe("The display name."))
            .finish()
    }
}

impl Describe for AgentInterfaces {
    fn schema() -> Schema {
        Object::<Self>::new("interfaces").key("telegram", nullable(Telegram::schema())).finish()
    }
}

impl Describe for Telegram {
    fn schema() -> Schema {
        Object::<Self>::new("telegram")
            .key(
                "bot_token_env",
                raw_string().describe("The environment variable that contains the bot token."),
            )
            .key(
                "chat_ids_env",
                raw_string().describe(
                    "The environment variable that contains the ids of the chats that the bot accepts.",
                ),
            )
            .key("speech_to_text", nullable(SpeechToText::schema()))
            .require_keys(&["bot_token_env", "chat_ids_env"])
            .finish()
    }
}

impl Describe for SpeechToText {
    fn schema() -> Schema {
        Object::<Self>::new("speech to text")
            .key("provider", raw_string().describe("The provider."))
            .key("api_key_env", raw_string().describe("The environment variable that contains the API key."))
            .key("model", raw_string().describe("The model."))
            .key("language", raw_string().describe("The spoken language."))
            .require_keys(&["provider", "api_key_env", "model"])
            .finish()
    }
}
