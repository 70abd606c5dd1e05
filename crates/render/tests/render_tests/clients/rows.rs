//! The table of every key of `mcp.yaml` for every client.

use minds_render::clients::Field;
use serde_json::{Value, json};

use super::setting_rows;

/// The expected result for a key.
#[derive(Clone, Debug)]
pub(super) enum Is {
    /// It is written at this pointer of the server, without a finding.
    At(&'static str, Value),
    /// It is left out, with a finding.
    Without,
    /// The server is left out, with a finding.
    Out,
    /// The server is left out, with a finding at this pointer of the server.
    OutAt(&'static str),
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
    pub(super) expected: [Is; 8],
}

pub(super) const PROGRAM: &str = "transport: stdio\ncommand: run\n";
pub(super) const ADDRESS: &str = "transport: streamable_http\nurl: https://h.example/mcp\n";

pub(super) fn row(field: Field, lines: &'static str, pointer: &'static str, expected: [Is; 8]) -> Row {
    Row { field, name: "s", lines, pointer, expected }
}

fn for_all_clients(is: &Is) -> [Is; 8] {
    std::array::from_fn(|_| is.clone())
}

#[expect(clippy::too_many_lines, reason = "a table")]
pub(super) fn rows() -> Vec<Row> {
    use Is::{At, Off, Out, Without};
    let at = |pointer, value: &str| At(pointer, json!(value));
    let no = |field, lines, pointer| row(field, lines, pointer, for_all_clients(&Without));
    let list = |pointer, value: &str| At(pointer, json!([value]));
    let tools = |field, lines, pointer, [codex, gemini, copilot, antigravity]: [Is; 4]| {
        let expected = [Without, codex, gemini, Without, Without, Without, copilot, antigravity];
        row(field, lines, pointer, expected)
    };
    let mut rows = vec![
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
                at("/type", "local"),
                at("/command", "run"),
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
                at("/type", "http"),
                at("/serverUrl", "https://h.example/mcp"),
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
                at("/command", "run"),
                at("/command", "run"),
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
                list("/args", "-y"),
                list("/args", "-y"),
            ],
        ),
        row(
            Field::Args,
            "args: ['a ${B} c']",
            "/args/0",
            [
                Out,
                list("/args", "a ${B} c"),
                Out,
                Out,
                Out,
                At("/command", json!(["run", "a ${B} c"])),
                Out,
                list("/args", "a ${B} c"),
            ],
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
                Out,
                list("/args", "a $B c"),
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
                Out,
                list("/args", "a$_c"),
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
                list("/args", "a {env:B} c"),
                list("/args", "a {env:B} c"),
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
                at("/cwd", "tools"),
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
                at("/cwd", "/srv"),
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
                at("/url", "https://h.example/mcp"),
                at("/serverUrl", "https://h.example/mcp"),
            ],
        ),
        no(Field::SessionId, "sessionId: abc", "/sessionId"),
        row(Field::SessionId, "sessionId: ''", "", for_all_clients(&At("", Value::Null))),
        tools(
            Field::Whitelist,
            "tools: {whitelist: [open]}",
            "/tools/whitelist/0",
            [list("/enabled_tools", "open"), list("/includeTools", "open"), list("/tools", "open"), Without],
        ),
        tools(
            Field::Whitelist,
            "tools: {whitelist: ['read_*']}",
            "/tools/whitelist/0",
            [Without, Without, Without, Without],
        ),
        row(Field::Whitelist, "tools: {whitelist: ['*']}", "", for_all_clients(&At("", Value::Null))),
        tools(
            Field::Blacklist,
            "tools: {blacklist: [drop]}",
            "/tools/blacklist/0",
            [
                list("/disabled_tools", "drop"),
                list("/excludeTools", "drop"),
                Without,
                list("/disabledTools", "drop"),
            ],
        ),
        tools(
            Field::Blacklist,
            "tools: {blacklist: ['drop_*']}",
            "/tools/blacklist/0",
            [Without, Without, Without, Without],
        ),
        tools(
            Field::Blacklist,
            "tools: {blacklist: ['*']}",
            "/tools/blacklist/0",
            [
                At("/enabled_tools", json!([])),
                At("/includeTools", json!([])),
                At("/tools", json!([])),
                Without,
            ],
        ),
        no(Field::ToolsTransform, "tools: {transform: [suffix: _x]}", "/tools/transform"),
        no(Field::Transform, "transform: [prefix: x_]", "/transform"),
        row(Field::Enabled, "enabled: true", "", for_all_clients(&At("", Value::Null))),
        row(
            Field::Enabled,
            "enabled: false",
            "",
            [
                Off,
                At("/enabled", json!(false)),
                Off,
                Off,
                Off,
                At("/enabled", json!(false)),
                Off,
                At("/disabled", json!(true)),
            ],
        ),
        no(Field::Manual, "manual: Open a page first.", "/manual"),
        no(Field::Prompts, "prompts: {whitelist: [a]}", "/prompts"),
        no(Field::Resources, "resources: {}", "/resources"),
    ];
    rows.extend(setting_rows::rows());
    rows
}
