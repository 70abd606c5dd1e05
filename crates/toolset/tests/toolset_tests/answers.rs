//! Every tool is called, and its answer is what its output schema describes.

use std::collections::BTreeMap;

use jsonschema::Validator;
use minds_diagnostics::json_document_schema;
use minds_toolset::{AnswerDocument, Caller, ToolDescriptor, Toolbox};
use serde_json::{Value, json};

use crate::support::Place;
use crate::support::source::FakeSource;

/// A workspace in which the operator calls all tools.
struct Calls {
    place: Place,
    toolbox: Toolbox,
    tools: BTreeMap<String, ToolDescriptor>,
    /// The published schema of all answers, without further fields.
    published: Validator,
    /// The number of calls with a result.
    successes: BTreeMap<String, usize>,
    /// The arguments and the answer of each call, by tool.
    log: BTreeMap<String, String>,
    /// The ids of planned edits, which are random.
    hunks: Vec<String>,
}

impl Calls {
    fn new() -> Self {
        let place = Place::with_team("members: {coder: {toolsets: [ws_mod]}}\n");
        let tools = Toolbox::new().list().into_iter().map(|tool| (tool.name.to_string(), tool)).collect();
        let mut schema = json_document_schema::<AnswerDocument<'_>>();
        schema["unevaluatedProperties"] = false.into();
        Self {
            place,
            toolbox: Toolbox::new().with_source(FakeSource::new(Vec::new())),
            tools,
            published: validator(&schema),
            successes: BTreeMap::new(),
            log: BTreeMap::new(),
            hunks: Vec::new(),
        }
    }

    /// Calls a tool, and compares its answer with its schema and with the published one.
    #[track_caller]
    fn call(&mut self, name: &str, args: Value) -> Value {
        let tool = &self.tools[name];
        assert!(validator(&tool.input_schema).is_valid(&args), "{name} {args}");
        let answer = self
            .toolbox
            .call_in(&self.place.context(0), name, &args, &Caller::operator("alice"), "talk")
            .to_json();
        let output = validator(tool.output_schema.as_ref().unwrap());
        let problems: Vec<String> = output.iter_errors(&answer).map(|problem| problem.to_string()).collect();
        assert!(problems.is_empty(), "{name}: {problems:?} in {answer}");
        let mut document = answer.clone();
        document["version"] = 1.into();
        assert!(self.published.is_valid(&document), "{name}: {answer}");
        let is_ok = answer["status"] == "ok";
        for field in answer.as_object().unwrap().keys().filter(|_| is_ok) {
            let is_known = !tool.output_schema.as_ref().unwrap()["properties"][field].is_null();
            assert!(is_known || ["tool", "summary"].contains(&field.as_str()), "{name}: `{field}`");
        }
        *self.successes.entry(name.to_owned()).or_default() += usize::from(is_ok);
        self.record(name, &args, &answer);
        answer
    }

    fn record(&mut self, name: &str, args: &Value, answer: &Value) {
        self.hunks.extend(answer["hunk_id"].as_str().map(str::to_owned));
        let mut lines = format!("\n{args:#}\n{answer:#}\n");
        for (number, hunk) in self.hunks.iter().enumerate() {
            for before in ["\"", "hunk_id "] {
                lines = lines.replace(&format!("{before}{hunk}"), &format!("{before}HUNK-{number}"));
            }
        }
        *self.log.entry(name.to_owned()).or_default() += &lines;
    }

    #[track_caller]
    fn ok(&mut self, name: &str, args: Value) -> Value {
        let answer = self.call(name, args);
        assert_eq!(answer["status"], "ok", "{answer}");
        answer
    }

    #[track_caller]
    fn refused(&mut self, name: &str, args: Value, code: &str) {
        let answer = self.call(name, args);
        assert_eq!(answer["code"], code, "{answer}");
    }

    /// Plans a change, and applies it.
    #[track_caller]
    fn edit(&mut self, prefix: &str, tool: &str, args: Value) {
        let planned = self.ok(&format!("{prefix}preview_{tool}"), args);
        self.ok(&format!("{prefix}apply_file_modification"), json!({"hunk_id": planned["hunk_id"]}));
    }
}

fn validator(schema: &Value) -> Validator {
    jsonschema::meta::validate(schema).expect("a schema is valid");
    jsonschema::validator_for(schema).expect("a schema is valid")
}

