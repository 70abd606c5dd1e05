//! The JSON Schemas of the files of the family.
//!
//! Requirements across layers (a model has a provider) and references are only checked by the rules. Older forms are read
//! but not part of the schemas, because they should not be written.

use minds_document::schema::{Describe, FileKind, Object, Schema};
use minds_document::{EnvVar, UrlKind};
use serde_json::json;

use crate::decode::TRANSPORT_KINDS;
use crate::model::{
    Agent, Exec, Inference, ModelFields, Models, Project, PromptFiles, Sandbox, Scratchpad, Security,
    Telemetry, Tools, Transport,
};
use crate::stack::{MODELS_FILE, PROJECT_FILE, TOOLS_FILE};
use crate::tools::{BUILTIN, MAX_NAME_BYTES, ToolLists};

/// The kinds of files of the family.
pub const KINDS: &[FileKind] = &[
    FileKind {
        name: "fleet-project",
        file: PROJECT_FILE,
        docs: "docs/fleet.md",
        summary: "what the project of a fleet is",
        schema: Project::schema,
    },
    FileKind {
        name: "fleet-models",
        file: MODELS_FILE,
        docs: "docs/fleet.md",
        summary: "models of a fleet",
        schema: Models::schema,
    },
    FileKind {
        name: "fleet-tools",
        file: TOOLS_FILE,
        docs: "docs/fleet.md",
        summary: "how the agents of a fleet are reached, and their tools",
        schema: Tools::schema,
    },
    FileKind {
        name: "fleet-agent",
        file: ".ateam/agents/*/agent.yaml",
        docs: "docs/fleet.md",
        summary: "an agent of a fleet",
        schema: Agent::schema,
    },
];

fn name() -> Schema {
    Schema::string().pattern("^[A-Za-z0-9_-]+$", "must be letters, digits, `_` and `-`")
}

impl Describe for Project {
    fn schema() -> Schema {
        Object::<Self>::new("fleet project")
            .key("name", name().describe("The name, which is part of the id of each agent."))
            .field("description", |project| &project.description, "A description of the project.")
            .key(
                "retention_days",
                Schema::integer(1, Some(365)).describe("The retention of data of agents, in days."),
            )
            .map(|schema| schema.describe("The project of a fleet."))
            .finish()
    }
}

impl Describe for Models {
    fn schema() -> Schema {
        let models = Schema::mapping(ModelFields::schema()).user_keys().no_merge_key().snippet(
            "model",
            "A model with the length of its context in tokens",
            &json!({ "${1:model}": { "provider": "${2:openai}", "context_window_size": 128_000 } }),
        );
        Object::<Self>::new("fleet models")
            .key("models", models.describe("Models by id."))
            .map(|schema| schema.describe("The models that agents may use."))
            .finish()
    }
}

impl Describe for ModelFields {
    fn schema() -> Schema {
        Object::<Self>::new("model")
            .field("name", |model| &model.name, "The display name.")
            .field("description", |model| &model.description, "A description of the model.")
            .key("provider", Schema::not_blank().describe("The provider.").examples(["openai"]))
            .key(
                "context_window_size",
                Schema::integer(1, None).describe("The total length of input and output, in tokens."),
            )
            .field("default_inference", |model| &model.default_inference, "The default inference parameters.")
            .key(
                "model_settings",
                Object::<Self>::new("model settings").open().finish().describe("Settings for the provider."),
            )
            .finish()
    }
}

impl Describe for Inference {
    fn schema() -> Schema {
        let from = |least: f64| Schema::number().with("minimum", json!(least));
        Object::<Self>::new("inference")
            .key(
                "max_tokens",
                Schema::integer(1, None).describe("The maximum length of an answer, in tokens."),
            )
            .field("stream", |inference| &inference.stream, "Whether answers are streamed.")
            .key("temperature", from(0.0).describe("The sampling temperature."))
            .key(
                "top_p",
                from(0.0).with("maximum", json!(1.0)).describe("The probability mass for nucleus sampling."),
            )
            .key("top_k", Schema::integer(1, None).describe("The number of most likely tokens for sampling."))
            .key("seed", Schema::integer(i64::MIN, None).describe("The seed for sampling."))
            .field("stop", |inference| &inference.stop, "Stop sequences.")
            .open()
            .finish()
    }
}

impl Describe for Tools {
    fn schema() -> Schema {
        let mcp = Object::<Self>::new("mcp")
            .field("transport", |tools| &tools.transport, "The server that all agents share.")
            .finish();
        Object::<Self>::new("fleet tools")
            .key("mcp", mcp.describe("The connection between agents and consoles."))
            .field(
                "tools",
                |tools| &tools.tools,
                "Which tools agents may have, whatever their own lists say.",
            )
            .field("redact", |tools| &tools.redact, "Regular expressions of text to redact.")
            .field("security", |tools| &tools.security, "Requirements for agents that join.")
            .map(|schema| {
                schema.describe("The transport of a fleet, and the tools that its agents may have.")
            })
            .finish()
    }
}

