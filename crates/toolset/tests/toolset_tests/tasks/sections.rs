//! Making, replacing, extending, removing and reading sections.

use minds_toolset::{Caller, Clock, ToolContext, Toolbox};
use minds_vfs::ContentHash;
use serde_json::{Value, json};

use crate::tasks::{ALL, Fixture, arguments, fixture, with_packages};

fn recall(fixture: &Fixture, category: &str, selector: &str) -> String {
    let answer = fixture.ok("recall_taskdoc", json!({"category": category, "selector": selector}));
    let content = answer["content"].as_str().unwrap().to_owned();
    assert_eq!(answer["content_hash"], ContentHash::of(content.as_bytes()).to_string());
    content
}

#[test]
fn a_section_is_created_once_and_filled_if_empty() {
    let fixture = fixture();
    let ux = |content: &str| json!({"category": "ux", "selector": "checklist", "content": content});
    let made = fixture.ok("do_mind", ux("- one\n"));
    assert_eq!((&made["changed"], &made["section"]), (&json!(true), &json!("ux/checklist")));
    let refused = fixture.refused("do_mind", ux("- two\n"), "SECTION_EXISTS");
    assert!(refused["next"].as_str().unwrap().contains("`change_mind`"), "{refused}");
    assert_eq!(recall(&fixture, "ux", "checklist"), "- one\n");
    fixture.ok("change_mind", json!({"category": "ux", "selector": "checklist", "clear": true}));
    fixture.ok("do_mind", ux("- three\n"));
    assert_eq!(recall(&fixture, "ux", "checklist"), "- three\n");
    // The sections of every task exist, and are empty at first.
    fixture.ok("do_mind", json!({"selector": "goals", "content": "Ship it.\n"}));
    fixture.refused("do_mind", json!({"selector": "goals", "content": "Do not.\n"}), "SECTION_EXISTS");
    assert_eq!(fixture.text("tasks/ship-it.tsk/goals.md"), "Ship it.\n");
    for category in ["UX", "Ux"] {
        fixture.refused(
            "do_mind",
            json!({"category": category, "selector": "x", "content": "x"}),
            "NAME_COLLISION",
        );
    }
    fixture.refused(
        "do_mind",
        json!({"category": "ux", "selector": "Checklist", "content": "x"}),
        "NAME_COLLISION",
    );
}

#[test]
fn appended_text_follows_the_existing_text() {
    let fixture = fixture();
    let add = |content: &str, more: Value| {
        let mut args = json!({"selector": "progress", "content": content});
        args.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        fixture.ok("mind_more", args);
        fixture.text("tasks/ship-it.tsk/progress.md")
    };
    assert_eq!(add("one", json!({})), "one");
    assert_eq!(add("two\n", json!({})), "one\ntwo\n");
    assert_eq!(add("three", json!({})), "one\ntwo\nthree");
    assert_eq!(add("four", json!({"separator": ", "})), "one\ntwo\nthree, four");
    assert_eq!(add("!", json!({"separator": ""})), "one\ntwo\nthree, four!");
    fixture.refused("mind_more", json!({"selector": "progress", "content": " \n"}), "CONTENT_REQUIRED");
    let missing = json!({"category": "ux", "selector": "none", "content": "x"});
    fixture.refused("mind_more", missing, "SECTION_NOT_FOUND");
    let hash = ContentHash::of(b"another").to_string();
    let stale = json!({"selector": "progress", "content": "x", "previous_content_hash": hash});
    let refused = fixture.refused("mind_more", stale, "HASH_MISMATCH");
    assert_eq!(refused["details"]["current_content"], "one\ntwo\nthree, four!");
}

#[test]
fn a_section_of_a_category_is_removed_and_one_of_the_task_is_not() {
    let fixture = fixture();
    for (category, selector) in [("ux", "checklist"), ("bearinmind", "risks")] {
        let place = json!({"category": category, "selector": selector});
        fixture.refused("never_mind", place.clone(), "SECTION_NOT_FOUND");
        fixture.ok("do_mind", json!({"category": category, "selector": selector, "content": "x"}));
        let hash = ContentHash::of(b"y").to_string();
        let stale = json!({"category": category, "selector": selector, "previous_content_hash": hash});
        fixture.refused("never_mind", stale, "HASH_MISMATCH");
        let removed = fixture.ok("never_mind", place.clone());
        assert!(removed.get("content_hash").is_none() && removed["size_bytes"] == 0, "{removed}");
        fixture.refused("recall_taskdoc", place, "SECTION_NOT_FOUND");
    }
    for selector in ["goals", "constraints", "progress"] {
        let refused = fixture.refused("never_mind", json!({"selector": selector}), "TOP_LEVEL_IS_REQUIRED");
        assert!(refused["next"].as_str().unwrap().contains("clear"), "{refused}");
    }
}