fn call_file_tools(calls: &mut Calls, prefix: &str, top: &str) {
    let name = |tool: &str| format!("{prefix}{tool}");
    let path = |path: &str| format!("{top}{path}");
    let created = calls.ok(&name("create_new_file"), json!({"path": path("d/a.md"), "content": "<\na\n>"}));
    calls.refused(&name("create_new_file"), json!({"path": path("d/a.md")}), "FILE_EXISTS");
    let known = json!({"path": path("d/a.md"), "content": "<\n\na\n>\n", "known_old_sha256": created["sha256"],
        "known_old_total_lines": 3, "content_format": "text"});
    calls.ok(&name("overwrite_entire_file"), known.clone());
    calls.refused(&name("overwrite_entire_file"), known, "STATS_MISMATCH");
    calls.ok(&name("mk_dir"), json!({"path": path("e"), "parents": false}));
    calls.ok(&name("list_dir"), json!({"path": path("d"), "depth": 2}));
    calls.ok(&name("list_dir"), json!({}));
    let read = json!({"path": path("d/a.md"), "range": "1~", "max_lines": 1, "show_linenos": true});
    let read = calls.ok(&name("read_file"), read);
    assert_eq!((&read["truncated"], read["next"].is_string()), (&json!(true), true), "{read}");
    calls.ok(&name("read_file"), json!({"path": path("d/a.md"), "range": "", "max_lines": 0}));
    calls.refused(&name("read_file"), json!({"path": path("none")}), "FILE_NOT_FOUND");
    calls.ok(
        &name("search_text"),
        json!({"text": "a", "glob": "", "max_matches": 1, "case_sensitive": false}),
    );

    let file = path("d/a.md");
    let revised = calls.ok(&name("preview_file_append"), json!({"path": file, "content": "\nx"}));
    let revised =
        json!({"path": file, "content": "y", "create": false, "existing_hunk_id": revised["hunk_id"]});
    calls.edit(prefix, "file_append", revised);
    calls.edit(prefix, "file_append", json!({"path": path("d/new.md"), "content": "x"}));
    calls.edit(prefix, "file_modification", json!({"path": file, "range": "2", "content": "b"}));
    calls.edit(prefix, "file_modification", json!({"path": file, "range": "6~", "content": "c"}));
    let anchored =
        json!({"path": file, "anchor": "a", "content": "\nd\n\n", "occurrence": "last", "match": "equals"});
    calls.edit(prefix, "insert_after", anchored);
    calls.edit(prefix, "insert_before", json!({"path": file, "anchor": "b", "content": "e", "match": ""}));
    let block =
        json!({"path": file, "start_anchor": "<", "end_anchor": ">", "content": "f", "occurrence": 1});
    // The file changes between the two calls.
    let planned = calls.ok(&name("preview_block_replace"), block);
    calls.edit(prefix, "file_append", json!({"path": file, "content": "later"}));
    let applied = calls.ok(&name("apply_file_modification"), json!({"hunk_id": planned["hunk_id"]}));
    assert_eq!(applied["file_changed_since_preview"], true, "{applied}");
    calls.refused(&name("apply_file_modification"), json!({"hunk_id": "00000000"}), "HUNK_NOT_FOUND");
    calls.refused(
        &name("preview_insert_after"),
        json!({"path": file, "anchor": "", "content": "x"}),
        "INVALID_ARGS",
    );

    calls.ok(&name("move_file"), json!({"from": file, "to": path("d/b.md")}));
    calls.ok(&name("move_dir"), json!({"from": path("d"), "to": path("f")}));
    calls.ok(&name("rm_file"), json!({"path": path("f/b.md")}));
    calls.ok(&name("rm_dir"), json!({"path": path("f"), "recursive": true}));
    calls.refused(&name("rm_dir"), json!({"path": path("f")}), "DIR_NOT_FOUND");
}

