//! Processes that die, and calls to the system that fail, while a change is applied.

use std::path::Path;
use std::process::{Command, Stdio};

use minds_fs::faults::{self, Fault, Plan};
use minds_toolset::{Caller, Clock, ToolContext, Toolbox};
use serde_json::{Value, json};

use crate::edits::site::{START, Site};

/// Tell a process of this test at which call it dies, where, and what it applies.
const DEATH: &str = "MINDS_TEST_DEATH";
const PLACE: &str = "MINDS_TEST_PLACE";
const HUNK: &str = "MINDS_TEST_HUNK";

/// Applies a change while a call fails, and returns the answer and how many calls there were.
fn apply(place: &Path, id: &str, plan: Plan) -> (Value, u64) {
    call(place, "team_mgmt_apply_file_modification", &json!({"hunk_id": id}), plan)
}

/// Plans another change in the place of one, while a call fails.
fn revise(place: &Path, id: &str, plan: Plan) -> (Value, u64) {
    let args = json!({"path": ".minds/a.md", "content": "c", "existing_hunk_id": id});
    call(place, "team_mgmt_preview_file_append", &args, plan)
}

fn call(place: &Path, tool: &str, args: &Value, plan: Plan) -> (Value, u64) {
    let (workspace, state) = (place.join("workspace"), place.join("state"));
    let context = ToolContext::open(&workspace, &state, Clock::At(START)).unwrap();
    let (toolbox, caller) = (Toolbox::new(), Caller::operator("alice"));
    let (answer, calls) = faults::run(plan, || toolbox.call(&context, tool, args, &caller));
    (answer.to_json(), calls.len() as u64)
}

/// Returns a workspace in which a line is about to be appended, and the folder it is in.
fn plan_change() -> (Site, String) {
    let site = Site::with("a\n");
    let id = site.plan("file_append", json!({"content": "b"}));
    (site, id)
}

fn number_of_calls() -> u64 {
    let (site, id) = plan_change();
    let (answer, calls) = apply(site.state().parent().unwrap(), &id, Plan::none());
    assert_eq!(answer["status"], "ok");
    calls
}

/// Expects that the file is old or new, and that the same change is never made twice.
#[track_caller]
fn expect_once(site: &Site, id: &str, at: u64) {
    let after = site.text();
    assert!(["a\n", "a\nb\n"].contains(&after.as_str()), "call {at}: {after:?}");
    let again = site.apply(id);
    if after == "a\nb\n" {
        assert_eq!(again["code"], "HUNK_NOT_FOUND", "call {at}: {again}");
    }
    assert!(["a\n", "a\nb\n"].contains(&site.text().as_str()), "call {at}: {again}");
}

/// Started by the test below, as a process of its own.
#[test]
fn one_apply() {
    let given = |name: &str| std::env::var(name).ok();
    let (Some(death), Some(place), Some(id)) = (given(DEATH), given(PLACE), given(HUNK)) else { return };
    apply(Path::new(&place), &id, death.parse().unwrap());
}

#[test]
fn a_process_killed_while_applying_never_repeats_a_change() {
    for at in 1..=number_of_calls() {
        let (site, id) = plan_change();
        let died = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "edits::crashes::one_apply"])
            .env(DEATH, format!("{at}:kill-before"))
            .env(PLACE, site.state().parent().unwrap())
            .env(HUNK, &id)
            .stdout(Stdio::null())
            .status()
            .unwrap();
        assert!(!died.success(), "call {at}");
        expect_once(&site, &id, at);
    }
}

#[test]
fn a_failure_while_applying_never_repeats_a_change() {
    let input_output = 5;
    for at in 1..=number_of_calls() {
        for fault in [Fault::Fail(input_output), Fault::FailFrom(input_output)] {
            let (site, id) = plan_change();
            let (answer, _) = apply(site.state().parent().unwrap(), &id, Plan::at(at, fault));
            if answer["status"] == "ok" {
                assert_eq!(site.text(), "a\nb\n", "call {at}");
            }
            expect_once(&site, &id, at);
        }
    }
}

#[test]
fn a_failed_revision_leaves_the_old_or_the_new_plan() {
    let input_output = 5;
    let (site, id) = plan_change();
    let (answer, calls) = revise(site.state().parent().unwrap(), &id, Plan::none());
    assert_eq!((&answer["status"], site.apply(&id)["status"].as_str()), (&json!("ok"), Some("ok")));
    for at in 1..=calls {
        let (site, id) = plan_change();
        let (answer, _) =
            revise(site.state().parent().unwrap(), &id, Plan::at(at, Fault::Fail(input_output)));
        let expected = if answer["status"] == "ok" { "a\nc\n" } else { "a\nb\n" };
        assert_eq!(site.apply(&id)["status"], "ok", "call {at}: {answer}");
        assert_eq!(site.text(), expected, "call {at}: {answer}");
    }
}
