//! `team-compose.yaml`

use minds_document::UrlKind;
use minds_document::schema::{Describe, Object, Schema};
use serde_json::json;

use super::{count, count_in_32_bits, not_blank, nullable, raw_string, raw_strings, version};
use crate::model::{
    Attachments, AutoApproval, Broker, Budget, Compose, Hitl, Hook, Interface, ProjectEntry, RateLimits,
    Scanner, Supervisor,
};

fn keywords(keywords: &[&'static str]) -> Schema {
    Schema::words(keywords.iter().map(|keyword| (*keyword, "")))
}

fn block<T: Describe>(description: &str) -> Schema {
    nullable(T::schema()).describe(description)
}

fn blocks<T: Describe>(description: &str) -> Schema {
    nullable(Schema::list(T::schema())).describe(description)
}

impl Describe for Compose {
    fn schema() -> Schema {
        Object::<Self>::new("team-compose")
            .key("version", version())
            .key("broker", block::<Broker>("Where messages are stored."))
            .key("supervisor", block::<Supervisor>("The process supervisor that runs the agents."))
            .key("budget", block::<Budget>("Spending limits. They are displayed, not enforced."))
            .key("hitl", block::<Hitl>("Actions that require human approval."))
            .key("rate_limits", block::<RateLimits>("What to do when a provider's rate limit is reached."))
            .key("interfaces", blocks::<Interface>("Interfaces through which people contact the team."))
            .key("projects", blocks::<ProjectEntry>("The project files."))
            .key("attachments", block::<Attachments>("Which attachments agents accept."))
            .require_keys(&["version"])
            .map(|schema| schema.describe("Settings that apply to all projects of a team."))
            .finish()
    }
}

impl Describe for Broker {
    fn schema() -> Schema {
        Object::<Self>::new("broker")
            .key("type", keywords(&Compose::BROKERS).default_value(json!("sqlite")))
            .key("path", raw_string().describe("The path of the mailbox, relative to the compose root."))
            .finish()
    }
}

impl Describe for Supervisor {
    fn schema() -> Schema {
        Object::<Self>::new("supervisor")
            .key("type", keywords(&Compose::SUPERVISORS).default_value(json!("tmux")))
            .key("tmux_prefix", raw_string().describe("The prefix of session names."))
            .key(
                "drain_timeout_secs",
                Schema::integer(0, Some(Compose::MAX_DRAIN_SECONDS))
                    .describe("How many seconds agents have to shut down.")
                    .default_value(json!(10)),
            )
            .finish()
    }
}

impl Describe for Budget {
    fn schema() -> Schema {
        let limits = Schema::mapping(Schema::number()).no_merge_key();
        Object::<Self>::new("budget")
            .key("daily_usd_limit", nullable(Schema::number()).describe("US dollars per day."))
            .key(
                "warn_threshold_pct",
                nullable(count_in_32_bits())
                    .describe("The percentage of the limit at which a warning is sent."),
            )
            .key(
                "message_ttl_hours",
                nullable(count_in_32_bits()).describe("How many hours messages are kept."),
            )
            .key("per_project_usd_limit", nullable(limits).describe("US dollars per day, by project."))
            .finish()
    }
}

impl Describe for Hitl {
    fn schema() -> Schema {
        Object::<Self>::new("hitl")
            .key(
                "globally_sensitive_actions",
                nullable(raw_strings()).describe("Names of actions that require approval."),
            )
            .key(
                "auto_approve_windows",
                blocks::<AutoApproval>("Actions that are approved in advance for a limited time."),
            )
            .finish()
    }
}

impl Describe for AutoApproval {
    fn schema() -> Schema {
        Object::<Self>::new("approval")
            .key("action", raw_string().describe("The name of the action."))
            .key("project", raw_string().describe("The project to which the approval is limited."))
            .key("agent", raw_string().describe("The agent to which the approval is limited."))
            .key("scope", raw_string().describe("The scope of the action."))
            .key(
                "until",
                Schema::string()
                    .pattern(
                        "^\\d{4}-\\d{2}-\\d{2}([Tt ]\\d{2}:\\d{2}.*)?$",
                        "must be a date, or a date and a time",
                    )
                    .describe("When the approval ends.")
                    .examples(["2026-05-01T09:00:00Z"]),
            )
            .require_keys(&["action", "until"])
            .finish()
    }
}

impl Describe for RateLimits {
    fn schema() -> Schema {
        Object::<Self>::new("rate limits")
            .key(
                "default_on_hit",
                nullable(raw_strings()).describe("The hooks that run for agents without `on_rate_limit`."),
            )
            .key("hooks", blocks::<Hook>("The hooks that agents can name."))
            .key(
                "fallback_wait_seconds",
                count()
                    .describe("How many seconds an agent waits if the end of the limit is unknown.")
                    .default_value(json!(1800)),
            )
            .finish()
    }
}

impl Describe for Hook {
    fn schema() -> Schema {
        Object::<Self>::new("hook")
            .key("name", not_blank("The name."))
            .key("action", keywords(&Self::ACTIONS).describe("The action of the hook."))
            .key("to", not_blank("The recipient, for `send`."))
            .key("template", raw_string().describe("The message."))
            .key("url", nullable(UrlKind::HTTP.schema()).describe("The URL, for `webhook`."))
            .key("url_env", not_blank("The environment variable that contains the URL, for `webhook`."))
            .key("method", raw_string().describe("The HTTP method, for `webhook`."))
            .key("command", nullable(raw_strings()).describe("The program and its arguments, for `run`."))
            .require_keys(&["name", "action"])
            .finish()
    }
}

impl Describe for Interface {
    fn schema() -> Schema {
        Object::<Self>::new("interface")
            .key("type", raw_string().describe("The kind."))
            .key("name", raw_string().describe("The name."))
            .key(
                "config",
                Schema::any().describe("The configuration of the adapter, which defines its keys."),
            )
            .require_keys(&["type", "name"])
            .finish()
    }
}

impl Describe for ProjectEntry {
    fn schema() -> Schema {
        Object::<Self>::new("project entry")
            .key(
                "file",
                raw_string()
                    .describe("The path of the project file, relative to the compose root.")
                    .examples(["projects/shop.yaml"]),
            )
            .require_keys(&["file"])
            .finish()
    }
}

impl Describe for Attachments {
    fn schema() -> Schema {
        Object::<Self>::new("attachments")
            .key(
                "enabled",
                bool::schema().describe("Whether agents accept attachments.").default_value(json!(true)),
            )
            .key(
                "max_size_bytes",
                count().describe("The maximum file size in bytes.").default_value(json!(5_242_880)),
            )
            .key(
                "allowed_roots",
                nullable(raw_strings()).describe("The directories that attachments may come from."),
            )
            .key("scanner", block::<Scanner>("The program that scans each file."))
            .key("audit_log_path", raw_string().describe("The path of the audit log."))
            .key("tempfile_ttl_seconds", count().describe("How many seconds temporary copies are kept."))
            .finish()
    }
}

impl Describe for Scanner {
    fn schema() -> Schema {
        Object::<Self>::new("scanner")
            .key("command", raw_string().describe("The program. Its argument is the path of the file."))
            .key("timeout_seconds", count().describe("The timeout in seconds.").default_value(json!(30)))
            .require_keys(&["command"])
            .finish()
    }
}
