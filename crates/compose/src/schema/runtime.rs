//! Runtime descriptors.

use minds_document::schema::{Describe, Object, Schema};
use serde_json::json;

use super::{not_blank, nullable, raw_string};
use crate::runtime::{RatePattern, Runtime};

impl Describe for Runtime {
    fn schema() -> Schema {
        let variable_name = json!({
            "not": { "const": "<<" },
            "anyOf": [{ "pattern": "^x-" }, { "pattern": "^(?=[\\s\\S]*\\S)[^=\\u0000]+$" }],
        });
        let env = Schema::mapping(raw_string()).user_keys().with("propertyNames", variable_name);
        Object::<Self>::new("runtime")
            .key("binary", not_blank("The path or name of the program."))
            .key(
                "supports_mcp",
                bool::schema()
                    .describe("Whether it accepts an MCP configuration file.")
                    .default_value(json!(false)),
            )
            .key("session_resume", raw_string().describe("The command-line argument that resumes a session."))
            .key("default_model", raw_string().describe("The model of agents without `model`."))
            .key("env", nullable(env).describe("Environment variables for the program."))
            .key(
                "rate_limit_patterns",
                nullable(Schema::list(RatePattern::schema()))
                    .describe("How to recognize in its output that a rate limit is reached."),
            )
            .require_keys(&["binary"])
            .map(|schema| schema.describe("A program that runs agents."))
            .finish()
    }
}

impl Describe for RatePattern {
    fn schema() -> Schema {
        Object::<Self>::new("pattern")
            .key("match", not_blank("A regular expression that matches a line of output."))
            .key(
                "resets_at_capture",
                capture("A regular expression whose group captures when the limit ends."),
            )
            .key(
                "resets_in_capture",
                capture("A regular expression whose group captures how many seconds the limit lasts."),
            )
            .require_keys(&["match"])
            .finish()
    }
}

fn capture(description: &str) -> Schema {
    raw_string().describe(description).pattern("\\(", "must have a group")
}
