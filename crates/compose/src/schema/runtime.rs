//! Descriptors of runtimes.

use minds_document::schema::{Describe, Object, Schema};
use serde_json::json;

use super::{filled, nullable, text};
use crate::runtime::{RatePattern, Runtime};

impl Describe for Runtime {
    fn schema() -> Schema {
        let named = json!({
            "not": { "const": "<<" },
            "anyOf": [{ "pattern": "^x-" }, { "pattern": "^(?=[\\s\\S]*\\S)[^=\\u0000]+$" }],
        });
        let env = Schema::mapping(text()).user_keys().with("propertyNames", named);
        Object::<Self>::new("runtime")
            .key("binary", filled("The program."))
            .key(
                "supports_mcp",
                bool::schema()
                    .described("Whether it reads a configuration of MCP servers.")
                    .default_value(json!(false)),
            )
            .key("session_resume", text().described("The argument by which it takes up an earlier session."))
            .key("default_model", text().described("The model of an agent that names none."))
            .key("env", nullable(env).described("Variables that it is given."))
            .key(
                "rate_limit_patterns",
                nullable(Schema::list(RatePattern::schema()))
                    .described("How it says that a limit of the provider is reached."),
            )
            .required(&["binary"])
            .map(|schema| schema.described("A program that runs agents."))
            .finish()
    }
}

impl Describe for RatePattern {
    fn schema() -> Schema {
        Object::<Self>::new("pattern")
            .key("match", filled("A regular expression for a line."))
            .key("resets_at_capture", capture("A regular expression whose group says when the limit ends."))
            .key(
                "resets_in_capture",
                capture("A regular expression whose group says how long the limit lasts."),
            )
            .required(&["match"])
            .finish()
    }
}

fn capture(description: &str) -> Schema {
    text().described(description).pattern("\\(", "must have a group")
}
