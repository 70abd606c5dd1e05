//! Queues and parked items, with agents of the tests.

use std::sync::{Arc, Mutex};

use minds_fleet_protocol::ErrorCode;
use serde_json::{Value, json};

use crate::support::World;
use crate::support::fake_agent::FakeAgent;
use crate::support::terminal::Terminal;

/// Starts an agent with two items, and returns what it is asked for.
fn start(world: &World, id: &str, items: &[&str]) -> (FakeAgent, Arc<Mutex<Vec<String>>>) {
    let asked = Arc::new(Mutex::new(Vec::new()));
    let items: Vec<Value> = items
        .iter()
        .map(|qid| {
            json!({"qid": qid, "ts": 1_790_000_000.5, "source": "console", "state": "parked", "text": "line one\nline two\u{1b}[2J", "attempt": 2})
        })
        .collect();
    let noted = Arc::clone(&asked);
    let agent = FakeAgent::start(world, id, move |method, params| {
        if method != "queue.list" {
            noted.lock().unwrap().push(format!("{method} {params}"));
        }
        let value = match method {
            "queue.list" => json!({ "items": items }),
            "queue.clear" => json!({ "removed": 2 }),
            "queue.retry" | "queue.drop" => json!({ "ok": true }),
            "interrupt" | "cancel" => json!({ "ok": true, "qid": "q-7-000" }),
            _ => return Err(ErrorCode::NoSuchMethod),
        };
        Ok((value, Vec::new()))
    });
    (agent, asked)
}

#[test]
fn items_are_listed() {
    let world = World::empty();
    let (_agent, _) = start(&world, "shop/zeus", &["q-1-000"]);
    let listed = world.document(&["queue", "shop/zeus"], 0);
    assert_eq!(listed["id"], "shop/zeus");
    let expected = json!({"qid": "q-1-000", "ts": 1_790_000_000.5, "source": "console", "state": "parked", "text": "line one\nline two\u{1b}[2J", "attempt": 2});
    assert_eq!(listed["items"], json!([expected]));
    let human = world.succeed(&["queue", "shop/zeus"]);
    assert_eq!(human, "ITEM     STATE   TRY  SOURCE   TEXT\nq-1-000  parked  2    console  line one…\n");
}

#[test]
fn a_parked_item_is_decided_at_the_agent_that_has_it() {
    let world = World::empty();
    let (_zeus, zeus) = start(&world, "shop/zeus", &["q-1-000", "q-2-000"]);
    let (_hera, hera) = start(&world, "shop/hera", &["q-2-000"]);
    let decided = world.document(&["retry", "q-1-000"], 0);
    assert_eq!((&decided["id"], &decided["qid"]), (&"shop/zeus".into(), &"q-1-000".into()));
    assert_eq!(world.document(&["drop", "q-2-000", "--agent", "shop/hera"], 0)["id"], "shop/hera");
    assert_eq!(*zeus.lock().unwrap(), [r#"queue.retry {"qid":"q-1-000"}"#]);
    assert_eq!(*hera.lock().unwrap(), [r#"queue.drop {"qid":"q-2-000"}"#]);
    for (item, expected) in [
        ("q-2-000", "several agents have the item"),
        ("q-3-000", "no running agent has the item"),
        ("q 3", "invalid item id"),
    ] {
        let error = &world.document(&["drop", item], 2)["error"];
        assert_eq!(error["code"], "args.invalid", "{item}");
        assert!(error["message"].as_str().unwrap().contains(expected), "{error}");
    }
}

#[test]
fn removing_and_killing_is_confirmed_on_a_terminal() {
    let world = World::empty();
    let (_agent, asked) = start(&world, "shop/zeus", &[]);
    for args in [&["queue", "shop/zeus", "clear"][..], &["cancel", "shop/zeus", "--hard"]] {
        assert_eq!(world.document(args, 1)["error"]["kind"], "refused", "{args:?}");
        let mut terminal = Terminal::start(world.command(args));
        terminal.until("[y/N] ");
        terminal.types("n\n");
        let end = terminal.end();
        assert!(end.exit == Some(1) && end.transcript.contains("error[refused]"), "{}", end.transcript);
    }
    assert!(asked.lock().unwrap().is_empty(), "nothing was sent");
    for (args, expected) in [
        (&["queue", "shop/zeus", "clear"][..], "shop/zeus: removed 2 items"),
        (&["cancel", "shop/zeus", "--hard"], "shop/zeus: cancelled: q-7-000"),
    ] {
        let mut terminal = Terminal::start(world.command(args));
        terminal.until("[y/N] ");
        terminal.types("y\n");
        let end = terminal.end();
        assert!(end.exit == Some(0) && end.transcript.contains(expected), "{args:?}: {}", end.transcript);
    }
    assert_eq!(*asked.lock().unwrap(), ["queue.clear {}", r#"cancel {"hard":true}"#]);
}

#[test]
fn interrupt_and_cancel_name_the_item() {
    let world = World::empty();
    let (_agent, asked) = start(&world, "shop/zeus", &[]);
    for verb in ["interrupt", "cancel"] {
        let done = world.document(&[verb, "shop/zeus"], 0);
        assert_eq!((&done["id"], &done["qid"]), (&"shop/zeus".into(), &"q-7-000".into()), "{verb}");
    }
    assert_eq!(*asked.lock().unwrap(), ["interrupt {}", r#"cancel {"hard":false}"#]);
    // The failures of an agent keep their code.
    assert_eq!(world.document(&["tools", "shop/zeus"], 1)["error"]["code"], "no_such_method");
}
