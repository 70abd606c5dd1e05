//! `minds` behaves like the recordings of the program `mind`: offered items, installed files, hooks, exit codes and kinds of
//! errors, except for listed differences.
#![cfg(unix)]

mod differences;
mod errors;
mod world;

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::replay::differences::DELIBERATE;
use crate::replay::world::World;

/// The compared aspects of a case.
const ASPECTS: [&str; 5] = ["exit", "error", "items", "files", "hooks"];

/// Returns the recorded result by aspect.
fn read_recording(expect: &Value) -> BTreeMap<&'static str, Value> {
    let exits: Vec<bool> =
        expect["steps"].as_array().unwrap().iter().map(|step| step["exit"].as_i64() == Some(0)).collect();
    let items: Vec<Value> = expect["items"].as_array().unwrap().iter().map(item).collect();
    let files = expect["fs"].as_object().unwrap().clone();
    BTreeMap::from([
        ("exit", json!(exits)),
        ("items", Value::Array(items)),
        ("files", Value::Object(files)),
        ("hooks", expect.get("hook_log").cloned().unwrap_or_else(|| json!([]))),
    ])
}

/// Returns the compared fields of an item.
fn item(item: &Value) -> Value {
    let mut kept = json!({});
    for key in ["installed", "kind", "name", "source", "description", "dependencies", "unmanaged"] {
        if let Some(value) = item.get(key) {
            kept[key] = value.clone();
        }
    }
    kept
}

#[test]
fn recorded_cases_come_out_the_same() {
    let mut found = String::new();
    let mut needed = Vec::new();
    let mut cases = 0;
    for case in world::cases() {
        cases += 1;
        let world = World::new(&case);
        let expect = world.expect();
        let mut steps = Vec::new();
        for step in expect["steps"].as_array().unwrap() {
            let taken = if let Some(command) = step.get("shell") {
                world.shell(command.as_str().unwrap())
            } else {
                let args = step["args"].as_array().unwrap().iter().map(|arg| arg.as_str().unwrap());
                world.step(&args.collect::<Vec<_>>())
            };
            steps.push(taken);
        }
        let probe = world.probe();
        let items: Vec<Value> =
            probe.as_array().map(|rows| rows.iter().map(item).collect()).unwrap_or_default();
        let mut ours = BTreeMap::from([
            ("exit", json!(steps.iter().map(|step| step.exit == 0).collect::<Vec<_>>())),
            ("items", Value::Array(items)),
            ("files", world.files()),
            ("hooks", json!(world.hook_log())),
        ]);
        let mut recorded = read_recording(&expect);
        // Several kinds can be acceptable. If only one of the programs fails, the step also differs in its
        // exit code.
        let (mut kinds, mut expected) = (Vec::new(), Vec::new());
        for (step, recorded) in steps.iter().zip(expect["steps"].as_array().unwrap()) {
            if step.exit == 0 || recorded["exit"].as_i64() == Some(0) {
                continue;
            }
            let fitting = errors::kinds(recorded);
            let fits = step.kind.as_deref().is_some_and(|kind| fitting.contains(&kind));
            kinds.push(if fits { json!(fitting) } else { json!(step.kind) });
            expected.push(json!(fitting));
        }
        ours.insert("error", Value::Array(kinds));
        recorded.insert("error", Value::Array(expected));
        for aspect in ASPECTS {
            if ours[aspect] == recorded[aspect] {
                continue;
            }
            let listed = DELIBERATE.iter().find(|(known, what, _)| *known == case && *what == aspect);
            let reason = listed.map_or("NOT LISTED", |(_, _, reason)| reason);
            needed.push((case.clone(), aspect));
            found.push_str(&format!(
                "## {case}: {aspect}\n{reason}\nrecorded: {}\nours:     {}\n",
                recorded[aspect], ours[aspect]
            ));
            if listed.is_none() {
                let printed: Vec<&String> = steps.iter().map(|step| &step.stdout).collect();
                found.push_str(&format!("said:     {printed:?}\n"));
            }
            found.push('\n');
        }
    }
    assert!(cases >= 117, "only {cases} cases exist");
    assert!(!found.contains("NOT LISTED"), "{found}");
    for (case, aspect, _) in DELIBERATE {
        let is_needed = needed.iter().any(|(known, what)| known == case && what == aspect);
        assert!(is_needed, "{case}: {aspect} no longer differs: remove it from the list");
    }
    insta::assert_snapshot!(found);
}
