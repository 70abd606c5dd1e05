//! `minds gateway status`, `tools`, `call` and `restart`.

mod call;
mod restart;
mod status;
mod tools;

use serde_json::{Value, json};

use super::World;

/// Returns a workspace with a server for each state: `files` and `web` work, `bad` exits, `unset` needs a variable that is not
/// set, and `off` is disabled.
fn world_of_states() -> World {
    let world = World::with_servers();
    world.behave("bad", &json!({"tools": [], "fails": "handshake"}));
    let filters = json!({
        "tools": {"whitelist": ["list_*", "move"], "blacklist": ["open_file"]},
        "transform": [{"prefix": "fs_"}],
    });
    world.servers(&[
        ("files", world.entry("files", &filters)),
        ("web", world.entry("web", &json!({}))),
        ("bad", world.entry("bad", &json!({}))),
        ("unset", world.entry("unset", &json!({"env": {"A": {"env": "MINDS_TEST_UNSET"}}}))),
        ("off", world.entry("off", &json!({"enabled": false}))),
    ]);
    world
}

/// Replaces what is different in each run.
fn normalize(world: &World, mut document: Value) -> Value {
    fn walk(value: &mut Value, folder: &str, program: &str) {
        match value {
            Value::Object(map) => {
                for (key, value) in map.iter_mut() {
                    match key.as_str() {
                        "pid" | "since" | "started_at" | "fingerprint" | "first_seen" if !value.is_null() => {
                            *value = Value::from(format!("[{key}]"));
                        }
                        // A server that fails may have been started again.
                        "log" => {
                            let lines = value.as_array_mut().unwrap();
                            lines.sort_by_key(Value::to_string);
                            lines.dedup();
                        }
                        _ => walk(value, folder, program),
                    }
                }
            }
            Value::Array(items) => items.iter_mut().for_each(|item| walk(item, folder, program)),
            Value::String(text) => *text = text.replace(program, "[program]").replace(folder, "[folder]"),
            _ => {}
        }
    }
    walk(&mut document, &world.marker(), &this_program());
    document
}

fn this_program() -> String {
    std::env::current_exe().unwrap().display().to_string()
}

fn pretty(world: &World, document: Value) -> String {
    serde_json::to_string_pretty(&normalize(world, document)).unwrap()
}

/// Asserts that a command fails like each one, for people and for programs.
#[track_caller]
fn expect_failure(world: &World, args: &[&str], code: i32, part: &str) {
    let (exit, stdout, stderr) = world.run(args);
    assert_eq!(exit, code, "{args:?}: {stdout}{stderr}");
    // The result of a call is for programs in any case.
    let (data, error) = if args.contains(&"call") { (&stderr, &stdout) } else { (&stdout, &stderr) };
    assert!(data.is_empty() && error.contains("error") && error.contains(part), "{args:?}: {stdout}{stderr}");
    let (exit, document) = world.document(&[args, &["--json"]].concat());
    assert_eq!(exit, code, "{args:?}: {document}");
    assert!(document["error"]["message"].as_str().unwrap().contains(part), "{args:?}: {document}");
}

#[test]
fn a_file_that_is_not_valid_is_refused_by_every_command() {
    let world = World::with_servers();
    for broken in [
        "version: 1\nservers: [\n",
        "version: 2\nservers: {}\n",
        "servers: {}\n",
        "",
        "version: 1\nservers: {a: {}, a: {}}\n",
    ] {
        world.write("ws/.minds/mcp.yaml", broken);
        for args in [
            &["gateway", "status"][..],
            &["gateway", "status", "files"],
            &["gateway", "status", "--start"],
            &["gateway", "tools"],
            &["gateway", "tools", "files"],
            &["gateway", "call", "open_file"],
            &["gateway", "restart", "files"],
        ] {
            expect_failure(&world, args, 2, "mcp.yaml");
        }
    }
    assert!(world.starts("files").is_empty());
}

#[test]
fn without_servers_there_is_nothing_to_show() {
    let world = World::with_servers();
    for prepare in [
        &(|| std::fs::remove_file(world.path("ws/.minds/mcp.yaml")).unwrap()) as &dyn Fn(),
        &|| world.servers(&[]),
        &|| std::fs::remove_dir_all(world.path("ws/.minds")).unwrap(),
    ] {
        prepare();
        for args in [
            &["gateway", "status"][..],
            &["gateway", "status", "--start"],
            &["gateway", "tools"],
            &["gateway", "tools", "--refresh", "--all"],
        ] {
            let (code, stdout, stderr) = world.run(args);
            assert_eq!((code, stdout.as_str()), (0, ""), "{args:?}: {stderr}");
            assert!(stderr.contains("there are no MCP servers"), "{args:?}: {stderr}");
            let (code, document) = world.document(&[args, &["--json"]].concat());
            assert_eq!((code, &document["servers"]), (0, &json!([])), "{args:?}: {document}");
        }
        for args in [
            &["gateway", "status", "files"][..],
            &["gateway", "tools", "files"],
            &["gateway", "restart", "files"],
        ] {
            expect_failure(&world, args, 2, "`.minds/mcp.yaml` has no server `files`");
        }
        expect_failure(&world, &["gateway", "call", "open_file"], 2, "no MCP server has a tool `open_file`");
    }
}

/// A list of tools waits for five seconds.
#[test]
fn servers_that_start_slowly_are_waited_for() {
    let world = World::with_servers();
    world.behave("web", &json!({"tools": ["fetch"], "pauses": {"handshake": 5_500}}));
    std::thread::scope(|scope| {
        let tools = scope.spawn(|| world.document(&["gateway", "tools", "web", "--json"]));
        let called = scope.spawn(|| world.document(&["gateway", "call", "fetch"]));
        let (code, document) = tools.join().unwrap();
        assert_eq!((code, &document["servers"][0]["tools"][0]["name"]), (0, &json!("fetch")), "{document}");
        let (code, document) = called.join().unwrap();
        assert_eq!((code, &document["status"]), (0, &json!("ok")), "{document}");
    });
}

#[test]
fn unknown_servers_are_named() {
    let world = World::with_servers();
    for args in [
        &["gateway", "status", "filse"][..],
        &["gateway", "tools", "filse"],
        &["gateway", "restart", "filse"],
        &["gateway", "status", "--start", "filse"],
    ] {
        expect_failure(&world, args, 2, "`.minds/mcp.yaml` has no server `filse`; did you mean `files`?");
    }
    assert!(world.starts("files").is_empty());
}
