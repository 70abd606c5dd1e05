//! Starting and stopping agents.

use serde_json::json;

use crate::support::{World, exists, members};

#[test]
fn agents_are_started_once_and_stopped_in_order() {
    let world = World::new(&["hera", "zeus"], &[]);
    let planned = world.document(&["up", "--dry-run"], 0);
    assert_eq!(planned["agents"][0]["result"], "would-start");
    assert!(planned["agents"][1]["command"].as_str().unwrap().contains("agent shop/zeus"), "{planned}");
    let started = world.document(&["up"], 0);
    let results = |document: &serde_json::Value| -> Vec<(String, String)> {
        let text = |value: &serde_json::Value| value.as_str().unwrap().to_owned();
        let agents = document["agents"].as_array().unwrap();
        agents.iter().map(|agent| (text(&agent["id"]), text(&agent["result"]))).collect()
    };
    let all = |result: &str| ["shop/hera", "shop/zeus"].map(|id| (id.to_owned(), result.to_owned())).to_vec();
    assert_eq!(results(&started), all("started"));
    assert_eq!(members(&started["agents"][0]), ["id", "pid", "result"]);
    let again = world.document(&["up"], 0);
    assert_eq!(results(&again), all("running"));
    assert_eq!(again["agents"][1]["pid"], started["agents"][1]["pid"]);
    let human = world.succeed(&["up", "zeus", "shop/zeus"]);
    assert_eq!(human.lines().count(), 2, "an agent that is named twice is started once: {human}");
    assert!(human.contains("shop/zeus  running"), "{human}");
    assert_eq!(results(&world.document(&["stop", "hera"], 0)), [("shop/hera".into(), "stopped".into())]);
    assert_eq!(
        results(&world.document(&["down", "hera", "zeus"], 0)),
        [("shop/hera".into(), "not-running".into()), ("shop/zeus".into(), "stopped".into())]
    );
    assert_eq!(world.document(&["ps"], 0)["agents"], json!([]));
    let ended = world.document(&["ps", "--all"], 0);
    assert_eq!(ended["agents"][0]["state"], "shutdown");
    // The state is in the folder of the agent, and the log in its runtime folder.
    assert!(
        exists(&world.workspace().join(".ateam/agents/zeus/state/history.jsonl"))
            || exists(&world.workspace().join(".ateam/agents/zeus/state/agent.json"))
    );
    assert!(exists(&world.home().join("run/fleet/tests/shop/zeus/agent.log")));
}

#[test]
fn a_second_process_of_an_agent_ends_with_11() {
    let world = World::new(&["zeus"], &[]);
    world.succeed(&["up"]);
    let error = &world.document(&["agent", "shop/zeus"], 11)["error"];
    assert_eq!(error["code"], "duplicate.instance");
}

#[test]
fn an_agent_that_does_not_start_is_explained_by_its_log() {
    let world = World::new(&["zeus", "hera"], &[]);
    // The folder of the state is a file.
    world.write(".ateam/agents/zeus/state", "");
    let started = world.document(&["up", "zeus", "hera"], 1);
    let failed = &started["agents"][0];
    assert_eq!((&failed["id"], &failed["result"]), (&"shop/zeus".into(), &"failed".into()));
    let error = &failed["error"];
    assert!(error["message"].as_str().unwrap().starts_with("`shop/zeus` exited with status "), "{error}");
    assert!(error["detail"]["lines"][0].as_str().unwrap().contains("minds-fleet: error["), "{error}");
    assert!(exists(error["detail"]["log"].as_str().unwrap().as_ref()), "{error}");
    assert_eq!(started["agents"][1]["result"], "started", "the others are started all the same");
    let ran = world.run(&["up", "zeus"]);
    assert_eq!(ran.code, 1);
    assert!(ran.stderr.contains("error[") && ran.stderr.contains("agent.log`"), "{}", ran.stderr);
}

#[test]
fn a_large_log_becomes_the_older_one() {
    let world = World::new(&["zeus"], &[]);
    world.succeed(&["up"]);
    world.succeed(&["down"]);
    let folder = world.home().join("run/fleet/tests/shop/zeus");
    std::fs::write(folder.join("agent.log"), vec![b'x'; (8 << 20) + 1]).unwrap();
    world.succeed(&["up"]);
    let size = |name: &str| std::fs::metadata(folder.join(name)).unwrap().len();
    assert_eq!(size("agent.log.1"), (8 << 20) + 1);
    assert!(size("agent.log") < 1 << 20);
}

#[test]
fn killing_an_agent_needs_a_person() {
    let world = World::new(&["zeus"], &[]);
    world.succeed(&["up"]);
    let error = &world.document(&["stop", "zeus", "--hard"], 1)["error"];
    assert_eq!(members(error), ["kind", "message"]);
    assert_eq!(error["kind"], "refused");
    assert_eq!(world.document(&["ps"], 0)["agents"][0]["id"], "shop/zeus");
}

#[test]
fn the_options_of_services_name_an_agent() {
    let world = World::new(&["zeus"], &[]);
    let args = ["agent", "--project", "other", "--name", "zeus", "--cwd", "."];
    let mut command = world.command(&args);
    let mut child = command.spawn().unwrap();
    let is_listed = || world.document(&["ps"], 0)["agents"][0]["id"] == "other/zeus";
    while !is_listed() {
        assert!(child.try_wait().unwrap().is_none(), "the agent runs");
    }
    assert_eq!(world.document(&["stop", "other/zeus"], 0)["agents"][0]["result"], "stopped");
    assert_eq!(child.wait().unwrap().code(), Some(0));
}
