//! Errors: their kinds, codes, messages and exit codes.

use crate::support::{World, members};

#[test]
fn wrong_arguments_are_usage_errors() {
    let world = World::new(&["zeus"], &[]);
    for args in [
        &["nothing"][..],
        &["stop"],
        &["send", "zeus"],
        &["send", "zeus", " \n"],
        &["send", "zeus", "x", "--timeout", "5"],
        &["send", "zeus", "x", "--wait", "--timeout", "0"],
        &["tail", "zeus", "--since", "yesterday"],
        &["tail", "a/b/c"],
        &["queue", "zeus", "empty"],
        &["ps", "--redis", "redis://x", "--local"],
        &["ps", "--rpc-timeout", "0"],
        &["ps", "--rpc-timeout", "3601"],
        &["agent"],
        &["agent", "zeus", "--name", "zeus"],
        &["agent", "--project", "shop"],
        &["ps", "--log-level", "loud"],
    ] {
        let ran = world.run(args);
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{args:?}: {}", ran.stderr);
        assert!(ran.stderr.starts_with("minds-fleet: error[usage]: "), "{args:?}: {}", ran.stderr);
        assert_eq!(ran.stderr.lines().count(), 1, "{args:?}: {}", ran.stderr);
        let error = &world.document(args, 2)["error"];
        assert_eq!(members(error), ["kind", "message"], "{args:?}");
        assert_eq!(error["kind"], "usage", "{args:?}");
    }
    let near = world.run(&["tial", "zeus"]).stderr;
    assert!(near.contains("did you mean `tail`?"), "{near}");
}

#[test]
fn an_agent_that_does_not_run_is_not_found() {
    let world = World::new(&["zeus", "hera"], &[]);
    for args in [
        &["stop", "zeus"][..],
        &["send", "zeus", "hello"],
        &["tail", "zeus"],
        &["interrupt", "zeus"],
        &["cancel", "zeus"],
        &["queue", "zeus"],
        &["who", "zeus"],
        &["tools", "zeus"],
        &["retry", "q-1", "--agent", "zeus"],
    ] {
        let error = &world.document(args, 4)["error"];
        assert_eq!(
            (&error["kind"], &error["code"]),
            (&"fleet".into(), &"agent.not_found".into()),
            "{args:?}"
        );
        let message = error["message"].as_str().unwrap();
        assert!(message.contains("`minds-fleet up zeus` starts it"), "{args:?}: {message}");
    }
    for (name, near) in [("zues", "shop/zeus"), ("shop/herra", "shop/hera")] {
        for verb in ["tail", "stop", "up"] {
            let error = &world.document(&[verb, name], 4)["error"];
            assert_eq!(error["detail"]["near"][0], near, "{verb} {name}");
            assert!(error["message"].as_str().unwrap().contains("did you mean"), "{error}");
        }
    }
    let error = &world.document(&["up", "other/zeus"], 4)["error"];
    assert_eq!(error["code"], "agent.not_found");
}

#[test]
fn files_with_errors_start_nothing() {
    let world = World::new(&["zeus"], &[]);
    world.write(".ateam/agents/zeus/agent.yaml", "name: zeus\nmodel: smal\nprompt: {base: none.md}\n");
    for args in [
        &["up"][..],
        &["up", "zeus"],
        &["up", "--dry-run"],
        &["agent", "zeus"],
        &["send", "zeus", "x", "--start"],
    ] {
        let error = &world.document(args, 12)["error"];
        assert_eq!(error["code"], "config.invalid", "{args:?}");
        let detail = &error["detail"];
        assert_eq!(detail["file"], ".ateam/agents/zeus/agent.yaml", "{args:?}: {detail}");
        assert_eq!(detail["line"], 2, "{args:?}: {detail}");
        assert!(detail["message"].as_str().unwrap().contains("smal"), "{args:?}: {detail}");
        assert!(detail["errors"].as_array().unwrap().len() >= 2, "{args:?}: {detail}");
        let ran = world.run(args);
        assert!(
            ran.stderr.starts_with("minds-fleet: error[config.invalid]: .ateam/agents/zeus/agent.yaml:2: "),
            "{args:?}: {}",
            ran.stderr
        );
    }
    assert_eq!(world.document(&["ps"], 0)["agents"], serde_json::json!([]));
    let checks = world.document(&["doctor"], 1);
    assert_eq!((&checks["checks"][0]["name"], &checks["checks"][0]["ok"]), (&"files".into(), &false.into()));
}

#[test]
fn a_directory_without_a_fleet_has_no_agents() {
    let world = World::empty();
    for (args, member) in [
        (&["up"][..], "agents"),
        (&["down"], "agents"),
        (&["ps"], "agents"),
        (&["who"], "agents"),
        (&["models"], "models"),
    ] {
        assert_eq!(world.document(args, 0)[member], serde_json::json!([]), "{args:?}");
        let ran = world.run(args);
        assert_eq!((ran.code, ran.stdout.as_str()), (0, ""), "{args:?}");
        assert!(ran.stderr.starts_with("minds-fleet: ") && ran.stderr.lines().count() == 1, "{}", ran.stderr);
    }
    assert_eq!(world.document(&["tail", "zeus"], 4)["error"]["code"], "agent.not_found");
    let none = world.document(&["-C", "none", "ps"], 2);
    assert_eq!(none["error"]["kind"], "system");
}

#[test]
fn an_invalid_name_of_a_directory_is_explained() {
    let world = World::new(&["zeus"], &[]);
    world.write("my app/.ateam/models.yaml", "{models: {small: {provider: scripted}}}\n");
    world.write("my app/.ateam/agents/zeus/agent.yaml", "{name: zeus, model: small, prompt: {base: b.md}}\n");
    world.write("my app/.ateam/agents/zeus/b.md", "Answer.\n");
    std::fs::remove_file(world.workspace().join(".ateam/project.yaml")).unwrap();
    for (args, code) in [(&["up"][..], 12), (&["send", "zeus", "x"], 4)] {
        let error = &world.document(&[&["-C", "my app"], args].concat(), code)["error"];
        let message = error["message"].as_str().unwrap();
        assert!(message.contains("`my app`") && message.contains("project.yaml"), "{message}");
    }
}

#[test]
fn redis_that_cannot_be_reached_has_its_code() {
    let world = World::new(&["zeus"], &[]);
    let error = &world.document(&["ps", "--redis", "redis://ann:hunter2@127.0.0.1:1/0"], 2)["error"];
    assert_eq!((&error["kind"], &error["code"]), (&"fleet".into(), &"redis.unavailable".into()));
    assert!(!error.to_string().contains("hunter2"), "{error}");
}
