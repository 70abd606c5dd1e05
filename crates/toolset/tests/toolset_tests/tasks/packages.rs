//! Making packages, and looking back at what was changed in them.

use minds_toolset::{Caller, Clock, OfferedTools, ToolContext, Toolbox};
use serde_json::{Value, json};

use crate::tasks::{CHANGING, Fixture, PACKAGES, fixture, with_packages};

const PLAN: &str = "# Plan\n## Goals\nship\n## Risks\nfire\n";

#[test]
fn a_package_is_created_once() {
    let fixture = Fixture::new(&[]);
    let made = fixture.ok("task_new", json!({"name": "ship-it"}));
    assert_eq!((&made["task"], &made["path"]), (&json!("ship-it"), &json!("tasks/ship-it.tsk")));
    fixture.ok("change_mind", json!({"selector": "goals", "content": "Ship it.\n"}));
    for (name, code) in [
        ("ship-it", "TASKDOC_EXISTS"),
        ("Ship-It.tsk", "TASKDOC_EXISTS"),
        ("plan.md", "TASKDOC_INVALID"),
        ("../x", "TASKDOC_INVALID"),
        ("a:b", "TASKDOC_INVALID"),
        ("", "TASKDOC_INVALID"),
    ] {
        fixture.refused("task_new", json!({"name": name}), code);
    }
}

#[test]
fn a_file_becomes_a_package_and_is_removed_on_request() {
    let fixture = Fixture::new(&[("work/plan.md", PLAN), ("keep.md", PLAN)]);
    let kept = fixture.ok("task_migrate", json!({"path": "keep.md", "name": "", "remove": false}));
    assert_eq!(
        (&kept["task"], &kept["made"], &kept["removed"]),
        (&json!("keep"), &json!(true), &json!(false))
    );
    assert_eq!(fixture.text("keep.md"), PLAN);
    let sections: Vec<&str> =
        kept["sections"].as_array().unwrap().iter().map(|one| one["section"].as_str().unwrap()).collect();
    assert_eq!(sections, ["goals", "progress", "bearinmind/risks"]);
    fixture.refused("task_migrate", json!({"path": "keep.md"}), "TASKDOC_EXISTS");
    // What was made of this very file before is enough to remove it.
    let removed = fixture.ok("task_migrate", json!({"path": "keep.md", "remove": true}));
    assert_eq!((&removed["made"], &removed["removed"]), (&json!(false), &json!(true)));
    assert!(!fixture.place("keep.md").exists());
    let made = fixture.ok("task_migrate", json!({"path": "work/plan.md", "name": "other", "remove": true}));
    assert_eq!((&made["path"], &made["removed"]), (&json!("tasks/other.tsk"), &json!(true)));
    assert_eq!(fixture.text("tasks/other.tsk/goals.md"), "ship\n");
    assert!(!fixture.place("work/plan.md").exists());
    fixture.refused("task_migrate", json!({"path": "none.md"}), "FILE_NOT_FOUND");
    fixture.refused(
        "task_migrate",
        json!({"path": "tasks/other.tsk/goals.md", "name": "x"}),
        "ACCESS_DENIED",
    );
    fixture.refused("task_migrate", json!({"path": "../outside/secret", "name": "x"}), "INVALID_PATH");
}

#[test]
fn migration_needs_read_access_and_removal_needs_write_access() {
    let lists = "    no_read_dirs: [secret]\n    no_write_dirs: [docs]\n";
    let fixture = Fixture::with_member(lists, &[("secret/plan.md", PLAN), ("docs/plan.md", PLAN)]);
    let before = fixture.snapshot();
    fixture.refused("task_migrate", json!({"path": "secret/plan.md"}), "ACCESS_DENIED");
    fixture.refused("task_migrate", json!({"path": "docs/plan.md", "remove": true}), "ACCESS_DENIED");
    assert!(fixture.snapshot() == before, "a refused call changed something");
    fixture.ok("task_migrate", json!({"path": "docs/plan.md"}));
}

#[test]
fn the_changes_are_listed_newest_first_and_undone() {
    let fixture = fixture();
    for number in 0..30 {
        fixture.ok("change_mind", json!({"selector": "goals", "content": format!("{number}\n")}));
    }
    fixture.ok("do_mind", json!({"category": "ux", "selector": "a", "content": "x"}));
    let log = fixture.ok("task_log", json!({}));
    assert_eq!((&log["total"], &log["truncated"]), (&json!(31), &json!(true)));
    let entries = log["entries"].as_array().unwrap();
    assert_eq!((entries.len(), &entries[0]["section"]), (20, &json!("ux/a")));
    assert_eq!((&entries[1]["actor"], &entries[1]["operation"]), (&json!("user:alice"), &json!("set")));
    let all = fixture.ok("task_log", json!({"selector": "goals", "category": "", "limit": 500}));
    assert_eq!((&all["total"], &all["truncated"]), (&json!(30), &json!(false)));
    let third = &all["entries"][2]["change"];
    let undone = fixture.ok("task_undo", json!({"change": third}));
    assert_eq!(undone["taken_back"].as_array().unwrap().len(), 2, "{undone}");
    assert_eq!(fixture.text("tasks/ship-it.tsk/goals.md"), "26\n");
    fixture.ok("task_undo", json!({"change": undone["change"]}));
    assert_eq!(fixture.text("tasks/ship-it.tsk/goals.md"), "29\n");
    for change in ["", "12345", "abcdefabcdef", "goals"] {
        fixture.refused("task_undo", json!({"change": change}), "CHANGE_NOT_FOUND");
    }
    fixture.refused("task_undo", json!({}), "INVALID_ARGS");
    fixture.refused("task_log", json!({"selector": "risks"}), "INVALID_TOP_LEVEL_SELECTOR");
}

