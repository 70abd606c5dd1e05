//! Every key of `mcp.yaml`, for every client: written where the client looks, or a finding.

use std::collections::BTreeSet;

use minds_core::schema::KINDS;
use minds_document::schema::Draft;
use minds_render::clients::{Client, Field};
use serde_json::{Value, json};

use super::{findings, place, read, rendered};

/// What becomes of a key.
#[derive(Clone, Debug)]
enum Is {
    /// It stands at this pointer of the server, and nothing is found.
    At(&'static str, Value),
    /// It is left out, with a finding.
    Without,
    /// The server is left out, with a finding.
    Out,
    /// The server is left out, without a finding.
    Off,
}

/// A key with a value, and what becomes of it for each client, in the order of `Client::ALL`.
struct Row {
    field: Field,
    name: &'static str,
    lines: &'static str,
    /// Where the finding stands, below the server.
    pointer: &'static str,
    expected: [Is; 6],
}

const PROGRAM: &str = "transport: stdio\ncommand: run\n";
const ADDRESS: &str = "transport: streamable_http\nurl: https://h.example/mcp\n";

fn row(field: Field, lines: &'static str, pointer: &'static str, expected: [Is; 6]) -> Row {
    Row { field, name: "s", lines, pointer, expected }
}

fn everywhere(is: Is) -> [Is; 6] {
    std::array::from_fn(|_| is.clone())
}

fn rows() -> Vec<Row> {
    use Is::{At, Off, Out, Without};
    let at = |pointer, value: &str| At(pointer, json!(value));
    let no = |field, lines, pointer| row(field, lines, pointer, everywhere(Without));
    let list = |pointer, value: &str| At(pointer, json!([value]));
    let tools = |field, lines, pointer, codex, gemini| {
        row(field, lines, pointer, [Without, codex, gemini, Without, Without, Without])
    };
    vec![
        Row { name: "s_1-x", ..row(Field::Name, "", "", everywhere(At("", Value::Null))) },
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
        row(Field::TruelyStateless, "truely-stateless: false", "", everywhere(At("", Value::Null))),
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
        row(Field::SessionId, "sessionId: ''", "", everywhere(At("", Value::Null))),
        tools(
            Field::Whitelist,
            "tools: {whitelist: [open]}",
            "/tools/whitelist/0",
            list("/enabled_tools", "open"),
            list("/includeTools", "open"),
        ),
        tools(Field::Whitelist, "tools: {whitelist: ['read_*']}", "/tools/whitelist/0", Without, Without),
        row(Field::Whitelist, "tools: {whitelist: ['*']}", "", everywhere(At("", Value::Null))),
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
        row(Field::Enabled, "enabled: true", "", everywhere(At("", Value::Null))),
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

fn mcp(row: &Row) -> String {
    let is_address = row.lines.starts_with("headers") || row.lines.starts_with("sessionId");
    let base = if is_address { ADDRESS } else { PROGRAM };
    let base = if row.lines == ADDRESS { "" } else { base };
    let lines: Vec<String> =
        base.lines().chain(row.lines.lines()).map(|line| format!("    {line}\n")).collect();
    format!("version: 1\nservers:\n  {}:\n{}", row.name, lines.concat())
}

#[track_caller]
fn check(row: &Row, client: Client, expected: &Is) {
    let mcp = mcp(row);
    let case = format!("{client:?}, {:?}:\n{mcp}", row.field);
    let merged = rendered(client, &mcp, None);
    let server = merged.text.as_deref().and_then(|text| {
        let file = read(client, text);
        file.pointer(place(client)).and_then(|servers| servers.get(row.name)).cloned()
    });
    assert_eq!(merged.rendered, server.iter().map(|_| row.name).collect::<Vec<_>>(), "{case}");
    let found = findings(merged);
    match expected {
        Is::At(pointer, value) => {
            let server = server.expect(&case);
            let there = server.pointer(pointer);
            assert!(there.is_some() && (value.is_null() || there == Some(value)), "{case}{server:#}");
            assert!(found.is_empty(), "{case}{found:?}");
        }
        Is::Without => assert!(server.is_some(), "{case}"),
        Is::Out | Is::Off => assert!(server.is_none(), "{case}"),
    }
    if matches!(expected, Is::Without | Is::Out) {
        assert_eq!(found.len(), 1, "{case}{found:?}");
        assert_eq!(found[0].rule.code, "render/cannot-express", "{case}");
        let at = format!("/servers/{}{}", row.name, row.pointer);
        assert_eq!(found[0].pointer.as_deref(), Some(at.as_str()), "{case}");
        assert_eq!(found[0].primary.as_ref().unwrap().source.name(), ".minds/mcp.yaml");
        for word in [client.title(), if row.field == Field::Name { row.name } else { row.field.key() }] {
            assert!(found[0].message.contains(word), "{case}{}", found[0].message);
        }
    } else {
        assert!(found.is_empty(), "{case}{found:?}");
    }
}

#[test]
fn every_key_is_written_or_found_for_every_client() {
    let rows = rows();
    for row in &rows {
        for (client, expected) in Client::ALL.into_iter().zip(&row.expected) {
            check(row, client, expected);
        }
    }
    let seen: BTreeSet<Field> = rows.iter().map(|row| row.field).collect();
    assert_eq!(seen, BTreeSet::from(Field::ALL), "each key has a row");
    for field in Field::ALL {
        for (at, client) in Client::ALL.into_iter().enumerate() {
            let mut of_field = rows.iter().filter(|row| row.field == field);
            let is_never_written = of_field.clone().all(|row| {
                matches!(row.expected[at], Is::Without) || matches!(&row.expected[at], Is::At("", _))
            });
            let is_found = of_field.any(|row| matches!(row.expected[at], Is::Without));
            assert_eq!(
                field.obstacle(client).is_some(),
                is_never_written && is_found,
                "{client:?} {field:?}"
            );
        }
    }
}

#[test]
fn the_keys_are_those_of_the_format() {
    let kind = KINDS.iter().find(|kind| kind.name == "mcp").unwrap();
    let schema = Draft::Draft202012.render(&(kind.schema)());
    let keys = |name: &str| -> BTreeSet<String> {
        let definitions =
            schema.get("$defs").and_then(Value::as_object).expect("shared shapes are defined once");
        let server = &definitions["server"]["properties"];
        let object = if name.is_empty() { server } else { &server[name]["properties"] };
        object.as_object().expect("an object has keys").keys().cloned().collect()
    };
    let mut expected = keys("");
    assert!(expected.remove("tools"));
    expected.extend(keys("tools").into_iter().map(|key| format!("tools.{key}")));
    let ours = Field::ALL.into_iter().filter(|field| *field != Field::Name);
    assert_eq!(ours.map(|field| field.key().to_owned()).collect::<BTreeSet<_>>(), expected);
}
