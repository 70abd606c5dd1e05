//! Agents with a member of the team, whose access lists bound their files as well.

use serde_json::{Value, json};

use crate::support::World;
use crate::support::tool_agent::{call, configure, fleet, frames, given_tools, read, results, set_script};

/// Writes the team with these lines of the member `ann`.
fn write_team(world: &World, ann: &str) {
    let text = format!(
        "member_defaults: {{provider: p, model: m}}\nmembers:\n  ann: {{name: Ann, {ann}}}\n  ben: {{name: Ben}}\n"
    );
    world.write(".minds/team.yaml", &text);
}

/// Returns the codes of the results of the last calls.
fn codes(world: &World, count: usize) -> Vec<Value> {
    let all: Vec<Value> =
        frames(world, "tool.result").into_iter().map(|frame| frame["code"].clone()).collect();
    all[all.len() - count..].to_vec()
}

/// The lists of the member and those of the agent must both permit, and a change of the team counts for the next call.
#[test]
fn the_lists_of_the_member_apply() {
    let script = [
        call("fs_read", json!({"path": "src/a"})),
        call("fs_read", json!({"path": "docs/secret"})),
        call("fs_read", json!({"path": "src/link"})),
        call("fs_write", json!({"path": "src/effect", "content": "x"})),
        call("fs_write", json!({"path": "src/gen/effect", "content": "x"})),
        call("fs_list", json!({"path": "src"})),
        call("fs_list", json!({"path": "."})),
        call("os_exec", json!({"cmd": "touch effect"})),
        json!({"text": "done"}),
    ];
    let world = fleet("member: ann\ntools: {allow: [fs.read, fs.write, fs.list, os.exec]}\n", &script);
    write_team(
        &world,
        "read_dirs: [src], no_read_dirs: [src/gen], write_dirs: [src], no_write_dirs: [src/gen]",
    );
    world.write("src/a", "text");
    world.write("src/gen/b", "canary");
    world.write("docs/secret", "canary");
    std::os::unix::fs::symlink("../docs/secret", world.workspace().join("src/link")).unwrap();
    world.document(&["send", "zeus", "--start", "--wait", "go"], 0);
    let denied = json!("tool.denied");
    let ok = Value::Null;
    let expected = [&ok, &denied, &denied, &ok, &denied, &ok, &denied, &denied].map(Clone::clone);
    assert_eq!(codes(&world, 8), expected, "{:?}", results(&world));
    let results = results(&world);
    assert!(results.iter().all(|result| !result.contains("canary")), "{results:?}");
    assert!(results[1].contains("member `ann`"), "{results:?}");
    assert_eq!(serde_json::from_str::<Value>(&results[5]).unwrap()["left_out"], 1, "{results:?}");
    assert!(!results[5].contains("gen"), "{results:?}");
    assert_eq!((read(&world, "src/effect"), read(&world, "src/gen/effect")), ("x".into(), "none".into()));
    assert_eq!(read(&world, "effect"), "none");
    assert_eq!(given_tools(&world), ["fs.list", "fs.read", "fs.write"]);
    let tools = world.document(&["tools", "zeus"], 0);
    let exec = tools["tools"].as_array().unwrap().iter().find(|tool| tool["name"] == "os.exec").unwrap();
    assert!(exec["reason"].as_str().unwrap().contains("access lists of the member `ann`"), "{exec}");
}

/// A team that cannot be read, has faults or does not have the member permits no file.
#[test]
fn a_faulty_team_permits_no_file() {
    let world = fleet("member: ann\ntools: {allow: [fs.read, fs.write]}\n", &[json!({"text": "one"})]);
    write_team(&world, "toolsets: ['*']");
    world.write("a", "canary");
    world.document(&["send", "zeus", "--start", "--wait", "go"], 0);
    let write = call("fs_write", json!({"path": "effect", "content": "x"}));
    set_script(&world, &[call("fs_read", json!({"path": "a"})), write, json!({"text": "tried"})]);
    let teams = [
        "members: {ann: {name: Ann, read_dirs: 5, write_dirs: [..]}}\n",
        "members: [",
        "members: {ann: {name: Ann, toolsets: [memory]}}\n",
        "",
    ];
    for team in teams {
        world.write(".minds/team.yaml", team);
        world.succeed(&["down"]);
        world.succeed(&["up"]);
        world.run(&["send", "zeus", "--wait", "go"]);
        assert_eq!(read(&world, "effect"), "none", "{team}");
        assert!(
            results(&world).iter().all(|result| !result.contains("canary")),
            "{team}: {:?}",
            results(&world)
        );
    }
    std::fs::remove_file(world.workspace().join(".minds/team.yaml")).unwrap();
    world.succeed(&["down"]);
    world.succeed(&["up"]);
    world.run(&["send", "zeus", "--wait", "go"]);
    assert_eq!(read(&world, "effect"), "none");
    write_team(&world, "toolsets: ['*']");
    world.succeed(&["down"]);
    world.document(&["send", "zeus", "--start", "--wait", "go"], 0);
    assert_eq!(read(&world, "effect"), "x", "{:?}", results(&world));
}

/// An agent without its member has more rights, which a person accepts first.
#[test]
fn a_removed_member_waits_for_a_person() {
    let world = fleet("member: ann\ntools: {allow: [fs.write]}\n", &[json!({"text": "one"})]);
    write_team(&world, "write_dirs: [src]");
    world.document(&["send", "zeus", "--start", "--wait", "go"], 0);
    set_script(
        &world,
        &[call("fs_write", json!({"path": "effect", "content": "x"})), json!({"text": "tried"})],
    );
    world.succeed(&["down"]);
    for lines in ["tools: {allow: [fs.write]}\n", "member: ben\ntools: {allow: [fs.write]}\n"] {
        configure(&world, lines);
        world.document(&["up"], 0);
        world.document(&["send", "zeus", "--wait", "go"], 0);
        assert_eq!(read(&world, "effect"), "none", "{lines}");
        let warnings = frames(&world, "warn");
        assert!(warnings.last().unwrap()["msg"].as_str().unwrap().contains("- member: ann"), "{warnings:?}");
        world.succeed(&["down"]);
    }
    world.document(&["up", "--accept"], 0);
    world.document(&["send", "zeus", "--wait", "go"], 0);
    assert_eq!(read(&world, "effect"), "x");
}
