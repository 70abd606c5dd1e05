//! What is shown about agents, models, tools and the environment.

use minds_fleet_protocol::ErrorCode;
use serde_json::json;

use crate::support::fake_agent::FakeAgent;
use crate::support::{FLEET, World, members};

#[test]
fn running_agents_are_listed() {
    let world = World::empty();
    let _agent = FakeAgent::start(&world, "shop/zeus", |_, _| Err(ErrorCode::Busy));
    let listed = world.document(&["ps"], 0);
    assert_eq!(listed["fleet"], json!({ "transport": "local", "id": FLEET, "server": null }));
    let agent = &listed["agents"][0];
    for (member, expected) in [
        ("id", json!("shop/zeus")),
        ("state", json!("idle")),
        ("engine", json!("test")),
        ("queue", json!({ "pending": 2, "parked": 1 })),
        ("ctx_pct", json!(0.25)),
    ] {
        assert_eq!(agent[member], expected, "{member}");
    }
    let human = world.succeed(&["ps"]);
    let mut lines = human.lines();
    assert_eq!(lines.next(), Some("AGENT      STATE  CTX  QUEUE        MODEL  HOST  PID"));
    assert!(
        lines.next().unwrap().starts_with("shop/zeus  idle   25%  2 +1 parked  none   here  "),
        "{human}"
    );
    // The failures of an agent are those of the command.
    assert_eq!(world.document(&["who", "shop/zeus"], 1)["error"]["code"], "busy");
}

#[test]
fn models_are_listed_with_their_keys() {
    let world = World::new(&["zeus"], &[]);
    world.write(
        ".ateam/models.yaml",
        "models:\n  small: {provider: scripted, context_window_size: 8000}\n  big: {provider: openai, model_settings: {api_key_env: NO_SUCH_KEY}}\n",
    );
    let listed = world.document(&["models"], 0);
    let expected = json!({
        "id": "small", "provider": "scripted", "adapter": "scripted", "base_url": null, "key_env": null,
        "key_set": false, "context_window_size": 8000, "agents": ["shop/zeus"],
    });
    assert_eq!(listed["models"][1], expected);
    let big = &listed["models"][0];
    assert_eq!((&big["adapter"], &big["key_env"]), (&"openai".into(), &"NO_SUCH_KEY".into()));
    assert!(big["base_url"].as_str().unwrap().starts_with("https://"), "{big}");
    assert!(world.succeed(&["models"]).contains("NO_SUCH_KEY missing"));
    let output = world.command(&["models", "--json"]).env("NO_SUCH_KEY", "hunter2").output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("\"key_set\":true") && !text.contains("hunter2"), "{text}");
}

#[test]
fn tools_are_those_that_the_agent_reports() {
    let world = World::new(&["zeus"], &[]);
    let _agent = FakeAgent::start(&world, "shop/zeus", |_, _| {
        let tool = json!({ "name": "fs.read", "model_name": "fs_read", "doc": "Read.", "given": false, "reason": "denied by the agent", "confirm": true });
        Ok((json!({ "tools": [tool], "sandbox": "full", "transport": {}, "servers": [] }), Vec::new()))
    });
    let listed = world.document(&["tools", "zeus"], 0);
    assert_eq!(members(&listed), ["id", "layers", "sandbox", "servers", "tools", "transport", "version"]);
    assert_eq!(listed["tools"][0]["reason"], "denied by the agent");
    assert_eq!((&listed["transport"]["kind"], &listed["transport"]["ok"]), (&"local".into(), &true.into()));
    assert!(listed["transport"]["latency_ms"].is_number());
    assert_eq!(listed["layers"], json!(["workspace"]));
    let human = world.succeed(&["tools", "zeus"]);
    assert!(!human.contains("engine"), "{human}");
    assert!(human.contains("fs.read  no     yes      denied by the agent\n"), "{human}");
}

#[test]
fn the_rights_of_an_engine_are_printed() {
    let world = World::new(&["zeus"], &[]);
    let _agent = FakeAgent::start(&world, "shop/zeus", |_, _| {
        let engine = json!({ "name": "opencode", "program": "opencode", "settings": true, "permissions": { "read": "allow", "edit": "ask", "search": "allow" } });
        Ok((
            json!({ "tools": [], "sandbox": "partial", "transport": {}, "servers": [], "engine": engine }),
            Vec::new(),
        ))
    });
    let human = world.succeed(&["tools", "zeus"]);
    let expected = "engine opencode (opencode), its own settings say the same\n  allow  read, search\n  ask    edit\nsandbox partial";
    assert!(human.contains(expected), "{human}");
    assert_eq!(world.document(&["tools", "zeus"], 0)["engine"]["permissions"]["edit"], "ask");
}

#[test]
fn the_environment_is_checked() {
    let world = World::new(&["zeus"], &[]);
    let checked = world.document(&["doctor"], 0);
    let names: Vec<&str> =
        checked["checks"].as_array().unwrap().iter().map(|check| check["name"].as_str().unwrap()).collect();
    assert_eq!(
        names,
        [
            "files",
            "versions",
            "runtime-folder",
            "state-folder",
            "transport",
            "sandbox",
            "path",
            "models",
            "keys",
            "engines",
            "servers",
            "knowledge"
        ]
    );
    assert_eq!(members(&checked["checks"][0]), ["help", "message", "name", "ok", "severity"]);
    // What this version does not have is an information, and no reason to fail.
    let knowledge = &checked["checks"][11];
    assert_eq!((&knowledge["ok"], &knowledge["severity"]), (&false.into(), &"info".into()), "{knowledge}");
    assert_eq!(checked["checks"][10]["message"], "no agent lists tools of MCP servers");
    assert_eq!(checked["checks"][9]["message"], "agents use models themselves; no program is needed");
    world.write(
        ".ateam/models.yaml",
        "models: {small: {provider: openai, model_settings: {api_key_env: NO_SUCH_KEY}}}\n",
    );
    let ran = world.run(&["doctor"]);
    assert_eq!(ran.code, 1);
    assert!(ran.stdout.contains("keys            error   not set: NO_SUCH_KEY"), "{}", ran.stdout);
    world.write(
        ".ateam/agents/zeus/agent.yaml",
        "name: zeus\nengine: {kind: acp, command: no-such-program}\n",
    );
    let ran = world.run(&["doctor"]);
    assert_eq!(ran.code, 1);
    let missing = "engines         error   not found: `no-such-program` of `zeus`";
    assert!(ran.stdout.contains(missing), "{}", ran.stdout);
    let rules = world.succeed(&["doctor", "--acl"]);
    assert!(rules.lines().any(|line| line.starts_with("agents ") && line.contains("+xadd")), "{rules}");
    assert!(rules.lines().any(|line| line.starts_with("consoles ") && !line.contains("+xadd")), "{rules}");
    assert_eq!(world.document(&["doctor", "--acl"], 0)["acl"][2]["user"], "observers");
}

#[test]
fn tokens_are_not_needed_on_one_machine() {
    let world = World::new(&["zeus"], &[]);
    let error = &world.document(&["token", "zeus"], 1)["error"];
    assert_eq!(error["kind"], "refused");
    let mut command = world.command(&["agent", "zeus", "--json"]);
    let output = command.env("ATEAM_BOOTSTRAP_TOKEN", "not a token").output().unwrap();
    assert_eq!(output.status.code(), Some(12));
    assert!(String::from_utf8(output.stdout).unwrap().contains("bootstrap.invalid"));
}