#[test]
fn a_section_is_replaced_completely_or_emptied_explicitly() {
    let fixture = fixture();
    let set = |args: Value| fixture.ok("change_mind", args)["content_hash"].as_str().unwrap().to_owned();
    let first = set(json!({"selector": "goals", "content": "one\n"}));
    assert_eq!(first, ContentHash::of(b"one\n").to_string());
    let second = set(json!({"selector": "goals", "content": "two\n", "previous_content_hash": first}));
    let stale = json!({"selector": "goals", "content": "three\n", "previous_content_hash": first});
    let refused = fixture.refused("change_mind", stale, "HASH_MISMATCH");
    assert_eq!(
        refused["details"],
        json!({"current_content_hash": second, "current_content": "two\n"}),
        "{refused}"
    );
    for content in ["", " ", "\n\t\u{a0}\n"] {
        fixture.refused("change_mind", json!({"selector": "goals", "content": content}), "CONTENT_REQUIRED");
    }
    fixture.refused("change_mind", json!({"selector": "goals"}), "CONTENT_REQUIRED");
    fixture.refused("change_mind", json!({"selector": "goals", "clear": false}), "CONTENT_REQUIRED");
    fixture.refused(
        "change_mind",
        json!({"selector": "goals", "content": "x", "clear": true}),
        "INVALID_ARGS",
    );
    // The arguments of a model that sets every argument.
    for content in ["", " \n"] {
        fixture.ok("change_mind", json!({"selector": "goals", "content": "full\n"}));
        let all = json!({
            "selector": "goals", "content": content, "category": "", "clear": true, "previous_content_hash": "", "task": "",
        });
        assert_eq!(set(all), ContentHash::of(b"").to_string());
    }
    let odd = json!({"selector": "goals", "content": "x", "previous_content_hash": "crc32:0badf00d"});
    fixture.refused("change_mind", odd, "INVALID_HASH");
    assert_eq!(set(json!({"selector": "goals", "clear": true})), ContentHash::of(b"").to_string());
    assert_eq!(fixture.text("tasks/ship-it.tsk/goals.md"), "");
    // The same again changes nothing, and the journal gets no line.
    let lines = fixture.text("tasks/ship-it.tsk/journal.jsonl").lines().count();
    let again = fixture.ok("change_mind", json!({"selector": "goals", "clear": true}));
    assert_eq!(again["changed"], false);
    assert_eq!(fixture.text("tasks/ship-it.tsk/journal.jsonl").lines().count(), lines);
}

#[test]
fn sections_are_stored_byte_for_byte() {
    let fixture = fixture();
    for body in [
        "  - indented first line\n",
        "no end",
        "a\r\nb\r\n",
        "---\nfront: matter\n---\n# Goals\n## Constraints\n",
        "```\n## Progress\n```\n\n\n",
        "\u{feff}差遣牒 \u{1f4dd} \u{202e}",
        "\n\n x",
    ] {
        fixture.ok("change_mind", json!({"category": "ux", "selector": "body", "content": body}));
        assert_eq!(recall(&fixture, "ux", "body"), body);
        assert_eq!(fixture.text("tasks/ship-it.tsk/ux/body.md"), body);
        fixture.ok("change_mind", json!({"selector": " !goals ", "content": body}));
        assert_eq!(fixture.text("tasks/ship-it.tsk/goals.md"), body);
    }
}