#[test]
fn only_the_fixed_task_can_be_created() {
    let mut fixture = Fixture::new(&[("plan.md", PLAN)]);
    let context =
        ToolContext::open(&fixture.place(""), &fixture.place("../state"), Clock::At(1_000)).unwrap();
    fixture.context = context.for_task(Some("later".to_owned()));
    fixture.refused("task_new", json!({"name": "other"}), "ACCESS_DENIED");
    fixture.refused("task_migrate", json!({"path": "plan.md"}), "ACCESS_DENIED");
    fixture.ok("task_migrate", json!({"path": "plan.md", "name": "later"}));
    fixture.refused("task_new", json!({"name": "later"}), "TASKDOC_EXISTS");
    fixture.refused("task_log", json!({"task": "other"}), "ACCESS_DENIED");
    assert_eq!(fixture.ok("task_log", json!({}))["task"], "later");
}

fn tools_of(fixture: &Fixture, who: &str) -> OfferedTools {
    let caller = match who.strip_prefix("user:") {
        Some(name) => Caller::operator(name),
        None => Caller::member(who),
    };
    Toolbox::new().offered_tools(&fixture.context, &caller)
}

#[test]
fn tools_that_change_tasks_are_offered_only_to_maintainers() {
    let mut fixture = with_packages(Fixture::new(&[("plan.md", PLAN)]), &["ship-it"]);
    fixture.write(".minds/team.yaml", b"members: {lead: {toolsets: [ws_mod]}, dev: {toolsets: [ws_mod]}}\n");
    let for_maintainers: Vec<&str> = CHANGING.iter().chain(&PACKAGES).copied().collect();
    for (settings, maintainers) in [
        ("", &["lead", "dev", "user:alice"][..]),
        ("task_maintainers = ['lead']\n", &["lead", "user:alice"]),
        ("task_maintainers = []\n", &["user:alice"]),
        ("task_maintainers = 5\n", &["user:alice"]),
    ] {
        fixture.write(".minds/minds.toml", settings.as_bytes());
        for who in ["lead", "dev", "user:alice"] {
            let tools = tools_of(&fixture, who);
            assert!(tools.has("recall_taskdoc") && tools.has("create_new_file"), "{tools:?}");
            for tool in &for_maintainers {
                assert_eq!(tools.has(tool), maintainers.contains(&who), "{settings}: {who}, {tool}");
            }
        }
    }
    // A call of such a tool is refused with the reason.
    fixture.write(".minds/minds.toml", b"task_maintainers = ['lead']\n");
    fixture.caller = Caller::member("dev");
    let before = fixture.snapshot();
    for (tool, args) in [
        ("task_new", json!({"name": "x"})),
        ("task_migrate", json!({"path": "plan.md", "remove": true})),
        ("task_log", json!({})),
        ("task_undo", json!({"change": "abcdef"})),
        ("change_mind", json!({"selector": "goals", "content": "x"})),
    ] {
        let refused = fixture.refused(tool, args, "NOT_MAINTAINER");
        assert!(refused["message"].as_str().unwrap().contains("`lead`"), "{refused}");
    }
    assert!(fixture.snapshot() == before);
}

/// Every tool of the workspace is offered exactly to those for whom some call of it can succeed.
#[test]
fn tools_that_lists_deny_completely_are_not_offered() {
    let team =
        |lists: &str| format!("members: {{dev: {{toolsets: [ws_read, ws_mod, team-mgmt], {lists}}}}}\n");
    let fixture = Fixture::new(&[]);
    for (lists, reads, writes) in [
        ("x-nothing: 1", true, true),
        ("no_write_dirs: ['.']", true, false),
        ("no_write_dirs: ['**']", true, false),
        ("no_write_dirs: ['*']", true, false),
        ("no_write_dirs: ['./*']", true, false),
        ("no_write_dirs: [a, '0', '*.md', 'a*', '*/b']", true, true),
        ("no_write_dirs: [src]", true, true),
        ("write_dirs: [src]", true, true),
        ("write_dirs: ['a**b']", true, false),
        ("no_read_dirs: ['/']", false, false),
        ("read_dirs: ['..']", false, false),
    ] {
        fixture.write(".minds/team.yaml", team(lists).as_bytes());
        let tools = tools_of(&fixture, "dev");
        for (tool, expected) in [
            ("read_file", reads),
            ("list_dir", reads),
            ("search_text", reads),
            ("create_new_file", writes),
            ("preview_file_append", writes),
            ("apply_file_modification", writes),
            ("rm_dir", writes),
            ("team_mgmt_create_new_file", true),
            ("recall_taskdoc", true),
            ("task_new", true),
        ] {
            assert_eq!(tools.has(tool), expected, "{lists}: {tool}");
        }
    }
}

#[test]
fn a_tool_of_another_program_is_refused_with_its_replacement() {
    let fixture = fixture();
    let refused = fixture.refused("clear_mind", json!({"reminder_content": "x"}), "TOOL_NOT_GRANTED");
    let next = refused["next"].as_str().unwrap();
    assert!(next.contains("`change_mind`") && next.contains("`clear: true`"), "{refused}");
    assert!(refused["message"].as_str().unwrap().contains("new conversation"), "{refused}");
    let near = fixture.refused("task_undoo", Value::Object(serde_json::Map::new()), "TOOL_NOT_GRANTED");
    assert_eq!(near["next"], "did you mean `task_undo`?");
}