fn call_task_tools(calls: &mut Calls) {
    calls.ok("task_new", json!({"name": "ship-it"}));
    calls.refused("task_new", json!({"name": "ship-it"}), "TASKDOC_EXISTS");
    let written = calls.ok("change_mind", json!({"selector": "goals", "content": "one\n", "task": ""}));
    let hash = &written["content_hash"];
    let more = json!({"selector": "goals", "content": "two", "previous_content_hash": hash, "category": ""});
    calls.ok("mind_more", more.clone());
    calls.refused("mind_more", more, "HASH_MISMATCH");
    calls.ok("change_mind", json!({"selector": "goals", "content": "", "clear": true}));
    calls.ok("do_mind", json!({"category": "ux", "selector": "checklist", "content": "x"}));
    calls.ok("recall_taskdoc", json!({"category": "ux", "selector": "checklist"}));
    calls.refused("recall_taskdoc", json!({"category": "ux", "selector": "none"}), "SECTION_NOT_FOUND");
    let removed = calls.ok("never_mind", json!({"category": "ux", "selector": "checklist"}));
    calls.ok("task_undo", json!({"change": removed["change"]}));
    calls.ok("task_log", json!({"limit": 3, "selector": ""}));
    calls.ok("create_new_file", json!({"path": "plan.md", "content": "# Plan\n\n## Goals\n\nall\n"}));
    calls.ok("task_migrate", json!({"path": "plan.md", "name": "", "remove": true}));
}

fn call_server_tools(calls: &mut Calls) {
    for tool in ["mcp_restart", "mcp_release", "mcp_disable"] {
        calls.ok(tool, json!({"serverId": "browser"}));
        calls.refused(tool, json!({"serverId": "none"}), "UNKNOWN_SERVER");
    }
}

#[test]
fn every_answer_is_as_its_schema_describes_it() {
    let mut calls = Calls::new();
    call_file_tools(&mut calls, "team_mgmt_", ".minds/");
    call_file_tools(&mut calls, "", "");
    call_task_tools(&mut calls);
    calls.ok("access_explain", json!({"path": "src/a.rs", "operation": "write", "member": "coder"}));
    calls.ok("access_explain", json!({"path": ".minds/team.yaml", "operation": "read"}));
    calls.refused("access_explain", json!({"path": "", "operation": ""}), "INVALID_ARGS");
    calls.ok("team_mgmt_manual", json!({"topics": ["llm", "team"], "lang": "zh"}));
    calls.refused("team_mgmt_manual", json!({"topics": ["none"], "lang": ""}), "UNKNOWN_TOPIC");
    for file in ["", "_team_cfg", "_llm_cfg", "_mcp_cfg"] {
        calls.ok(&format!("team_mgmt_validate{file}"), json!({}));
    }
    call_server_tools(&mut calls);
    for (name, tool) in &calls.tools {
        assert!(calls.successes.get(name).is_some_and(|count| *count > 0), "{name} is not called");
        // The pages of the manual are files of their own.
        let answers = calls.log.get(name).filter(|_| *name != "team_mgmt_manual");
        let descriptor = serde_json::to_value(tool).unwrap();
        insta::assert_snapshot!(
            name.as_str(),
            format!("{descriptor:#}\n{}", answers.map_or("", String::as_str))
        );
    }
}

#[test]
fn arguments_are_closed_and_described() {
    for tool in Toolbox::new().list() {
        assert_eq!(tool.input_schema["additionalProperties"], false, "{}", tool.name);
        for (name, schema) in tool.input_schema["properties"].as_object().unwrap() {
            let keywords: Vec<&str> = schema.as_object().unwrap().keys().map(String::as_str).collect();
            let has_type = ["type", "enum"].iter().any(|keyword| keywords.contains(keyword));
            assert!(has_type, "{}: `{name}`", tool.name);
            assert!(keywords.contains(&"description"), "{}: `{name}`", tool.name);
        }
        for (name, schema) in tool.output_schema.as_ref().unwrap()["properties"].as_object().unwrap() {
            assert!(schema["type"].is_string() || name == "status", "{}: `{name}`", tool.name);
        }
    }
}

/// All problems are reported in one answer.
#[test]
fn every_tool_refuses_arguments_of_the_wrong_types() {
    let place = Place::with_team("members: {coder: {}}\n");
    for tool in Toolbox::new().list() {
        let properties = tool.input_schema["properties"].as_object().unwrap();
        let args: Value = properties.keys().map(|name| (name.clone(), json!({"a": 1}))).collect();
        let answer = place.call(&Caller::operator("alice"), &tool.name, args);
        let count = answer["details"]["problems"].as_array().map_or(0, Vec::len);
        let expected = if properties.len() > 5 { 6 } else { properties.len() };
        if expected > 0 {
            assert_eq!((&answer["code"], count), (&json!("INVALID_ARGS"), expected), "{answer}");
        }
    }
}
