//! Turns of a program that speaks the Agent Client Protocol.

use std::path::Path;

use minds_acp::short_engines;
use minds_fleet::model::SHORT_ENGINES;
use minds_fleet_protocol::methods::{Cancel, ConfirmAnswer, Interrupt, QueueRetry};
use minds_fleet_protocol::{EndReason, EventKind, ItemId, ItemState};
use serde_json::{Value, json};

use crate::client::{Client, Frames};
use crate::fake_engine::{LOG, MODE};
use crate::place::{Agent, Place, eventually};

pub(crate) const TOOLS: &str = "tools: {allow: [fs.read, fs.write], confirm: [fs.write]}\n";

/// Creates a workspace whose agent is the program of the tests, in a mode.
pub(crate) fn place(mode: &str, keys: &str) -> Place {
    let place = Place::new(&[]);
    place.write("log/engine.log", "");
    configure(&place, mode, &[], keys);
    place
}

/// Writes the file of the agent.
pub(crate) fn configure(place: &Place, mode: &str, writable: &[&Path], keys: &str) {
    let program = std::env::current_exe().unwrap();
    let env =
        json!({ LOG: place.path("log/engine.log"), MODE: mode, "SECRET": { "env": "MINDS_TEST_SECRET" } });
    let args = ["--exact", "fake_engine", "--nocapture", "--quiet"];
    let engine = json!({ "kind": "acp", "command": program, "args": args, "env": env });
    let read = json!([program.parent().unwrap()]);
    let folder = place.path("log");
    let write: Vec<&Path> = writable.iter().copied().chain([folder.as_path()]).collect();
    let write = json!(write);
    let file = format!(
        "name: zeus\nengine: {engine}\nprompt: {{base: system_base.md}}\nexec: {{read: {read}, write: {write}}}\n{keys}"
    );
    place.write("ws/.ateam/agents/zeus/agent.yaml", &file);
}

