//! The table of every key of `mcp.yaml` for every client.

use minds_render::clients::Field;
use serde_json::{Value, json};

/// The expected result for a key.
#[derive(Clone, Debug)]
pub(super) enum Is {
    /// It is written at this pointer of the server, without a finding.
    At(&'static str, Value),
    /// It is left out, with a finding.
    Without,
    /// The server is left out, with a finding.
    Out,
    /// The server is left out, without a finding.
    Off,
}

/// A key with a value, and the expected result for each client, in the order of `Client::ALL`.
pub(super) struct Row {
    pub(super) field: Field,
    pub(super) name: &'static str,
    pub(super) lines: &'static str,
    /// The position of the finding, relative to the server.
    pub(super) pointer: &'static str,
    pub(super) expected: [Is; 6],
}

pub(super) const PROGRAM: &str = "transport: stdio\ncommand: run\n";
pub(super) const ADDRESS: &str = "transport: streamable_http\nurl: https://h.example/mcp\n";

fn row(field: Field, lines: &'static str, pointer: &'static str, expected: [Is; 6]) -> Row {
    Row { field, name: "s", lines, pointer, expected }
}

fn for_all_clients(is: &Is) -> [Is; 6] {
    std::array::from_fn(|_| is.clone())
}

#[expect(clippy::too_many_lines, reason = "a table")]
pub(super) fn rows() -> Vec<Row> {
    use Is::{At, Off, Out, Without};
    let at = |pointer, value: &str| At(pointer, json!(value));
    let no = |field, lines, pointer| row(field, lines, pointer, for_all_clients(&Without));
    let list = |pointer, value: &str| At(pointer, json!([value]));
    let tools = |field, lines, pointer, codex, gemini| {
        row(field, lines, pointer, [Without, codex, gemini, Without, Without, Without])
    };
    vec![
        Row { name: "s_1-x", ..row(Field::Name, "", "", for_all_clients(&At("", Value::Null))) },
        Row {
            name: "s.1",
            ..row(
                Field::Name,
                "",
                "",
                [
                    Out,
                    Out,
                    At("", Value::Null),
                    At("", Value::Null),
                    At("", Value::Null),
                    At("", Value::Null),
                ],
            )
        },
        row(
            Field::Transport,
            "",
            "",
            [
                at("/type", "stdio"),
                at("/command", "run"),
                at("/command", "run"),
                at("/type", "stdio"),
                at("/command", "run"),
                at("/type", "local"),
            ],
        ),
        row(
            Field::Transport,
            ADDRESS,
            "",
            [
                at("/type", "http"),
                at("/url", "https://h.example/mcp"),
                at("/httpUrl", "https://h.example/mcp"),
                at("/type", "http"),
                at("/url", "https://h.example/mcp"),
                at("/type", "remote"),
            ],
        ),
        no(Field::TruelyStateless, "truely-stateless: true", "/truely-stateless"),
        row(Field::TruelyStateless, "truely-stateless: false", "", for_all_clients(&At("", Value::Null))),
        row(
            Field::Command,
            "",
            "",
            [
                at("/command", "run"),
                at("/command", "run"),
                at("/command", "run"),
                at("/command", "run"),
                at("/command", "run"),
                list("/command", "run"),
            ],
        ),
        row(
            Field::Args,
            "args: [-y]",
            "",
            [
                list("/args", "-y"),
                list("/args", "-y"),
                list("/args", "-y"),
                list("/args", "-y"),
                list("/args", "-y"),
                At("/command", json!(["run", "-y"])),
            ],
        ),
        row(
            Field::Args,
            "args: ['a ${B} c']",
            "/args/0",
            [Out, list("/args", "a ${B} c"), Out, Out, Out, At("/command", json!(["run", "a ${B} c"]))],
        ),
        row(
            Field::Args,
            "args: ['a $B c']",
            "/args/0",
            [
                list("/args", "a $B c"),
                list("/args", "a $B c"),
                Out,
                list("/args", "a $B c"),
                list("/args", "a $B c"),
                At("/command", json!(["run", "a $B c"])),
            ],
        ),
        row(
            Field::Args,
            "args: [a$_c]",
            "/args/0",
            [
                list("/args", "a$_c"),
                list("/args", "a$_c"),
                Out,
                list("/args", "a$_c"),
                list("/args", "a$_c"),
                At("/command", json!(["run", "a$_c"])),
            ],
        ),
        row(
            Field::Args,
            "args: ['a {env:B} c']",
            "",
            [
                list("/args", "a {env:B} c"),
                list("/args", "a {env:B} c"),
                list("/args", "a {env:B} c"),
                list("/args", "a {env:B} c"),
                list("/args", "a {env:B} c"),
                At("/command", json!(["run", "a {env:B} c"])),
            ],
        ),
        row(
            Field::Env,
            "env: {MODE: test}",
            "",
            [
                at("/env/MODE", "test"),
                at("/env/MODE", "test"),
                at("/env/MODE", "test"),
                at("/env/MODE", "test"),
                at("/env/MODE", "test"),
                at("/environment/MODE", "test"),
            ],
        ),
        row(
            Field::Env,
            "env: {KEY: {env: KEY}}",
            "",
            [
                at("/env/KEY", "${KEY}"),
                list("/env_vars", "KEY"),
                at("/env/KEY", "${KEY}"),
                at("/env/KEY", "${env:KEY}"),
                at("/env/KEY", "${env:KEY}"),
                at("/environment/KEY", "{env:KEY}"),
            ],
        ),
        row(
            Field::Env,
            "env: {KEY: {env: OTHER}}",
            "/env/KEY",
            [
                at("/env/KEY", "${OTHER}"),
                Out,
                at("/env/KEY", "${OTHER}"),
                at("/env/KEY", "${env:OTHER}"),
                at("/env/KEY", "${env:OTHER}"),
                at("/environment/KEY", "{env:OTHER}"),
            ],
        ),
        row(
            Field::Env,
            "env: {'{env:X}': test}",
            "/env/{env:X}",
            [
                at("/env/{env:X}", "test"),
                at("/env/{env:X}", "test"),
                at("/env/{env:X}", "test"),
                at("/env/{env:X}", "test"),
                at("/env/{env:X}", "test"),
                Out,
            ],
        ),
        row(
            Field::Cwd,
            "cwd: tools",
            "/cwd",
            [
                Without,
                at("/cwd", "tools"),
                at("/cwd", "tools"),
                at("/cwd", "${workspaceFolder}/tools"),
                Without,
                at("/cwd", "tools"),
            ],
        ),
        row(
            Field::Cwd,
            "cwd: /srv",
            "/cwd",
            [
                Without,
                at("/cwd", "/srv"),
                at("/cwd", "/srv"),
                at("/cwd", "/srv"),
                Without,
                at("/cwd", "/srv"),
            ],
        ),
        row(
            Field::Url,
            ADDRESS,
            "",
            [
                at("/url", "https://h.example/mcp"),
                at("/url", "https://h.example/mcp"),
                at("/httpUrl", "https://h.example/mcp"),
                at("/url", "https://h.example/mcp"),
                at("/url", "https://h.example/mcp"),
                at("/url", "https://h.example/mcp"),
            ],
        ),
        row(
            Field::Headers,
            "headers: {x-team: a}",
            "",
            [
                at("/headers/x-team", "a"),
                at("/http_headers/x-team", "a"),
                at("/headers/x-team", "a"),
                at("/headers/x-team", "a"),
                at("/headers/x-team", "a"),
                at("/headers/x-team", "a"),
            ],
        ),
        row(
            Field::Headers,
            "headers: {x-key: {env: KEY}}",
            "",
            [
                at("/headers/x-key", "${KEY}"),
                at("/env_http_headers/x-key", "KEY"),
                at("/headers/x-key", "${KEY}"),
                at("/headers/x-key", "${env:KEY}"),
                at("/headers/x-key", "${env:KEY}"),
                at("/headers/x-key", "{env:KEY}"),
            ],
        ),
        row(
            Field::Headers,
            "headers: {Authorization: {env: KEY, prefix: 'Bearer '}}",
            "",
            [
                at("/headers/Authorization", "Bearer ${KEY}"),
                at("/bearer_token_env_var", "KEY"),
                at("/headers/Authorization", "Bearer ${KEY}"),
                at("/headers/Authorization", "Bearer ${env:KEY}"),
                at("/headers/Authorization", "Bearer ${env:KEY}"),
                at("/headers/Authorization", "Bearer {env:KEY}"),
            ],
        ),
        row(
            Field::Headers,
            "headers: {Authorization: {env: KEY}}",
            "",
            [
                at("/headers/Authorization", "${KEY}"),
                at("/env_http_headers/Authorization", "KEY"),
                at("/headers/Authorization", "${KEY}"),
                at("/headers/Authorization", "${env:KEY}"),
                at("/headers/Authorization", "${env:KEY}"),
                at("/headers/Authorization", "{env:KEY}"),
            ],
        ),
        row(
            Field::Headers,
            "headers: {x-key: {env: KEY, prefix: '$'}}",
            "/headers/x-key",
            [
                at("/headers/x-key", "$${KEY}"),
                Out,
                Out,
                at("/headers/x-key", "$${env:KEY}"),
                at("/headers/x-key", "$${env:KEY}"),
                at("/headers/x-key", "${env:KEY}"),
            ],
        ),
        row(
            Field::Headers,
            "headers: {x-key: {env: KEY, prefix: 'Token '}}",
            "/headers/x-key",
            [
                at("/headers/x-key", "Token ${KEY}"),
                Out,
                at("/headers/x-key", "Token ${KEY}"),
                at("/headers/x-key", "Token ${env:KEY}"),
                at("/headers/x-key", "Token ${env:KEY}"),
                at("/headers/x-key", "Token {env:KEY}"),
            ],
        ),
        row(
            Field::Headers,
            "headers: {x-key: {env: KEY, prefix: '{file:a}'}}",
            "/headers/x-key",
            [
                at("/headers/x-key", "{file:a}${KEY}"),
                Out,
                at("/headers/x-key", "{file:a}${KEY}"),
                at("/headers/x-key", "{file:a}${env:KEY}"),
                at("/headers/x-key", "{file:a}${env:KEY}"),
                at("/headers/x-key", "{file:a}{env:KEY}"),
            ],
        ),
        row(
            Field::Headers,
            "headers: {authorization: {env: A, prefix: 'Bearer '}, Authorization: {env: B, prefix: 'Bearer '}}",
            "/headers/Authorization",
            [
                at("/headers/Authorization", "Bearer ${B}"),
                Out,
                at("/headers/Authorization", "Bearer ${B}"),
                at("/headers/Authorization", "Bearer ${env:B}"),
                at("/headers/Authorization", "Bearer ${env:B}"),
                at("/headers/Authorization", "Bearer {env:B}"),
            ],
        ),
        no(Field::SessionId, "sessionId: abc", "/sessionId"),
        row(Field::SessionId, "sessionId: ''", "", for_all_clients(&At("", Value::Null))),
        tools(
            Field::Whitelist,
            "tools: {whitelist: [open]}",
            "/tools/whitelist/0",
            list("/enabled_tools", "open"),
            list("/includeTools", "open"),
        ),
        tools(Field::Whitelist, "tools: {whitelist: ['read_*']}", "/tools/whitelist/0", Without, Without),
        row(Field::Whitelist, "tools: {whitelist: ['*']}", "", for_all_clients(&At("", Value::Null))),
        tools(
            Field::Blacklist,
            "tools: {blacklist: [drop]}",
            "/tools/blacklist/0",
            list("/disabled_tools", "drop"),
            list("/excludeTools", "drop"),
        ),
        tools(Field::Blacklist, "tools: {blacklist: ['drop_*']}", "/tools/blacklist/0", Without, Without),
        tools(
            Field::Blacklist,
            "tools: {blacklist: ['*']}",
            "/tools/blacklist/0",
            At("/enabled_tools", json!([])),
            At("/includeTools", json!([])),
        ),
        no(Field::ToolsTransform, "tools: {transform: [suffix: _x]}", "/tools/transform"),
        no(Field::Transform, "transform: [prefix: x_]", "/transform"),
        row(Field::Enabled, "enabled: true", "", for_all_clients(&At("", Value::Null))),
        row(
            Field::Enabled,
            "enabled: false",
            "",
            [Off, At("/enabled", json!(false)), Off, Off, Off, At("/enabled", json!(false))],
        ),
        no(Field::Manual, "manual: Open a page first.", "/manual"),
        no(Field::Prompts, "prompts: {whitelist: [a]}", "/prompts"),
        no(Field::Resources, "resources: {}", "/resources"),
    ]
}
