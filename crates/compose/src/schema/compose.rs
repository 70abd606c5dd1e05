//! `team-compose.yaml`

use minds_document::UrlKind;
use minds_document::schema::{Describe, Object, Schema};
use serde_json::json;

use super::{count, count_in_32_bits, filled, nullable, text, texts, version};
use crate::model::{
    Attachments, AutoApproval, Broker, Budget, Compose, Hitl, Hook, Interface, ProjectEntry, RateLimits,
    Scanner, Supervisor,
};

fn words(words: &[&'static str]) -> Schema {
    Schema::words(words.iter().map(|word| (*word, "")))
}

fn block<T: Describe>(description: &str) -> Schema {
    nullable(T::schema()).described(description)
}

fn blocks<T: Describe>(description: &str) -> Schema {
    nullable(Schema::list(T::schema())).described(description)
}

impl Describe for Compose {
    fn schema() -> Schema {
        Object::<Self>::new("team-compose")
            .key("version", version())
            .key("broker", block::<Broker>("Where messages are kept."))
            .key("supervisor", block::<Supervisor>("What runs the agents."))
            .key("budget", block::<Budget>("What may be spent; shown and not enforced."))
            .key("hitl", block::<Hitl>("What people must approve."))
            .key("rate_limits", block::<RateLimits>("What happens at a limit of a provider."))
            .key("interfaces", blocks::<Interface>("Ways by which people reach the team."))
            .key("projects", blocks::<ProjectEntry>("The project files."))
            .key("attachments", block::<Attachments>("Which files agents may take in."))
            .required(&["version"])
            .map(|schema| schema.described("What holds for all projects of a team."))
            .finish()
    }
}

impl Describe for Broker {
    fn schema() -> Schema {
        Object::<Self>::new("broker")
            .key("type", words(&Compose::BROKERS).default_value(json!("sqlite")))
            .key("path", text().described("The file of the mailbox, from the compose root."))
            .finish()
    }
}

impl Describe for Supervisor {
    fn schema() -> Schema {
        Object::<Self>::new("supervisor")
            .key("type", words(&Compose::SUPERVISORS).default_value(json!("tmux")))
            .key("tmux_prefix", text().described("What the name of every session begins with."))
            .key(
                "drain_timeout_secs",
                Schema::integer(0, Some(Compose::MAX_DRAIN_SECONDS))
                    .described("How many seconds agents have to end.")
                    .default_value(json!(10)),
            )
            .finish()
    }
}

impl Describe for Budget {
    fn schema() -> Schema {
        let limits = Schema::mapping(Schema::number()).no_merge_key();
        Object::<Self>::new("budget")
            .key("daily_usd_limit", nullable(Schema::number()).described("US dollars a day."))
            .key(
                "warn_threshold_pct",
                nullable(count_in_32_bits()).described("From how many percent on people are warned."),
            )
            .key(
                "message_ttl_hours",
                nullable(count_in_32_bits()).described("For how many hours messages are kept."),
            )
            .key("per_project_usd_limit", nullable(limits).described("US dollars a day, by project."))
            .finish()
    }
}

impl Describe for Hitl {
    fn schema() -> Schema {
        Object::<Self>::new("hitl")
            .key(
                "globally_sensitive_actions",
                nullable(texts()).described("Actions that people must approve."),
            )
            .key("auto_approve_windows", blocks::<AutoApproval>("What is approved in advance."))
            .finish()
    }
}

impl Describe for AutoApproval {
    fn schema() -> Schema {
        Object::<Self>::new("approval")
            .key("action", text().described("The name of the action."))
            .key("project", text().described("The project in which it is approved."))
            .key("agent", text().described("The agent for whom it is approved."))
            .key("scope", text().described("What the action may be about."))
            .key(
                "until",
                Schema::string()
                    .pattern(
                        "^\\d{4}-\\d{2}-\\d{2}([Tt ]\\d{2}:\\d{2}.*)?$",
                        "must be a date, or a date and a time",
                    )
                    .described("Until when.")
                    .examples(["2026-05-01T09:00:00Z"]),
            )
            .required(&["action", "until"])
            .finish()
    }
}

impl Describe for RateLimits {
    fn schema() -> Schema {
        Object::<Self>::new("rate limits")
            .key(
                "default_on_hit",
                nullable(texts()).described("The hooks that run where an agent names none."),
            )
            .key("hooks", blocks::<Hook>("The hooks."))
            .key(
                "fallback_wait_seconds",
                count()
                    .described("How long an agent waits if nobody says until when.")
                    .default_value(json!(1800)),
            )
            .finish()
    }
}

impl Describe for Hook {
    fn schema() -> Schema {
        Object::<Self>::new("hook")
            .key("name", filled("The name."))
            .key("action", words(&Self::ACTIONS).described("What is done."))
            .key("to", filled("Who gets the message, for `send`."))
            .key("template", text().described("The message."))
            .key("url", nullable(UrlKind::HTTP.schema()).described("The address, for `webhook`."))
            .key("url_env", filled("The variable that holds the address, for `webhook`."))
            .key("method", text().described("The method of HTTP, for `webhook`."))
            .key("command", nullable(texts()).described("The program and its arguments, for `run`."))
            .required(&["name", "action"])
            .finish()
    }
}

impl Describe for Interface {
    fn schema() -> Schema {
        Object::<Self>::new("interface")
            .key("type", text().described("The kind."))
            .key("name", text().described("The name."))
            .key("config", Schema::any().described("What the adapter is told."))
            .required(&["type", "name"])
            .finish()
    }
}

impl Describe for ProjectEntry {
    fn schema() -> Schema {
        Object::<Self>::new("project entry")
            .key(
                "file",
                text().described("The project file, from the compose root.").examples(["projects/shop.yaml"]),
            )
            .required(&["file"])
            .finish()
    }
}

impl Describe for Attachments {
    fn schema() -> Schema {
        Object::<Self>::new("attachments")
            .key(
                "enabled",
                bool::schema().described("Whether agents may take in files.").default_value(json!(true)),
            )
            .key(
                "max_size_bytes",
                count().described("How large a file may be.").default_value(json!(5_242_880)),
            )
            .key("allowed_roots", nullable(texts()).described("In which directories files may lie."))
            .key("scanner", block::<Scanner>("What looks at each file first."))
            .key("audit_log_path", text().described("Where it is noted what was taken in."))
            .key("tempfile_ttl_seconds", count().described("For how many seconds copies are kept."))
            .finish()
    }
}

impl Describe for Scanner {
    fn schema() -> Schema {
        Object::<Self>::new("scanner")
            .key("command", text().described("The program; it is given the path of the file."))
            .key("timeout_seconds", count().described("How many seconds it has.").default_value(json!(30)))
            .required(&["command"])
            .finish()
    }
}
