//! The validation tools report what `minds check` reports, each for its files.

use crate::support;

use std::fs;
use std::path::{Path, PathBuf};

use minds_diagnostics::emit::json;
use minds_diagnostics::{Diagnostic, Report};
use minds_toolset::{Caller, Clock, ToolContext, Toolbox};
use serde_json::{Value, json};
use support::Place;

const TOOLS: [&str; 3] =
    ["team_mgmt_validate_team_cfg", "team_mgmt_validate_llm_cfg", "team_mgmt_validate_mcp_cfg"];

fn validate(context: &ToolContext, tool: &str) -> Value {
    let answer = Toolbox::new().call(context, tool, &json!({}), &Caller::operator("alice")).to_json();
    assert_eq!(
        (answer["status"].as_str(), answer["published"].as_bool()),
        (Some("ok"), Some(true)),
        "{answer}"
    );
    answer
}

fn folders(path: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(path).into_iter().flatten().flatten().map(|entry| entry.path());
    entries.filter(|path| path.is_dir()).collect()
}

/// Returns the findings as the report of a check has them, with the keys of a problem alone.
fn format_findings(found: &[Diagnostic]) -> Vec<String> {
    let report = Report { diagnostics: found.to_vec(), ..Report::default() };
    let document: Value = serde_json::from_str(&json(&report)).unwrap();
    let keys = ["code", "severity", "message", "file", "range", "help"];
    let problem = |found: &Value| {
        let keys = keys.iter().filter(|key| **key != "help" || !found[*key].is_null());
        keys.map(|key| format!("{key}={}", found[key])).collect::<Vec<_>>().join(" ")
    };
    let mut problems: Vec<String> = document["diagnostics"].as_array().unwrap().iter().map(problem).collect();
    problems.sort();
    problems
}

#[test]
fn together_they_report_what_a_check_reports() {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures");
    let mut seen = 0;
    for area in folders(&fixtures).iter().flat_map(|library| folders(library)) {
        let cases = folders(&area.join("invalid")).into_iter();
        for case in cases.filter(|case| case.join(".minds").is_dir()) {
            let state = tempfile::tempdir().unwrap();
            let context = ToolContext::open(&case, &state.path().join("state"), Clock::At(0)).unwrap();
            let checked = minds_workspace::check(&context.root().snapshot(&minds_workspace::team_scope()));
            if checked.diagnostics.len() > 100 {
                continue;
            }
            let mut told: Vec<String> = Vec::new();
            for tool in TOOLS {
                let answer = validate(&context, tool);
                let problems = answer["problems"].as_array().unwrap();
                let count = |severity: &str| {
                    problems.iter().filter(|problem| problem["severity"] == severity).count()
                };
                let (errors, warnings) = (count("error"), count("warning"));
                assert_eq!(answer["counts"]["errors"], errors, "{}", case.display());
                assert_eq!(
                    answer["valid"].as_bool(),
                    Some(errors == 0 && !(checked.strict && warnings > 0)),
                    "{}",
                    case.display()
                );
                let shown = |problem: &Value| {
                    let keys = ["code", "severity", "message", "file", "range", "help"];
                    let keys = keys.iter().filter(|key| problem.get(**key).is_some());
                    keys.map(|key| format!("{key}={}", problem[key])).collect::<Vec<_>>().join(" ")
                };
                told.extend(problems.iter().map(shown));
            }
            told.sort();
            // Findings about unreadable files are also reported with the team.
            let once = format_findings(&checked.diagnostics);
            told.dedup();
            let mut unique = once.clone();
            unique.dedup();
            assert_eq!(told, unique, "{}", case.display());
            let remembered = minds_toolset::remembered_problems(&context).unwrap();
            assert_eq!(remembered.len(), once.len(), "{}", case.display());
            seen += 1;
        }
    }
    assert!(seen > 100, "only {seen} fixtures");
}

#[test]
fn each_tool_reports_the_findings_of_its_files() {
    let place = Place::with_team(
        "member_defaults: {provider: codex, model: gpt-5.2}\nmembers: {a: {toolsets: [nope]}}\n",
    );
    place.write(".minds/llm.yaml", "providers: {x: {models: {}}}\n");
    place.write(".minds/mcp.yaml", "version: 1\nservers: {ws_read: {transport: stdio, command: x}}\n");
    place.write(".minds/team/ghost/persona.md", "boo\n");
    let context = place.context(0);
    let files = |tool: &str| -> Vec<String> {
        let answer = validate(&context, tool);
        let problems = answer["problems"].as_array().unwrap().clone();
        let mut files: Vec<String> =
            problems.iter().map(|problem| problem["file"].as_str().unwrap().to_owned()).collect();
        files.dedup();
        files
    };
    assert_eq!(files(TOOLS[0]), [".minds/team.yaml", ".minds/team/ghost"]);
    assert_eq!(files(TOOLS[1]), [".minds/llm.yaml"]);
    assert_eq!(files(TOOLS[2]), [".minds/mcp.yaml"]);
    // While it cannot be read, references to its providers cannot be checked.
    place.write(".minds/llm.yaml", "providers: {x: {models: {}}\n");
    assert_eq!(files(TOOLS[0]), [".minds/llm.yaml", ".minds/team.yaml", ".minds/team/ghost"]);
}

