//! Which servers a file declares, and what changes their fingerprints.

use std::path::Path;

use minds_mcp_gateway::client::ListedTool;
use minds_mcp_gateway::{Config, ConfigError, Fingerprint, InvalidServer, ListedServer, Transport, expose};
use minds_vfs::{Snapshot, WorkspacePath};

fn read(text: &str) -> Result<Config, ConfigError> {
    read_with(text, &|name| (name == "TOKEN").then(|| "secret".to_owned()))
}

fn read_with(text: &str, variable: &dyn Fn(&str) -> Option<String>) -> Result<Config, ConfigError> {
    let path = WorkspacePath::parse(".minds/mcp.yaml").expect("a path");
    Config::read(&Snapshot::new().with_file(path, text), Path::new("/work"), variable)
}

fn fingerprint(text: &str) -> Fingerprint {
    let config = read(text).expect("the file is valid");
    config.servers[0].server.as_ref().expect("the server is valid").fingerprint()
}

const STDIO: &str = "version: 1\nservers:\n  a:\n    transport: stdio\n    command: run\n    args: [x, y]\n    env: {K: {env: TOKEN}}\n";

#[test]
fn without_a_file_there_are_no_servers() {
    let config = Config::read(&Snapshot::new(), Path::new("/work"), &|_| None);
    assert_eq!(config, Ok(Config::default()));
}

#[test]
fn a_file_that_cannot_be_used_is_an_error() {
    for (text, expected) in [
        ("version: 2\nservers: {}\n", ConfigError::Version),
        ("servers: {}\n", ConfigError::Version),
        ("version: 1\nservers: [", ConfigError::Unreadable),
        ("version: 1\nservers: 3\n", ConfigError::Unreadable),
        ("- 1\n", ConfigError::Unreadable),
        (
            "version: 1\nservers:\n  a: {transport: stdio, command: x}\n  a: {transport: stdio, command: y}\n",
            ConfigError::Unreadable,
        ),
    ] {
        assert_eq!(read(text), Err(expected), "{text}");
    }
}

#[test]
fn one_invalid_entry_leaves_the_others() {
    let config = read(
        "version: 1\nservers:\n  a: {transport: stdio}\n  b: {transport: stdio, command: x, env: {K: {env: MISSING}}}\n  c: {transport: stdio, command: x, cwd: sub}\n",
    );
    let config = config.expect("the file is valid");
    let found: Vec<_> = config.servers.iter().map(|entry| entry.server.as_ref().map(|_| ())).collect();
    assert_eq!(
        found,
        [
            Err(&InvalidServer::Key { key: "command" }),
            Err(&InvalidServer::Variable { key: "env", variable: "MISSING".to_owned() }),
            Ok(()),
        ]
    );
    let Ok(server) = &config.servers[2].server else { panic!("the server is valid") };
    let Transport::Stdio(server) = &server.transport else { panic!("it is a program") };
    assert_eq!(server.directory, Path::new("/work/sub"));
}

#[test]
fn the_fingerprint_sees_what_a_connection_depends_on() {
    let base = fingerprint(STDIO);
    for (from, to) in [
        ("run", "walk"),
        ("[x, y]", "[xy]"),
        ("[x, y]", "[x, y]\n    cwd: sub"),
        ("K:", "L:"),
        ("{env: TOKEN}", "other"),
        ("[x, y]", "[x, y]\n    truely-stateless: true"),
    ] {
        assert_ne!(fingerprint(&STDIO.replace(from, to)), base, "{to}");
    }
    for addition in
        ["    tools: {whitelist: [a]}\n", "    transform: [{prefix: p_}]\n", "    enabled: false\n"]
    {
        assert_eq!(fingerprint(&format!("{STDIO}{addition}")), base, "{addition}");
    }
    let other = read_with(STDIO, &|_| Some("changed".to_owned())).expect("the file is valid");
    assert_ne!(
        other.servers[0].server.as_ref().expect("valid").fingerprint(),
        base,
        "the value of a variable"
    );
}

#[test]
fn secrets_are_not_displayed() {
    let config = read(STDIO).expect("the file is valid");
    assert!(!format!("{config:?}").contains("secret"));
}

#[test]
fn a_built_in_server_offers_only_the_tools_of_its_toolset() {
    let config = read(STDIO).expect("the file is valid");
    let server = config.servers[0].server.as_ref().expect("the server is valid");
    let tool = |name: &str, schema: serde_json::Value| ListedTool {
        name: name.to_owned(),
        input_schema: schema,
        ..ListedTool::default()
    };
    let object = || serde_json::json!({"type": "object"});
    let tools = [
        tool("fleet_list", object()),
        tool("fleet_send", serde_json::json!([])),
        tool("fleet_stop", object()),
        tool("read_file", object()),
    ];
    let names = |id: &str, is_built_in: bool| -> Vec<String> {
        let listed = ListedServer { id, server, tools: &tools, is_available: true, is_built_in };
        expose([listed]).tools.into_iter().map(|tool| tool.name).collect()
    };
    assert_eq!(names("fleet", true), ["fleet_list"]);
    // The names of built-in tools are taken for servers of the file.
    assert_eq!(names("other", false), ["fleet_stop"]);
}