#[test]
fn every_section_can_be_read_also_those_of_the_task_itself() {
    Fixture::new(&[]).refused("recall_taskdoc", json!({"selector": "goals"}), "TASKDOC_NOT_FOUND");
    let fixture = fixture();
    for selector in ["goals", "constraints", "progress"] {
        let text = format!("text of {selector}\n");
        fixture.ok("change_mind", json!({"selector": selector, "content": text}));
        for asked in [selector.to_owned(), format!(" {selector} "), format!("!{selector}")] {
            assert_eq!(recall(&fixture, "", &asked), text);
        }
        let args = json!({"selector": selector, "category": "ux"});
        fixture.refused("recall_taskdoc", args, "TOP_LEVEL_SELECTOR_REQUIRES_NO_CATEGORY");
        // What is read is what can be changed.
        let hash = fixture.ok("recall_taskdoc", json!({"selector": selector}))["content_hash"].clone();
        let args = json!({"selector": selector, "content": "new", "previous_content_hash": hash});
        fixture.ok("change_mind", args);
    }
    std::fs::remove_file(fixture.place("tasks/ship-it.tsk/progress.md")).unwrap();
    for args in [json!({"selector": "progress"}), json!({"category": "ux", "selector": "none"})] {
        let refused = fixture.refused("recall_taskdoc", args, "SECTION_NOT_FOUND");
        assert!(refused["next"].as_str().unwrap().contains("`change_mind`"), "{refused}");
    }
    fixture.ok("change_mind", json!({"category": "bearinmind", "selector": "risks", "content": "R"}));
    assert_eq!(recall(&fixture, "bearinmind", "risks"), "R");
}

/// Only a program that injects the text itself knows that a model has a section, and only if the section is not cut.
#[test]
fn completely_injected_sections_are_not_recalled() {
    let mut fixture = fixture();
    let context =
        ToolContext::open(&fixture.place(""), &fixture.place("../state"), Clock::At(1_000)).unwrap();
    fixture.context = context.injecting_task();
    for selector in ["goals", "constraints", "progress", " goals ", "!progress"] {
        let refused =
            fixture.refused("recall_taskdoc", json!({"selector": selector}), "TOP_LEVEL_IS_INJECTED");
        assert!(refused["next"].as_str().unwrap().contains("`change_mind`"), "{refused}");
    }
    let long = "0123456789abcde\n".repeat(10_000);
    fixture.ok("change_mind", json!({"selector": "progress", "content": long}));
    assert_eq!(recall(&fixture, "", "progress"), long);
    fixture.refused("recall_taskdoc", json!({"selector": "goals"}), "TOP_LEVEL_IS_INJECTED");
    fixture.write("tasks/ship-it.tsk/goals.md", b"\xff");
    fixture.refused("recall_taskdoc", json!({"selector": "goals"}), "INVALID_UTF8");
}

/// The call that a refused general tool suggests works unchanged.
#[test]
fn a_general_tool_names_the_call_that_works() {
    let fixture = with_packages(Fixture::new(&[]), &["ship-it", "other"]);
    let top = fixture.place("top.tsk");
    std::fs::create_dir_all(top.join("bearinmind")).unwrap();
    // Another package has the same name.
    std::fs::create_dir(fixture.place("other.tsk")).unwrap();
    for (path, section) in [
        ("tasks/ship-it.tsk/goals.md", "goals"),
        ("tasks/other.tsk/bearinmind/risks.md", "bearinmind/risks"),
        ("tasks/ship-it.tsk/ux/check.list.md", "ux/check.list"),
        ("top.tsk/progress.md", "progress"),
        ("other.tsk/progress.md", "progress"),
        ("./tasks/../tasks/ship-it.tsk", "goals"),
        ("tasks/ship-it.tsk/journal.jsonl", "goals"),
        ("tasks/ship-it.tsk/a/b/c.md", "goals"),
    ] {
        let call = |next: &Value| {
            let (tool, rest) =
                next.as_str().unwrap().strip_prefix('`').unwrap().split_once("` with ").unwrap();
            let args = rest.get(..=rest.rfind('}').unwrap()).unwrap();
            (tool.to_owned(), serde_json::from_str::<Value>(args).unwrap())
        };
        let args = json!({"path": path, "content": "x"});
        let (tool, mut args) = call(&fixture.refused("create_new_file", args, "ACCESS_DENIED")["next"]);
        assert_eq!((tool.as_str(), &args["content"]), ("change_mind", &json!("…")), "{path}");
        args["content"] = json!(format!("of {path}\n"));
        assert_eq!(fixture.ok(&tool, args)["section"], section, "{path}");
        let (tool, args) =
            call(&fixture.refused("read_file", json!({"path": path}), "ACCESS_DENIED")["next"]);
        let read = fixture.ok(&tool, args);
        assert_eq!((tool.as_str(), &read["content"]), ("recall_taskdoc", &json!(format!("of {path}\n"))));
    }
}

