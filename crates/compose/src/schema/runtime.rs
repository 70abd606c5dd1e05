//! Descriptors of runtimes.

use minds_document::schema::{Describe, Object, Schema};
use serde_json::json;

use super::{nullable, text};
use crate::runtime::{RatePattern, Runtime};

impl Describe for Runtime {
    fn schema() -> Schema {
        let env = Schema::mapping(text()).user_keys().no_merge_key();
        Object::<Self>::new("runtime")
            .key("binary", text().described("The program.").pattern("\\S", "must not be blank"))
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
            .key("match", text().described("A regular expression for the line."))
            .key("resets_at_capture", text().described("The group that says when the limit ends."))
            .key("resets_in_capture", text().described("The group that says in how many seconds it ends."))
            .required(&["match"])
            .finish()
    }
}
