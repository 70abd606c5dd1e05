//! What a program may do, by the files of its agent and by what a person accepted.

use minds_fleet_protocol::EndReason;
use minds_fleet_protocol::methods::ToolsList;
use serde_json::Value;

use crate::engines::{TOOLS, World, configure, place};

#[test]
fn the_rights_of_the_program_are_shown() {
    let mut world = World::new("", TOOLS);
    let listed = world.client.call(&ToolsList {}).unwrap();
    let engine: Value = listed.engine.unwrap().decode().unwrap();
    assert_eq!((&engine["name"], &engine["settings"]), (&"acp".into(), &false.into()));
    let kinds = ["read", "edit", "execute", "think"].map(|kind| engine["permissions"][kind].clone());
    assert_eq!(kinds, ["allow", "ask", "deny", "allow"]);
}

#[test]
fn the_sandbox_stops_a_program_that_does_not_ask() {
    if minds_exec::available_level() == minds_exec::Level::None {
        return;
    }
    let outside = tempfile::tempdir().unwrap();
    let mut world = World::new("", "");
    for (path, expected) in [(world.place.path("ws/a"), "written"), (outside.path().join("a"), "denied")] {
        assert_eq!(world.perform(&format!("write {}", path.display())), EndReason::Done);
        assert_eq!(world.place.lines("history.jsonl").last().unwrap()["content"], expected);
        assert_eq!(path.exists(), expected == "written");
    }
}

/// What the program writes into the file of its agent gives it nothing before a person accepts it, with and without a restart.
#[test]
fn a_program_gains_nothing_by_a_change_of_its_file() {
    let outside = tempfile::tempdir().unwrap();
    let write = format!("write {}", outside.path().join("a").display());
    let is_confined = minds_exec::available_level() != minds_exec::Level::None;
    let mut world = World::new("", "tools: {allow: [fs.read]}\n");
    assert_eq!(world.answer("ask edit"), "reject");
    configure(&world.place, "", &[outside.path()], "tools: {allow: [fs.read, fs.write]}\n");
    for _ in 0..2 {
        assert_eq!(world.answer("ask edit"), "reject");
        if is_confined {
            assert_eq!(world.answer(&write), "denied");
        }
        world.agent.kill();
        world = World::start(world.place);
    }
    // Another program does not run in place of the one that was accepted.
    let file = "ws/.ateam/agents/zeus/agent.yaml";
    let text = std::fs::read_to_string(world.place.path(file)).unwrap();
    world.place.write(file, &text.replace("\"--quiet\"", "\"--quiet\",\"--show-output\""));
    assert_eq!(world.perform("ask edit"), EndReason::Error);
    let lines = world.frames.describe();
    assert!(lines.iter().any(|line| line.contains("the engine of the files was not accepted")), "{lines:?}");
    world.place.write(file, &text);
    world.place.accept();
    assert_eq!(world.answer("ask edit"), "allow");
    assert_eq!(world.answer(&write), "written");
    // What is narrower counts at once.
    configure(&world.place, "", &[], "tools: {allow: [fs.read]}\n");
    assert_eq!(world.answer("ask edit"), "reject");
}

/// The server with the tools of a member is outside of the sandbox; the program has no files of the workspace itself.
#[test]
fn the_program_of_a_member_has_its_tools_and_nothing_else() {
    if minds_exec::available_level() == minds_exec::Level::None {
        return;
    }
    let place = place("", "tools: {allow: [fs.read, fs.write, os.exec]}\nmember: writer\n");
    place.write("ws/.minds/team.yaml", "members:\n  writer:\n    toolsets: [ws_mod]\n");
    place.write("ws/secret", "of the workspace");
    // Its answer is what only a program outside of the sandbox can do.
    let script = "#!/bin/sh\nread line\necho \"$*\" > ws/args\necho \"answer to $line\" | tee ws/called\n";
    place.write("bin/minds", &script.replace("ws/", "./"));
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o700);
    std::fs::set_permissions(place.path("bin/minds"), mode).unwrap();
    let mut world = World::start(place);
    for kind in ["read", "search", "edit", "delete", "move", "execute"] {
        assert_eq!(world.answer(&format!("ask {kind}")), "reject", "{kind}");
    }
    let (secret, new) = (world.place.path("ws/secret"), world.place.path("ws/new"));
    assert_eq!(world.answer(&format!("read {}", secret.display())), "denied");
    assert_eq!(world.answer(&format!("write {}", new.display())), "denied");
    assert_eq!(world.answer("call list"), "answer to list");
    let read = |path: &str| std::fs::read_to_string(world.place.path(path)).unwrap();
    assert_eq!(read("ws/called"), "answer to list\n");
    let root = std::fs::canonicalize(world.place.path("ws")).unwrap();
    assert_eq!(read("ws/args"), format!("mcp --root {} --member writer\n", root.display()));
}