#[test]
fn finding_problems_is_an_answer() {
    let place = Place::with_team(
        "member_defaults: {provider: codex, model: gpt-5.2}\nmembers: {a: {toolset: 5, tools: 1}}\n",
    );
    let answer = validate(&place.context(0), TOOLS[0]);
    assert_eq!(answer["valid"], false);
    assert_eq!(answer["exists"], true);
    assert_eq!(
        answer["problems"][0],
        json!({
            "code": "schema/unknown-key",
            "severity": "error",
            "message": "unknown key `toolset`",
            "file": ".minds/team.yaml",
            "range": {"start": {"line": 2, "column": 15}, "end": {"line": 2, "column": 22}},
            "help": "did you mean `toolsets`?",
        })
    );
    assert_eq!(
        answer["summary"],
        "`.minds/team.yaml` is not valid: 2 errors and 0 warnings; \
         first: .minds/team.yaml:2:15: error[schema/unknown-key]: unknown key `toolset`"
    );
}

#[test]
fn warnings_count_according_to_the_settings() {
    let place = Place::with_team(
        "member_defaults: {provider: codex, model: gpt-5.2}\nmembers: {a: {toolsets: [nope]}}\n",
    );
    let answer = validate(&place.context(0), TOOLS[0]);
    assert_eq!((answer["valid"].as_bool(), answer["counts"]["warnings"].as_u64()), (Some(true), Some(1)));
    place.write(".minds/minds.toml", "[check]\nstrict = true\n");
    assert_eq!(validate(&place.context(0), TOOLS[0])["valid"], false);
}

#[test]
fn a_missing_file_is_reported_with_the_next_step() {
    for place in [Place::empty(), Place::with_team("")] {
        fs::remove_file(place.root().join(".minds/team.yaml")).ok();
        for (tool, next) in
            TOOLS.into_iter().zip(["team_mgmt_create_new_file", "nothing to do", "nothing to do"])
        {
            let answer = validate(&place.context(0), tool);
            assert_eq!((answer["valid"].as_bool(), answer["exists"].as_bool()), (Some(true), Some(false)));
            assert!(answer["next"].as_str().unwrap().contains(next), "{answer}");
            assert!(answer["summary"].as_str().unwrap().contains("` does not exist; "), "{answer}");
        }
    }
    let answer = validate(&Place::with_team("members: {}\n").context(0), TOOLS[0]);
    assert!(answer.get("next").is_none(), "{answer}");
}

#[test]
fn an_answer_is_bounded_and_counts_all() {
    let tools: Vec<String> = (0..150).map(|number| format!("nope_{number}")).collect();
    let team = format!(
        "member_defaults: {{provider: codex, model: gpt-5.2}}\nmembers: {{a: {{tools: [{}]}}}}\n",
        tools.join(", ")
    );
    let place = Place::with_team(&team);
    let answer = validate(&place.context(0), TOOLS[0]);
    assert_eq!(answer["problems"].as_array().unwrap().len(), 100);
    assert_eq!(
        (answer["problems_left_out"].as_u64(), answer["counts"]["warnings"].as_u64()),
        (Some(50), Some(150))
    );
    assert_eq!(minds_toolset::remembered_problems(&place.context(0)).unwrap().len(), 150);
}

#[test]
fn secrets_are_neither_reported_nor_stored() {
    let key = ["sk-ant", "-api03-", &"x7Qd".repeat(23), "-", "AA"].concat();
    let place = Place::with_team("members: {}\n");
    place.write(
        ".minds/mcp.yaml",
        format!(
            "version: 1\nservers: {{x: {{transport: stdio, command: x, env: {{K: {key}}}, {key}: 1}}}}\n"
        ),
    );
    for tool in TOOLS {
        let answer = validate(&place.context(0), tool).to_string();
        assert!(!answer.contains("x7Qdx7Qd"), "{answer}");
    }
    let answer = validate(&place.context(0), TOOLS[2]);
    assert!(
        answer["problems"].as_array().unwrap().iter().any(|problem| problem["code"] == "secret/token"),
        "{answer}"
    );
    let store = fs::read_to_string(place.state().join("problems.json")).unwrap();
    assert!(store.contains("secret/token") && !store.contains("x7Qdx7Qd"), "{store}");
}

