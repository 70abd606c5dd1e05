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
                "A program that is started",
                &json!({ "${1:server}": { "transport": "stdio", "command": "${2:npx}", "args": ["${3:-y}"] } }),
            )
            .snippet(
                "http server",
                "A server at an address",
                &json!({ "${1:server}": { "transport": "streamable_http", "url": "${2:http://127.0.0.1:3000/mcp}" } }),
            );
        Object::<Self>::new("minds mcp")
            .key("version", Schema::constant(json!(1)).described("The version of the format."))
            .key("servers", servers.described("The servers; each is a toolset with its id as the name."))
            .required(&["version"])
            .map(|schema| schema.described("Servers that offer tools by the Model Context Protocol."))
            .finish()
    }
}

impl Describe for ServerFields {
    fn schema() -> Schema {
        Object::<Self>::new("server")
            .field("transport", |server| &server.transport, "How the server is reached.")
            .key(
                "truely-stateless",
                bool::schema()
                    .described("Whether one connection serves all; the format spells it like this.")
                    .default_value(json!(false)),
            )
            .key("command", Schema::not_blank().described("The program, for `stdio`.").examples(["npx"]))
            .field("args", |server| &server.args, "The arguments of the program.")
            .key("env", env())
            .key("cwd", Schema::not_blank().described("The directory in which the program runs."))
            .field("url", |server| &server.url, "The address, for `streamable_http`.")
            .key("headers", headers())
            .field("sessionId", |server| &server.session_id, "The session to resume; blank for none.")
            .field("tools", |server| &server.tools, "Which tools are offered to members.")
            .field("transform", |server| &server.transform, "How tools are renamed, step by step.")
            .key(
                "enabled",
                bool::schema().described("Whether the server is used at all.").default_value(json!(true)),
            )
            .key(
                "manual",
                Schema::either([Schema::string(), anything_named()])
                    .described("What members are told about the tools."),
            )
            .key("prompts", anything_named().described("Which prompts of the server are offered."))
            .key("resources", anything_named().described("Which resources of the server are offered."))
            .required(&["transport"])
            .required_where("transport", &[Transport::Stdio.as_str()], "command")
            .required_where("transport", &[Transport::StreamableHttp.as_str()], "url")
            .finish()
            .shared("server")
    }
}

fn anything_named() -> Schema {
    Schema::any().with("type", json!("object"))
}

impl Describe for Transport {
    fn schema() -> Schema {
        let meaning = |transport| match transport {
            Self::Stdio => "A program that is started.",
            Self::StreamableHttp => "An address.",
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
    let variable = Object::<()>::new("variable").key("env", variable()).required(&["env"]).finish();
    Schema::mapping(Schema::either([Schema::string(), variable]))
        .with("propertyNames", names("^[^=\\u0000-\\u001f\\u007f-\\u009f]+$"))
        .described("The environment of the program, beside that of the runtime.")
}

fn headers() -> Schema {
    let variable = Object::<()>::new("variable")
        .key("env", variable())
        .key("prefix", header_value().described("What is put before the value.").examples(["Bearer "]))
        .required(&["env"])
        .finish();
    Schema::mapping(Schema::either([header_value(), variable]))
        .with("propertyNames", names("^[A-Za-z0-9!#$%&'*+.^_`|~-]+$"))
        .described("Headers of each request.")
}

fn header_value() -> Schema {
    Schema::string().pattern(
        "^[^\\u0000-\\u0008\\u000a-\\u001f\\u007f]*$",
        "must not have line breaks or other control characters",
    )
}

fn variable() -> Schema {
    EnvVar::schema().described("The environment variable of the runtime that holds the value.")
}

/// Returns the shape of names that match an expression; a merge key is none.
fn names(expression: &str) -> serde_json::Value {
    json!({ "pattern": expression, "not": { "const": "<<" } })
}

impl Describe for ToolFilter {
    fn schema() -> Schema {
        Object::<Self>::new("tools")
            .field(
                "whitelist",
                |filter| &filter.whitelist,
                "Tools that are offered whatever else is said; `*` stands for any run of characters.",
            )
            .field(
                "blacklist",
                |filter| &filter.blacklist,
                "Tools that are not offered; `*` stands for any run of characters.",
            )
            .field("transform", |filter| &filter.transform, "How these tools are renamed.")
            .finish()
    }
}

impl Describe for Transform {
    fn schema() -> Schema {
        let replaced = Object::<()>::new("prefix")
            .key("remove", Schema::string().described("What is removed, if it is there."))
            .key("add", Schema::string().described("What is put there in any case."))
            .required(&["remove", "add"])
            .finish();
        Object::<Self>::new("transform")
            .key(
                "prefix",
                Schema::either([Schema::string(), replaced]).described("What is put before the name."),
            )
            .key("suffix", Schema::string().described("What is put behind the name."))
            .one_of("prefix", "suffix")
            .finish()
            .shared("transform")
    }
}
