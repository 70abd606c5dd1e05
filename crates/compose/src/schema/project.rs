//! Project files.

use minds_document::schema::{Describe, Object, Schema};
use serde_json::json;

use super::{nullable, text, texts, version};
use crate::project::{AgentFields, AgentInterfaces, Channel, Project, ProjectHead, SpeechToText, Telegram};
use crate::runtime::BUILT_IN_RUNTIMES;

impl Describe for Project {
    fn schema() -> Schema {
        let agents = |description: &str| {
            let agent = nullable(AgentFields::schema().shared("agent"));
            nullable(Schema::mapping(agent).no_merge_key()).described(description)
        };
        Object::<Self>::new("project file")
            .key("version", version())
            .key("project", ProjectHead::schema())
            .key("channels", nullable(Schema::list(Channel::schema())).described("The channels."))
            .key("managers", agents("The agents to whom others report, by id."))
            .key("workers", agents("The other agents, by id."))
            .required(&["version", "project"])
            .map(|schema| schema.described("A project: who works in it, and who talks to whom."))
            .finish()
    }
}

impl Describe for ProjectHead {
    fn schema() -> Schema {
        Object::<Self>::new("project")
            .key("id", text().described("The id, by which files and sessions are named."))
            .key("name", text().described("The name for people."))
            .key("cwd", text().described("The directory in which its agents work."))
            .required(&["id", "name", "cwd"])
            .finish()
    }
}

impl Describe for Channel {
    fn schema() -> Schema {
        let members = Schema::either([Schema::constant(json!("*")), Schema::list(Schema::string())]);
        Object::<Self>::new("channel")
            .key("name", text().described("The name."))
            .key("members", members.described("Who is in it: `\"*\"` for everyone, or a list of ids."))
            .required(&["name"])
            .finish()
    }
}

impl Describe for AgentFields {
    fn schema() -> Schema {
        let paths = Schema::either([Schema::string(), Schema::list(Schema::string())]);
        let efforts = Schema::words(Self::EFFORTS.map(|word| (word, "")));
        let runtimes = format!("The runtime: {}, or one of `runtimes/`.", BUILT_IN_RUNTIMES.join(", "));
        Object::<Self>::new("agent")
            .key(
                "runtime",
                text()
                    .suggesting(BUILT_IN_RUNTIMES)
                    .described(&runtimes)
                    .default_value(json!(Self::DEFAULT_RUNTIME)),
            )
            .key("model", text().described("The name of the model."))
            .key("role_prompt", nullable(paths).described("The files that tell the agent who it is."))
            .key(
                "permission_mode",
                text()
                    .suggesting(Self::PERMISSION_MODES)
                    .described("What the runtime asks before it acts; each runtime has its own words."),
            )
            .key("autonomy", text().suggesting(Self::AUTONOMY).described("How much the agent may decide."))
            .key(
                "can_dm",
                nullable(texts()).described("To which agents it may write; to all if it is empty."),
            )
            .key("can_broadcast", nullable(texts()).described("To which channels it may write."))
            .key("reports_to", text().described("The manager to whom it reports."))
            .key(
                "on_rate_limit",
                nullable(texts()).described("The hooks that run at a limit of the provider."),
            )
            .key("effort", nullable(efforts).described("How hard the model thinks."))
            .key(
                "interfaces",
                nullable(AgentInterfaces::schema()).described("Ways by which people reach it."),
            )
            .key("display_name", text().described("The name for people."))
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
            .key("bot_token_env", text().described("The variable that holds the token of the bot."))
            .key("chat_ids_env", text().described("The variable that holds the chats to which it listens."))
            .key("speech_to_text", nullable(SpeechToText::schema()))
            .required(&["bot_token_env", "chat_ids_env"])
            .finish()
    }
}

impl Describe for SpeechToText {
    fn schema() -> Schema {
        Object::<Self>::new("speech to text")
            .key("provider", text().described("The provider."))
            .key("api_key_env", text().described("The variable that holds the key."))
            .key("model", text().described("The model."))
            .key("language", text().described("The language that is spoken."))
            .required(&["provider", "api_key_env", "model"])
            .finish()
    }
}
