//! What was found wrong is remembered: since when, until when, by many at once, and when the list is damaged.

use crate::support;

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use minds_toolset::{Caller, ProblemsError, RememberedProblem, Toolbox, remembered_problems};
use serde_json::{Value, json};
use support::Place;

const BAD: &str = "member_defaults: {provider: codex, model: gpt-5.2}\nmembers: {a: {toolsets: [nope]}}\n";
const GOOD: &str = "member_defaults: {provider: codex, model: gpt-5.2}\nmembers: {a: {}}\n";

fn validate(place: &Place, now: u64, files: &str) -> Value {
    let tool = format!("team_mgmt_validate_{files}_cfg");
    Toolbox::new().call(&place.context(now), &tool, &json!({}), &Caller::operator("alice")).to_json()
}

fn list_problems(place: &Place) -> Vec<RememberedProblem> {
    remembered_problems(&place.context(0)).expect("the list can be read")
}

fn store(place: &Place) -> std::path::PathBuf {
    place.state().join("problems.json")
}

#[test]
fn nothing_is_remembered_before_something_is_validated() {
    let place = Place::with_team(BAD);
    assert!(list_problems(&place).is_empty());
    assert!(!place.state().exists());
}

#[test]
fn a_problem_is_remembered_when_it_is_gone() {
    let place = Place::with_team(BAD);
    validate(&place, 1_000, "team");
    validate(&place, 2_000, "team");
    let open = list_problems(&place);
    assert_eq!(open.len(), 1);
    assert_eq!(
        serde_json::to_value(&open[0]).unwrap(),
        json!({
            "code": "team/unknown-toolset",
            "severity": "warning",
            "message": "unknown toolset `nope`",
            "file": ".minds/team.yaml",
            "range": {"start": {"line": 2, "column": 26}, "end": {"line": 2, "column": 30}},
            "help": "declare an MCP server `nope` in `.minds/mcp.yaml`",
            "id": null,
            "source": "validation",
            "first_seen": "1970-01-01T00:00:01.000Z",
            "resolved": false,
            "resolved_at": null,
        })
    );
    place.write(".minds/team.yaml", GOOD);
    validate(&place, 3_000, "llm");
    assert!(!list_problems(&place)[0].resolved);
    validate(&place, 4_000, "team");
    validate(&place, 5_000, "team");
    let gone = list_problems(&place);
    assert_eq!(gone.len(), 1);
    assert_eq!(gone[0].problem, open[0].problem);
    assert_eq!(gone[0].resolved_at.as_deref(), Some("1970-01-01T00:00:04.000Z"));
    assert_eq!(gone[0].first_seen, open[0].first_seen);
}

#[test]
fn a_file_that_is_removed_has_no_problems_any_more() {
    let place = Place::with_team(GOOD);
    place.write(".minds/mcp.yaml", "version: 1\nservers: {ws_read: {transport: stdio, command: x}}\n");
    validate(&place, 0, "mcp");
    assert!(!list_problems(&place).is_empty());
    fs::remove_file(place.root().join(".minds/mcp.yaml")).unwrap();
    validate(&place, 1, "mcp");
    assert!(list_problems(&place).iter().all(|problem| problem.resolved));
}

#[test]
fn only_the_owner_can_read_the_list() {
    let place = Place::with_team(BAD);
    validate(&place, 0, "team");
    let mode = |path: &std::path::Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&place.state()), mode(&store(&place))), (0o700, 0o600));
    place.write(".minds/team.yaml", GOOD);
    validate(&place, 1, "team");
    assert_eq!(mode(&store(&place)), 0o600);
    let names: Vec<_> =
        fs::read_dir(place.state()).unwrap().flatten().map(|entry| entry.file_name()).collect();
    assert_eq!(names, ["problems.json"]);
}

#[test]
fn a_damaged_list_is_put_aside_and_said() {
    for (number, damaged) in
        ["", "{", "[]", "{\"version\":1}", "{\"version\":1,\"problems\":[5]}", "\u{0}"].iter().enumerate()
    {
        let place = Place::with_team(BAD);
        validate(&place, 0, "team");
        fs::write(store(&place), damaged).unwrap();
        let error = remembered_problems(&place.context(0)).unwrap_err();
        assert!(matches!(error, ProblemsError::Damaged { .. }), "{number}: {error}");
        let answer = validate(&place, 1, "team");
        assert_eq!(answer["set_aside"], "problems.damaged-1.json", "{number}");
        assert_eq!(fs::read_to_string(place.state().join("problems.damaged-1.json")).unwrap(), *damaged);
        assert_eq!(list_problems(&place).len(), 1);
        fs::write(store(&place), damaged).unwrap();
        assert_eq!(validate(&place, 2, "team")["set_aside"], "problems.damaged-2.json");
        assert!(validate(&place, 3, "team").get("set_aside").is_none());
    }
}

#[test]
fn a_list_of_a_later_version_is_left_alone() {
    let place = Place::with_team(BAD);
    validate(&place, 0, "team");
    let later = "{\"version\":2,\"problems\":[],\"more\":true}";
    fs::write(store(&place), later).unwrap();
    let error = remembered_problems(&place.context(0)).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the list of problems has format 2, but this version of `minds` supports 1"
    );
    let answer = validate(&place, 1, "team");
    assert_eq!((answer["status"].as_str(), answer["published"].as_bool()), (Some("ok"), Some(false)));
    assert_eq!(answer["problems"].as_array().unwrap().len(), 1);
    assert_eq!(fs::read_to_string(store(&place)).unwrap(), later);
}

#[test]
fn findings_are_reported_even_if_they_cannot_be_stored() {
    let place = Place::with_team(BAD);
    fs::write(place.state(), "no folder").unwrap();
    let answer = validate(&place, 0, "team");
    assert_eq!((answer["status"].as_str(), answer["published"].as_bool()), (Some("ok"), Some(false)));
    assert_eq!(answer["problems"].as_array().unwrap().len(), 1);
    assert!(!answer.to_string().contains(place.state().to_str().unwrap()), "{answer}");
    let place = Place::with_team(BAD);
    validate(&place, 0, "team");
    fs::remove_file(store(&place)).unwrap();
    fs::create_dir(store(&place)).unwrap();
    assert!(remembered_problems(&place.context(0)).is_err());
    assert_eq!(validate(&place, 0, "team")["published"], false);
}

#[test]
fn concurrent_publications_lose_nothing_of_each_other() {
    let place = Place::with_team(BAD);
    place.write(".minds/llm.yaml", "providers: {x: {models: {}}}\n");
    place.write(".minds/mcp.yaml", "version: 1\nservers: {ws_read: {transport: stdio, command: x}}\n");
    for files in ["team", "llm", "mcp"] {
        validate(&place, 0, files);
    }
    let whole = list_problems(&place);
    for _ in 0..10 {
        fs::remove_file(store(&place)).unwrap();
        std::thread::scope(|scope| {
            for worker in 0..8 {
                let files = ["team", "llm", "mcp"][worker % 3];
                let place = &place;
                scope.spawn(move || validate(place, 0, files));
            }
        });
        assert_eq!(list_problems(&place), whole);
    }
}