#[test]
fn required_arguments_are_required() {
    let toolbox = Toolbox::new();
    let required = |name: &str| -> Value {
        let tool = toolbox.list().into_iter().find(|tool| tool.name == name).unwrap();
        tool.input_schema["required"].clone()
    };
    for (tool, expected) in [
        ("change_mind", json!(["selector"])),
        ("do_mind", json!(["selector", "content"])),
        ("mind_more", json!(["selector", "content"])),
        ("never_mind", json!(["selector"])),
        ("recall_taskdoc", json!(["selector"])),
    ] {
        assert_eq!(required(tool), expected, "{tool}");
    }
    let fixture = fixture();
    for tool in ALL {
        for value in [json!(null), json!(5), json!(["ux"]), json!({"a": 1}), json!(true)] {
            for name in ["selector", "category", "task"] {
                let mut args = arguments(tool, "checklist", "ux");
                args[name] = value.clone();
                fixture.refused(tool, args, "INVALID_ARGS");
            }
        }
        fixture.refused(tool, json!({"category": "ux"}), "INVALID_ARGS");
        fixture.refused(tool, arguments(tool, " ", "ux"), "SELECTOR_REQUIRED");
        fixture.refused(tool, arguments(tool, "risks", ""), "INVALID_TOP_LEVEL_SELECTOR");
        fixture.refused(
            tool,
            arguments(tool, "risks", "ux"),
            "BEARINMIND_SELECTOR_REQUIRES_BEARINMIND_CATEGORY",
        );
        fixture.refused(tool, arguments(tool, "checklist", "bearinmind"), "INVALID_BEARINMIND_SELECTOR");
        fixture.refused(tool, arguments(tool, "checklist", "goals.md"), "INVALID_CATEGORY_NAME");
        fixture.refused(tool, arguments(tool, "a..b", "ux"), "INVALID_CATEGORY_SELECTOR");
        fixture.refused(tool, arguments(tool, "goals", "ux"), "TOP_LEVEL_SELECTOR_REQUIRES_NO_CATEGORY");
    }
}

#[test]
fn the_journal_records_the_author_of_each_change() {
    let mut fixture = with_packages(Fixture::with_member("", &[]), &["ship-it"]);
    fixture.ok("change_mind", json!({"selector": "goals", "content": "one\n"}));
    fixture.caller = Caller::operator("alice");
    fixture.ok("do_mind", json!({"category": "ux", "selector": "a", "content": "x"}));
    fixture.ok("never_mind", json!({"category": "ux", "selector": "a"}));
    let journal = fixture.text("tasks/ship-it.tsk/journal.jsonl");
    let said: Vec<(String, String, String)> = journal
        .lines()
        .map(|line| {
            let line: Value = serde_json::from_str(line).unwrap();
            let word = |name: &str| line[name].as_str().unwrap().to_owned();
            (word("actor"), word("operation"), word("section"))
        })
        .collect();
    let row = |actor: &str, operation: &str, section: &str| {
        (actor.to_owned(), operation.to_owned(), section.to_owned())
    };
    assert_eq!(
        said,
        [
            row("dev", "set", "goals"),
            row("user:alice", "create", "ux/a"),
            row("user:alice", "remove", "ux/a")
        ]
    );
}

#[test]
fn answers_fit_their_schemas() {
    let fixture = fixture();
    let calls = [
        ("do_mind", arguments("do_mind", "a", "ux")),
        ("do_mind", arguments("do_mind", "a", "ux")),
        ("mind_more", arguments("mind_more", "a", "ux")),
        ("change_mind", arguments("change_mind", "a", "ux")),
        ("change_mind", arguments("change_mind", "a", "ux")),
        ("recall_taskdoc", arguments("recall_taskdoc", "a", "ux")),
        ("recall_taskdoc", arguments("recall_taskdoc", "goals", "")),
        ("never_mind", arguments("never_mind", "a", "ux")),
        ("never_mind", arguments("never_mind", "a", "ux")),
    ];
    for (name, args) in calls {
        let tool = fixture.toolbox.list().into_iter().find(|tool| tool.name == name).unwrap();
        jsonschema::validate(&tool.input_schema, &args).unwrap();
        let answer = fixture.call(name, args);
        jsonschema::validate(tool.output_schema.as_ref().unwrap(), &answer).unwrap();
        let said = tool.output_schema.as_ref().unwrap()["properties"].as_object().unwrap();
        for field in answer.as_object().unwrap().keys().filter(|_| answer["status"] == "ok") {
            assert!(
                said.contains_key(field) || ["tool", "summary"].contains(&field.as_str()),
                "{name}: {field}"
            );
        }
    }
}
