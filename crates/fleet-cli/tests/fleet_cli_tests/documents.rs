//! Every JSON document has a schema, which is published, and matches it.
//!
//! All documents of all tests are validated too: see [`World::document`].

use std::collections::BTreeSet;
use std::path::Path;

use minds_fleet_cli::documents;
use serde_json::{Value, json};

use crate::support::World;
use crate::support::schemas::assert_has_schema;

/// Verbs that print no document of their own.
const VERBS_WITHOUT_DOCUMENT: [&str; 2] = ["acp", "agent"];

#[test]
fn every_verb_has_a_schema() {
    let program = minds_fleet_cli::command();
    let verbs: BTreeSet<&str> = program
        .get_subcommands()
        .filter(|verb| !verb.is_hide_set())
        .map(clap::Command::get_name)
        .filter(|verb| !VERBS_WITHOUT_DOCUMENT.contains(verb))
        .collect();
    let kinds = documents();
    let described: BTreeSet<&str> = kinds.iter().flat_map(|kind| kind.verbs.iter().copied()).collect();
    assert_eq!(described, verbs);
    let names: BTreeSet<&str> = kinds.iter().map(|kind| kind.name).collect();
    assert_eq!(names.len(), kinds.len(), "two documents have one name");
    for kind in &kinds {
        assert!(kind.schema["description"].is_string(), "{}", kind.name);
        assert!(kind.name.starts_with("fleet-"), "{}", kind.name);
    }
}

#[test]
fn published_schemas_are_those_of_the_program() {
    for kind in documents() {
        let file = format!("{}/../../schemas/cli/{}.schema.json", env!("CARGO_MANIFEST_DIR"), kind.name);
        let text = std::fs::read_to_string(Path::new(&file)).unwrap_or_default();
        let published: Value = serde_json::from_str(&text).unwrap_or_default();
        assert_eq!(published, kind.schema, "run `cargo xtask generate`: {file}");
    }
}

#[test]
fn printed_documents_match_their_schemas() {
    let world = World::new(&["zeus"], &[r#"{"text":"hello"}"#]);
    for (args, code, expected) in [
        (&["up"] as &[&str], 0, "fleet-outcome"),
        (&["ps"], 0, "fleet-ps"),
        (&["who"], 0, "fleet-who"),
        (&["send", "zeus", "hello", "--wait"], 0, "fleet-send"),
        (&["send", "zeus", "hello"], 0, "fleet-send"),
        (&["interrupt", "zeus"], 0, "fleet-item"),
        (&["cancel", "zeus"], 0, "fleet-item"),
        (&["queue", "zeus"], 0, "fleet-queue"),
        (&["models"], 0, "fleet-models"),
        (&["tools", "zeus"], 0, "fleet-tools"),
        (&["doctor"], 0, "fleet-doctor"),
        (&["doctor", "--acl"], 0, "fleet-doctor-acl"),
        (&["retry", "q-1"], 2, "fleet-error"),
        (&["token", "zeus"], 1, "fleet-error"),
        (&["ps", "--nope"], 2, "fleet-error"),
        (&["down"], 0, "fleet-outcome"),
    ] {
        let document = world.document(args, code);
        assert_eq!(assert_has_schema(args[0], &document), expected, "{args:?}");
    }
    let tail = world.succeed(&["tail", "zeus", "--json"]);
    assert!(tail.lines().count() > 4, "{tail}");
    for line in tail.lines() {
        assert_eq!(assert_has_schema("tail", &serde_json::from_str(line).unwrap()), "fleet-tail");
    }
}

#[test]
fn documents_that_need_a_person_or_a_server_match_their_schemas() {
    for (verb, document) in [
        ("queue", json!({ "version": 1, "id": "shop/zeus", "removed": 3 })),
        ("token", json!({ "version": 1, "id": "a/b", "token": "00", "expires_at": 1.5, "command": "x" })),
        ("token", json!({ "version": 1, "id": "a/b", "revoked": 2 })),
        (
            "tail",
            json!({ "offset": 4, "epoch": 1, "ts": 2.5, "event": { "type": "gap", "from": 1, "to": 3 } }),
        ),
    ] {
        assert_has_schema(verb, &document);
    }
}

#[test]
#[should_panic(expected = "has no schema")]
fn a_document_with_another_member_has_no_schema() {
    assert_has_schema("who", &json!({ "version": 1, "agents": [], "more": true }));
}

#[test]
#[should_panic(expected = "has no schema")]
fn a_document_with_a_value_of_another_type_has_no_schema() {
    assert_has_schema("who", &json!({ "version": 1, "agents": [{ "id": 7, "owner": null }] }));
}