/// What the program received.
fn log(place: &Place) -> Vec<Value> {
    let text = std::fs::read_to_string(place.path("log/engine.log")).unwrap_or_default();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn methods(place: &Place) -> Vec<String> {
    log(place).iter().filter_map(|message| message["method"].as_str().map(str::to_owned)).collect()
}

pub(crate) struct World {
    pub(crate) place: Place,
    pub(crate) agent: Agent,
    pub(crate) client: Client,
    pub(crate) frames: Frames,
}

impl World {
    pub(crate) fn new(mode: &str, keys: &str) -> Self {
        Self::start(place(mode, keys))
    }

    pub(crate) fn start(place: Place) -> Self {
        let agent = place.start();
        let (client, frames) = (place.owner(), Frames::all(&place.bus()));
        Self { place, agent, client, frames }
    }

    /// Lets the program do something, and returns how it ended.
    pub(crate) fn perform(&mut self, text: &str) -> EndReason {
        let item = self.client.input(text);
        self.frames.end_of(&item)
    }

    fn parked(&mut self) -> Vec<String> {
        let items = self.client.queue().into_iter();
        items.filter(|item| item.state == ItemState::Parked).map(|item| item.qid.to_string()).collect()
    }

    /// Lets the program do something, and returns what it wrote.
    pub(crate) fn answer(&mut self, text: &str) -> String {
        assert_eq!(self.perform(text), EndReason::Done, "{text}: {:?}", self.frames.describe());
        let history = self.place.lines("history.jsonl");
        history.last().unwrap()["content"].as_str().unwrap().to_owned()
    }

    /// Waits until the program works on an item.
    fn wait_for_prompt(&self, text: &str) {
        eventually("the prompt", || {
            log(&self.place).iter().any(|message| message.to_string().contains(text)).then_some(())
        });
    }
}

#[test]
fn the_two_tables_of_short_forms_have_the_same_names() {
    let names: Vec<&str> = short_engines().keys().map(String::as_str).collect();
    assert_eq!(names, SHORT_ENGINES);
}

#[test]
fn text_and_tool_calls_become_events_and_records() {
    let mut world = World::new("", "");
    assert_eq!(world.perform("say hello hunter2"), EndReason::Done);
    assert_eq!(world.perform("tool read"), EndReason::Done);
    let lines = world.frames.describe();
    let expected = [
        "text hello ****",
        "end Done",
        "tool read {\"input\":{\"path\":\"a\"},\"title\":\"a call\"}",
        "text the result",
        "result true",
        "text done",
    ];
    let mut rest = lines.iter();
    for line in expected {
        assert!(rest.any(|one| one == line), "{line} in {lines:#?}");
    }
    // The first prompt of a session begins with the system prompt.
    let prompts: Vec<Value> = log(&world.place)
        .into_iter()
        .filter(|message| message["method"] == "session/prompt")
        .map(|message| message["params"]["prompt"].clone())
        .collect();
    assert_eq!(prompts[0].as_array().unwrap().len(), 2);
    assert!(prompts[0][0]["text"].as_str().unwrap().starts_with("You help."), "{prompts:?}");
    assert_eq!(prompts[1].as_array().unwrap().len(), 1);
    let initialize = &log(&world.place)[0]["params"]["clientCapabilities"];
    assert_eq!(initialize["fs"], json!({ "readTextFile": false, "writeTextFile": false }));
    assert_eq!(initialize["terminal"], false);
    let history = world.place.lines("history.jsonl");
    let roles: Vec<&str> = history.iter().map(|line| line["role"].as_str().unwrap()).collect();
    assert_eq!(
        roles,
        [
            "user",
            "assistant",
            "tool",
            "assistant",
            "user",
            "assistant",
            "assistant",
            "tool",
            "tool",
            "assistant"
        ]
    );
    assert!(!history.iter().any(|line| line.to_string().contains("hunter2")));
}

#[test]
fn reasons_of_the_program_are_those_of_the_end() {
    let mut world = World::new("", "");
    for (reason, expected) in [
        ("end_turn", EndReason::Done),
        ("refusal", EndReason::Refused),
        ("max_tokens", EndReason::MaxSteps),
        ("max_turn_requests", EndReason::MaxSteps),
        ("cancelled", EndReason::Interrupted),
    ] {
        assert_eq!(world.perform(&format!("stop {reason}")), expected, "{reason}");
    }
    assert_eq!(world.perform("fail no credit"), EndReason::Model);
    assert!(world.frames.describe().contains(&"error the program failed: no credit".to_owned()));
}

#[test]
fn permissions_follow_from_the_tools_of_the_agent() {
    let mut world = World::new("", "tools: {allow: [fs.read, fs.write]}\n");
    let cases = [
        ("read", "allow"),
        ("search", "allow"),
        ("edit", "allow"),
        ("delete", "allow"),
        ("move", "allow"),
        ("execute", "reject"),
        ("think", "allow"),
        ("switch_mode", "allow"),
        ("fetch", "reject"),
        ("other", "reject"),
        ("unheard-of", "reject"),
    ];
    for (kind, expected) in cases {
        assert_eq!(world.perform(&format!("ask {kind}")), EndReason::Done);
        let history = world.place.lines("history.jsonl");
        assert_eq!(history.last().unwrap()["content"], expected, "{kind}");
    }
}

#[test]
fn the_owner_decides_about_tools_that_are_confirmed() {
    let mut world = World::new("", TOOLS);
    for (answer, expected) in [(true, "allow"), (false, "reject")] {
        let item = world.client.input("ask edit");
        let id = world.frames.wait_for(|event| match &event.kind {
            EventKind::ConfirmRequest(request) if event.qid.as_ref() == Some(&item) => {
                Some(request.id.clone())
            }
            _ => None,
        });
        world.client.call(&ConfirmAnswer { id, answer }).unwrap();
        assert_eq!(world.frames.end_of(&item), EndReason::Done);
        assert_eq!(world.place.lines("history.jsonl").last().unwrap()["content"], expected);
    }
    // An interrupt answers an open question, as the protocol demands.
    let item = world.client.input("ask edit");
    world.frames.wait_for(|event| {
        matches!(&event.kind, EventKind::ConfirmRequest(_) if event.qid.as_ref() == Some(&item)).then_some(())
    });
    world.client.call(&Interrupt {}).unwrap();
    assert_eq!(world.frames.end_of(&item), EndReason::Interrupted);
    let answers = log(&world.place);
    assert!(
        answers.iter().any(|answer| answer["result"]["outcome"]["outcome"] == "cancelled"),
        "{answers:?}"
    );
}

#[test]
fn nothing_that_a_program_says_about_ids_is_believed() {
    let mut world = World::new("", "tools: {allow: [fs.write]}\n");
    assert_eq!(world.perform("lie"), EndReason::Done);
    let history = world.place.lines("history.jsonl");
    // Invalid parameters, and methods that the client does not have.
    assert_eq!(history.last().unwrap()["content"], "-32602 -32601 -32601");
    assert!(!world.frames.describe().concat().contains("from another session"));
    // Its second answer to the prompt belongs to no request.
    assert_eq!(world.perform("say next"), EndReason::Done);
}

#[test]
fn an_interrupt_is_cooperative_and_a_cancel_kills() {
    let mut world = World::new("", "");
    let item = world.client.input("hang");
    world.wait_for_prompt("hang");
    world.client.call(&Interrupt {}).unwrap();
    assert_eq!(world.frames.end_of(&item), EndReason::Interrupted);
    // The same process goes on.
    assert_eq!(world.perform("say next"), EndReason::Done);
    assert_eq!(methods(&world.place).iter().filter(|method| *method == "initialize").count(), 1);
    let item = world.client.input("deaf");
    world.wait_for_prompt("deaf");
    world.client.call(&Cancel { hard: true }).unwrap();
    assert_eq!(world.frames.end_of(&item), EndReason::Cancelled);
    // One that ignores an interrupt is killed after some time.
    let item = world.client.input("deaf");
    world.frames.wait_for(|event| {
        matches!(&event.kind, EventKind::Token(token) if token.text.contains("deaf") && event.qid.as_ref() == Some(&item)).then_some(())
    });
    world.client.call(&Interrupt {}).unwrap();
    assert_eq!(world.frames.end_of(&item), EndReason::Interrupted);
    assert_eq!(world.perform("say next"), EndReason::Done);
}

#[test]
fn an_item_is_parked_when_the_program_ends_and_continues_its_session() {
    let mut world = World::new("resume", "");
    assert_eq!(world.perform("die"), EndReason::Error);
    let parked = world.parked();
    assert_eq!(parked.len(), 1);
    let lines = world.frames.describe();
    assert!(lines.iter().any(|line| line.contains("exited with status 7: out of memory")), "{lines:?}");
    assert_eq!(world.perform("say next"), EndReason::Done);
    let methods = methods(&world.place);
    assert!(methods.contains(&"session/resume".to_owned()), "{methods:?}");
    // The item is performed again only after a decision.
    assert_eq!(methods.iter().filter(|method| *method == "session/prompt").count(), 2);
    world.client.call(&QueueRetry { qid: ItemId::parse(&parked[0]).unwrap() }).unwrap();
    eventually("the second attempt", || (world.parked().len() == 1).then_some(()));
}

#[test]
fn a_program_that_cannot_be_started_parks_the_item() {
    let place = place("die", "");
    let mut world = World::start(place);
    assert_eq!(world.perform("say hello"), EndReason::Error);
    assert_eq!(world.parked().len(), 1);
}

#[test]
fn a_turn_of_a_program_does_not_take_longer_than_the_file_permits() {
    let mut world = World::new("", "limits: {turn_seconds: 1}\n");
    assert_eq!(world.perform("hang"), EndReason::Interrupted);
    assert_eq!(world.perform("say next"), EndReason::Done);
}

#[test]
fn a_program_that_does_not_answer_can_be_interrupted() {
    let mut world = World::new("hang", "");
    let item = world.client.input("say hello");
    world.wait_for_prompt("initialize");
    world.client.call(&Interrupt {}).unwrap();
    assert_eq!(world.frames.end_of(&item), EndReason::Interrupted);
}

#[test]
fn an_agent_that_was_killed_parks_the_item_and_continues_the_session() {
    for (mode, expected) in [("resume", "session/resume"), ("load", "session/load"), ("", "session/new")] {
        let mut world = World::new(mode, "");
        assert_eq!(world.perform("say hello"), EndReason::Done);
        world.client.input("hang");
        world.wait_for_prompt("hang");
        world.agent.kill();
        let mut world = World::start(world.place);
        assert_eq!(world.parked().len(), 1, "{mode}");
        assert_eq!(world.perform("say next"), EndReason::Done);
        assert_eq!(
            methods(&world.place)
                .iter()
                .rfind(|method| method.starts_with("session/")
                    && *method != "session/prompt"
                    && *method != "session/cancel")
                .unwrap(),
            expected
        );
        let lines = world.frames.describe();
        let has_warned = lines.iter().any(|line| line.contains("cannot continue its earlier session"));
        assert_eq!(has_warned, mode.is_empty(), "{lines:?}");
        assert!(!lines.concat().contains("an old answer"));
    }
}

#[test]
fn a_flood_is_bounded() {
    let mut world = World::new("", "");
    let count = std::env::var("MINDS_TEST_FLOOD").ok().and_then(|text| text.parse().ok()).unwrap_or(20_000);
    assert_eq!(world.perform(&format!("flood {count}")), EndReason::Done);
    let text = world.place.lines("history.jsonl").last().unwrap()["content"].as_str().unwrap().to_owned();
    assert_eq!(text.len(), count);
    assert_eq!(world.perform("huge"), EndReason::Error);
    let lines = world.frames.describe();
    assert!(lines.iter().any(|line| line.contains("a line of more than 32 MiB")), "{lines:?}");
    assert_eq!(world.parked().len(), 1);
}

#[test]
fn a_program_receives_few_variables_and_its_secrets_are_not_shown() {
    let mut world = World::new("", "");
    assert_eq!(world.perform("env MINDS_TEST_AGENT"), EndReason::Done);
    assert_eq!(world.place.lines("history.jsonl").last().unwrap()["content"], "not set");
    assert_eq!(world.perform("env SECRET"), EndReason::Done);
    assert_eq!(world.place.lines("history.jsonl").last().unwrap()["content"], "****");
    world.frames.read_more();
    assert!(!format!("{:?}", world.frames.read).contains("swordfish"));
}