#[test]
fn nothing_in_the_workspace_changes() {
    let place = Place::with_team("members: {a: 5}\n");
    let before = place.tree();
    for tool in TOOLS {
        validate(&place.context(0), tool);
    }
    assert!(before == place.tree());
}

/// The file of one family may be clean, and the team is not: `valid` counts what is referred to.
#[test]
fn everything_is_validated_in_one_call() {
    let state = tempfile::tempdir().unwrap();
    let place = tempfile::tempdir().unwrap();
    fs::create_dir_all(place.path().join(".minds")).unwrap();
    fs::write(place.path().join(".minds/team.yaml"), "member_defaults: {provider: codex, model: gpt-5.2}\n")
        .unwrap();
    fs::write(place.path().join(".minds/mcp.yaml"), "version: 1\nservers: {a: {}}\n").unwrap();
    let context = ToolContext::open(place.path(), &state.path().join("state"), Clock::System).unwrap();
    let all = validate(&context, "team_mgmt_validate");
    assert_eq!(all["valid"], json!(false), "{all}");
    assert_eq!(all["files"], json!([".minds/mcp.yaml", ".minds/team.yaml"]));
    let count: usize =
        TOOLS.iter().map(|tool| validate(&context, tool)["problems"].as_array().unwrap().len()).sum();
    assert_eq!(all["problems"].as_array().unwrap().len(), count);
}

/// What the team refers to is part of it: with an invalid provider or server it does not work.
#[test]
fn the_team_is_not_valid_while_what_it_refers_to_is_not() {
    let team = |provider: &str, toolset: &str| {
        format!(
            "member_defaults: {{provider: {provider}, model: m}}\nmembers: {{a: {{toolsets: [{toolset}]}}}}\n"
        )
    };
    let place = Place::with_team(&team("good", "ws_read"));
    place.write(
        ".minds/llm.yaml",
        "providers:\n  good: {apiType: mock, baseUrl: x, models: {m: {}}}\n  bad: {apiType: nope, baseUrl: x, \
         models: {m: {}}}\n",
    );
    place.write(
        ".minds/mcp.yaml",
        "version: 1\nservers:\n  fine: {transport: stdio, command: x}\n  broken: {transport: sse}\n",
    );
    for (provider, toolset, file) in [
        ("good", "ws_read", None),
        ("good", "fine", None),
        ("bad", "fine", Some(".minds/llm.yaml")),
        ("good", "broken", Some(".minds/mcp.yaml")),
        ("good", "\"*\"", Some(".minds/mcp.yaml")),
    ] {
        place.write(".minds/team.yaml", team(provider, toolset));
        let answer = validate(&place.context(0), TOOLS[0]);
        assert_eq!(answer["valid"], json!(file.is_none()), "{provider} {toolset}: {answer}");
        assert_eq!(answer["problems"][0]["file"].as_str(), file, "{provider} {toolset}: {answer}");
    }
}

/// A change reports the findings that it causes apart from earlier ones, so no separate validation is needed.
#[test]
fn a_change_reports_its_findings_separately_from_earlier_ones() {
    let team = "member_defaults: {provider: codex, model: gpt-5.2}\nmembers:\n  a: {toolsets: [old]}\n";
    let place = Place::with_team(team);
    let fuxi = Caller::member("fuxi");
    let apply = |line: &str| {
        let args = json!({"path": ".minds/team.yaml", "content": line});
        let plan = place.call(&fuxi, "team_mgmt_preview_file_append", args);
        let args = json!({"hunk_id": plan["hunk_id"]});
        place.call(&fuxi, "team_mgmt_apply_file_modification", args)
    };
    let clean = apply("  b: {toolsets: [ws_read]}\n");
    assert_eq!((&clean["new_problems"], &clean["older_problems"]), (&json!([]), &json!(1)), "{clean}");
    assert_eq!(
        clean["summary"],
        "changed .minds/team.yaml (exact); the team is valid: no new findings; 1 older finding"
    );
    let broken = apply("  c: {toolset: []}\n");
    assert_eq!(broken["new_problems"][0]["code"], "schema/unknown-key", "{broken}");
    assert_eq!(broken["older_problems"], 1, "{broken}");
    let summary = broken["summary"].as_str().unwrap();
    assert!(summary.ends_with("the team is not valid: 1 new finding; 1 older finding"), "{summary}");
}

#[test]
fn validation_counts_findings_that_the_last_one_did_not_have() {
    let place =
        Place::with_team("member_defaults: {provider: codex, model: gpt-5.2}\nmembers: {a: {tools: [x]}}\n");
    let first = validate(&place.context(0), "team_mgmt_validate");
    assert_eq!(first["counts"].get("new"), None, "{first}");
    let again = validate(&place.context(0), "team_mgmt_validate");
    assert_eq!(again["counts"]["new"], 0, "{again}");
    assert!(again["summary"].as_str().unwrap().contains("none new since the last validation"), "{again}");
}
