//! `mcp.yaml`

use minds_document::UrlKind;
use minds_document::schema::{Describe, Object, Schema};
use serde_json::json;

use crate::EnvVar;
use crate::mcp::{Mcp, ServerFields, ServerUrl, ToolFilter, Transform, Transport};

impl Describe for Mcp {
    fn schema() -> Schema {
        let servers = Schema::mapping(ServerFields::schema())
            .user_keys()
            .no_merge_key()
            .snippet(
                "stdio server",
                "A local program",
                &json!({ "${1:server}": { "transport": "stdio", "command": "${2:npx}", "args": ["${3:-y}"] } }),
            )
            .snippet(
                "http server",
                "A server at a URL",
                &json!({ "${1:server}": { "transport": "streamable_http", "url": "${2:http://127.0.0.1:3000/mcp}" } }),
            );
        Object::<Self>::new("minds mcp")
            .key("version", Schema::constant(json!(1)).describe("The version of the format."))
            .key("servers", servers.describe("The servers by id; each is a toolset with its id as the name."))
            .require_keys(&["version"])
            .map(|schema| schema.describe("Servers that provide tools through the Model Context Protocol."))
            .finish()
    }
}

impl Describe for ServerFields {
    fn schema() -> Schema {
        Object::<Self>::new("server")
            .field("transport", |server| &server.transport, "The transport of the server.")
            .key(
                "truely-stateless",
                bool::schema()
                    .describe("Whether one connection serves all members; the format uses this spelling.")
                    .default_value(json!(false)),
            )
            .key("command", Schema::not_blank().describe("The program, for `stdio`.").examples(["npx"]))
            .field("args", |server| &server.args, "The arguments of the program.")
            .key("env", env())
            .key("cwd", Schema::not_blank().describe("The working directory of the program."))
            .field("url", |server| &server.url, "The URL, for `streamable_http`.")
            .key("headers", headers())
            .field("sessionId", |server| &server.session_id, "The session to resume; blank for none.")
            .field("tools", |server| &server.tools, "The filter of the tools that are offered to members.")
            .field("transform", |server| &server.transform, "The renaming steps of tools.")
            .key(
                "enabled",
                bool::schema().describe("Whether the server is enabled.").default_value(json!(true)),
            )
            .key(
                "manual",
                Schema::either([Schema::string(), any_object()])
                    .describe("Instructions for members about the tools."),
            )
            .key("prompts", any_object().describe("The prompts of the server that are offered."))
            .key("resources", any_object().describe("The resources of the server that are offered."))
            .require_keys(&["transport"])
            .required_where("transport", &[Transport::Stdio.as_str()], "command")
            .required_where("transport", &[Transport::StreamableHttp.as_str()], "url")
            .finish()
            .define("server")
    }
}

fn any_object() -> Schema {
    Schema::any().with("type", json!("object"))
}

impl Describe for Transport {
    fn schema() -> Schema {
        let meaning = |transport| match transport {
            Self::Stdio => "A local program.",
            Self::StreamableHttp => "A URL.",
        };
        Schema::words(Self::ALL.into_iter().map(|transport| (transport.as_str(), meaning(transport))))
    }
}

impl Describe for ServerUrl {
    fn schema() -> Schema {
        UrlKind::HTTP.schema()
    }
}

fn env() -> Schema {
    let variable = Object::<()>::new("variable").key("env", variable()).require_keys(&["env"]).finish();
    Schema::mapping(Schema::either([Schema::string(), variable]))
        .with("propertyNames", names("^[^=\\u0000-\\u001f\\u007f-\\u009f]+$"))
        .describe("Environment variables of the program, in addition to those of the runtime.")
}

fn headers() -> Schema {
    let variable = Object::<()>::new("variable")
        .key("env", variable())
        .key(
            "prefix",
            header_value().describe("The text that is prepended to the value.").examples(["Bearer "]),
        )
        .require_keys(&["env"])
        .finish();
    Schema::mapping(Schema::either([header_value(), variable]))
        .with("propertyNames", names("^[A-Za-z0-9!#$%&'*+.^_`|~-]+$"))
        .describe("Headers of each request.")
}

fn header_value() -> Schema {
    Schema::string().pattern(
        "^[^\\u0000-\\u0008\\u000a-\\u001f\\u007f]*$",
        "must not have line breaks or other control characters",
    )
}

fn variable() -> Schema {
    EnvVar::schema().describe("The environment variable of the runtime with the value.")
}

/// Returns the schema of names that match a regular expression and are not a merge key.
fn names(expression: &str) -> serde_json::Value {
    json!({ "pattern": expression, "not": { "const": "<<" } })
}

impl Describe for ToolFilter {
    fn schema() -> Schema {
        Object::<Self>::new("tools")
            .field(
                "whitelist",
                |filter| &filter.whitelist,
                "Tools that are always offered; `*` stands for any number of characters.",
            )
            .field(
                "blacklist",
                |filter| &filter.blacklist,
                "Tools that are not offered; `*` stands for any number of characters.",
            )
            .field("transform", |filter| &filter.transform, "The renaming steps of these tools.")
            .finish()
    }
}

impl Describe for Transform {
    fn schema() -> Schema {
        let replaced = Object::<()>::new("prefix")
            .key("remove", Schema::string().describe("The prefix to remove, if present."))
            .key("add", Schema::string().describe("The prefix to add in any case."))
            .require_keys(&["remove", "add"])
            .finish();
        Object::<Self>::new("transform")
            .key(
                "prefix",
                Schema::either([Schema::string(), replaced])
                    .describe("The text that is prepended to the name."),
            )
            .key("suffix", Schema::string().describe("The text that is appended to the name."))
            .one_of("prefix", "suffix")
            .finish()
            .define("transform")
    }
}
