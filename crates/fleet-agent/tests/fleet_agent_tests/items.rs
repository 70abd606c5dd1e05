//! Items from the request to their end.

use minds_fleet_protocol::methods::{ConfirmAnswer, QueueDrop, QueueRetry};
use minds_fleet_protocol::{EndReason, ErrorCode, EventKind, ItemState, Outcome};
use serde_json::json;

use crate::client::{Client, Frames, input};
use crate::place::{Place, eventually};

#[test]
fn an_input_is_answered_in_frames_and_kept() {
    let place =
        Place::new(&[json!({"when": "Hello", "text": "Hello Ann, the password is hunter22.", "chunk": 3})]);
    let _agent = place.start();
    let mut client = place.owner();
    let item = client.input("Hello, I am Ann. hunter21");
    let mut frames = Frames::all(&place.bus());
    assert_eq!(frames.end_of(&item), EndReason::Done);
    let expected = [
        "recover 0",
        "state idle",
        "owner",
        "state busy",
        "task.start",
        "text Hello Ann, the password is ****.",
        "end Done",
    ];
    assert_eq!(frames.describe()[..expected.len()], expected);
    let history = place.lines("history.jsonl");
    let turns: Vec<(&str, &str)> =
        history.iter().map(|one| (one["role"].as_str().unwrap(), one["content"].as_str().unwrap())).collect();
    let expected = [("user", "Hello, I am Ann. ****"), ("assistant", "Hello Ann, the password is ****.")];
    assert_eq!(turns, expected);
    assert!(client.queue().is_empty());
    let status = eventually("the agent is idle", || {
        client.status().ok().filter(|status| status.state.as_str() == "idle")
    });
    assert_eq!((status.model.as_deref(), status.engine.as_str()), (Some("m"), "llm"));
    assert!(status.tokens_in_ctx > 0 && status.owner.is_some());
}

#[test]
fn the_same_request_is_performed_once_also_after_a_restart() {
    let place = Place::new(&[json!({"text": "one"}), json!({"text": "two"})]);
    let mut agent = place.start();
    let mut client = place.owner();
    let request = client.request(&input("a"));
    let first = client.send(request.clone()).unwrap();
    assert_eq!(client.send(request.clone()).unwrap().outcome, first.outcome);
    let mut other = client.request(&input("b"));
    other.req_id = request.req_id.clone();
    let Outcome::Failure(refused) = client.send(other).unwrap().outcome else { panic!() };
    assert_eq!(refused.code(), Some(ErrorCode::ArgsInvalid));
    agent.kill();
    let _agent = place.start();
    let mut again = Client::connect_as(&place.bus(), client.caller()).unwrap();
    again.claim();
    assert_eq!(again.send(request).unwrap().outcome, first.outcome);
    assert_eq!(place.lines("queue.jsonl").iter().filter(|line| line["id"].is_string()).count(), 1);
}

#[test]
fn calls_run_in_order_with_effects_of_their_own() {
    let calls =
        json!([{"name": "note", "args": {"n": 1}}, {"name": "read"}, {"name": "gone"}, {"name": "note"}]);
    let place = Place::new(&[json!({"text": "I do.", "tool_calls": calls}), json!({"text": "Done."})]);
    let _agent = place.start();
    let item = place.owner().input("work");
    let mut frames = Frames::all(&place.bus());
    assert_eq!(frames.end_of(&item), EndReason::Done);
    let lines = frames.describe();
    let start = lines.iter().position(|line| line == "task.start").unwrap();
    let expected = [
        "text I do.",
        r#"tool note {"n":1}"#,
        "text written\n",
        "result true",
        "tool read {}",
        "text written\n",
        "result true",
        "tool gone {}",
        "result false",
        "tool note {}",
        "text written\n",
        "result true",
        "text Done.",
        "end Done",
    ];
    assert_eq!(lines[start + 1..][..expected.len()], expected);
    assert_eq!(place.effects(), [format!("{item}/1/0"), format!("{item}/1/3")]);
}

#[test]
fn the_owner_confirms_calls() {
    let ask = json!({"tool_calls": [{"name": "ask"}]});
    let place = Place::new(&[ask.clone(), json!({"text": "first"}), ask, json!({"text": "second"})]);
    let _agent = place.start();
    let mut client = place.owner();
    let mut frames = Frames::all(&place.bus());
    for (text, answer) in [("a", true), ("b", false)] {
        let item = client.input(text);
        let id = frames.wait_for(|event| match &event.kind {
            EventKind::ConfirmRequest(request) if event.qid.as_ref() == Some(&item) => {
                Some(request.id.clone())
            }
            _ => None,
        });
        let unknown = client.call(&ConfirmAnswer { id: "x".to_owned(), answer }).unwrap_err();
        assert_eq!(unknown.code(), Some(ErrorCode::ArgsInvalid));
        client.call(&ConfirmAnswer { id: id.clone(), answer }).unwrap();
        assert!(client.call(&ConfirmAnswer { id, answer }).is_err());
        assert_eq!(frames.end_of(&item), EndReason::Done);
    }
    assert_eq!(place.effects().len(), 1);
}

#[test]
fn items_with_effects_are_parked_by_a_crash_and_a_person_decides() {
    let hang = json!({"tool_calls": [{"name": "note"}, {"name": "hang"}]});
    let place = Place::new(&[hang, json!({"text": "again"})]);
    let mut agent = place.start();
    let mut client = place.owner();
    let (first, second) = (client.input("a"), client.input("b"));
    eventually("the effect", || (!place.effects().is_empty()).then_some(()));
    agent.kill();
    place.set_script(&[json!({"text": "second"}), json!({"text": "again"})]);
    let _agent = place.start();
    let mut client = place.owner();
    let mut frames = Frames::all(&place.bus());
    // The next item runs, the parked one does not.
    assert_eq!(frames.end_of(&second), EndReason::Done);
    assert!(frames.describe().contains(&"recover 1".to_owned()));
    let states: Vec<ItemState> = client.queue().iter().map(|item| item.state).collect();
    assert_eq!(states, [ItemState::Parked]);
    assert_eq!(client.status().unwrap().queue.parked, 1);
    let unknown = client.call(&QueueRetry { qid: second }).unwrap_err();
    assert_eq!(unknown.code(), Some(ErrorCode::ArgsInvalid));
    client.call(&QueueRetry { qid: first.clone() }).unwrap();
    assert_eq!(frames.end_of(&first), EndReason::Done);
    assert_eq!(place.effects().len(), 1);
    assert!(client.call(&QueueDrop { qid: first }).is_err());
}

#[test]
fn only_the_owner_adds_items() {
    let place = Place::new(&[]);
    let _agent = place.start();
    let mut client = Client::connect(&place.bus()).unwrap();
    assert_eq!(client.call(&input("a")).unwrap_err().code(), Some(ErrorCode::OwnershipDenied));
    assert!(place.lines("queue.jsonl").is_empty());
}