/// Returns the schema of a literal, or a reference to an environment variable.
fn transport_value(literal: Schema) -> Schema {
    let variable = Object::<()>::new("variable")
        .key(
            "env",
            EnvVar::schema().describe("The environment variable of the runtime that contains the value."),
        )
        .require_keys(&["env"])
        .finish();
    Schema::either([literal, variable])
}

impl Describe for Transport {
    fn schema() -> Schema {
        Object::<Self>::new("transport")
            .key("kind", Schema::words(TRANSPORT_KINDS.iter().map(|kind| (*kind, ""))).describe("The kind."))
            .key("url", transport_value(UrlKind::REDIS.schema()).describe("The URL of the server."))
            .key("username", transport_value(Schema::string()).describe("The name of the account."))
            .key("password", transport_value(Schema::string()).describe("The password of the account."))
            .field("tls", |transport| &transport.tls, "Whether the connection is encrypted.")
            .key("ca_file", Schema::not_blank().describe("The file with trusted certificates."))
            .finish()
    }
}

impl Describe for Security {
    fn schema() -> Schema {
        Object::<Self>::new("security")
            .field(
                "require_bootstrap",
                |security| &security.require_bootstrap,
                "Whether an agent needs a token that is used once to join.",
            )
            .finish()
    }
}

impl Describe for ToolLists {
    fn schema() -> Schema {
        let tool = || {
            Schema::string_suggesting(BUILTIN.iter().map(|tool| tool.name))
                .pattern(
                    "^[a-z][a-z0-9_]*(\\.[a-z][a-z0-9_]*)+(@v[1-9][0-9]*)?$",
                    "must be the name of a tool, as `fs.read`",
                )
                .with("maxLength", json!(MAX_NAME_BYTES))
        };
        Object::<Self>::new("tools")
            .key(
                "allow",
                Schema::list(tool()).describe("The allowed tools; without it tools are not restricted."),
            )
            .key("deny", Schema::list(tool()).describe("The denied tools, which take precedence."))
            .field("unsafe", |lists| &lists.r#unsafe, "Whether tools may run without the sandbox.")
            .finish()
            .define("tools")
    }
}

impl Describe for Agent {
    fn schema() -> Schema {
        Object::<Self>::new("fleet agent")
            .key("name", name().describe("The name, which is that of the directory."))
            .key("model", Schema::not_blank().describe("The id of a model of `models.yaml`."))
            .field("prompt", |agent| &agent.prompt, "The prompt files.")
            .field("scratchpad", |agent| &agent.scratchpad, "The scratchpad settings.")
            .field("tools", |agent| &agent.tools, "The lists of tools.")
            .field("fs", |agent| &agent.fs, "Additional files that the agent may access.")
            .field("telemetry", |agent| &agent.telemetry, "Telemetry settings.")
            .field("exec", |agent| &agent.exec, "Settings for commands.")
            .require_keys(&["name", "model", "prompt"])
            .map(|schema| schema.describe("An agent of a fleet."))
            .finish()
    }
}

impl Describe for PromptFiles {
    fn schema() -> Schema {
        let path = || {
            Schema::string()
                .pattern("^[^/\\\\]+(/[^/\\\\]+)*$", "must be a path below the directory of the agent")
                .examples(["system_base.md"])
        };
        Object::<Self>::new("prompt")
            .key("base", path().describe("The base of the prompt."))
            .key("overlay", path().describe("Additions by users."))
            .require_keys(&["base"])
            .finish()
    }
}

impl Describe for Scratchpad {
    fn schema() -> Schema {
        let score = Schema::number().with("minimum", json!(0)).with("maximum", json!(1));
        Object::<Self>::new("scratchpad")
            .key(
                "max_iterations",
                Schema::integer(1, None)
                    .describe("The maximum number of iterations on a draft.")
                    .default_value(json!(3)),
            )
            .key(
                "score_lower_bound",
                score.describe("The minimum score of a good draft.").default_value(json!(0.7)),
            )
            .finish()
    }
}

impl Describe for Sandbox {
    fn schema() -> Schema {
        let path = Schema::string().pattern("^(/|\\\\\\\\|[A-Za-z]:[/\\\\])", "must be an absolute path");
        Object::<Self>::new("fs")
            .key(
                "whitelist",
                Schema::list(path).describe("Absolute paths in addition to the working directory."),
            )
            .finish()
    }
}

impl Describe for Telemetry {
    fn schema() -> Schema {
        Object::<Self>::new("telemetry")
            .key(
                "prometheus_port",
                Schema::integer(0, Some(65_535))
                    .describe("The port for metrics; 0 for none.")
                    .default_value(json!(0)),
            )
            .finish()
    }
}

impl Describe for Exec {
    fn schema() -> Schema {
        Object::<Self>::new("exec")
            .key(
                "inherit_env",
                bool::schema()
                    .describe("Whether commands see the environment of the agent.")
                    .default_value(json!(false)),
            )
            .finish()
    }
}
