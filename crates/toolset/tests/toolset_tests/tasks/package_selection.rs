//! Which package a call is about.

use minds_toolset::tasks::{tasks, text};
use minds_toolset::{Caller, Clock, ToolContext};
use serde_json::json;

use crate::tasks::{ALL, Fixture, arguments, with_packages};

#[test]
fn the_only_package_is_the_default_and_several_need_a_name() {
    let fixture = Fixture::new(&[]);
    for tool in ALL {
        fixture.refused(tool, arguments(tool, "a", "ux"), "TASKDOC_NOT_FOUND");
    }
    let fixture = with_packages(fixture, &["one"]);
    fixture.ok("do_mind", arguments("do_mind", "a", "ux"));
    let fixture = with_packages(fixture, &["two"]);
    for tool in ALL {
        let refused = fixture.refused(tool, arguments(tool, "a", "ux"), "TASKDOC_AMBIGUOUS");
        let message = refused["message"].as_str().unwrap();
        assert!(message.contains("tasks/one.tsk") && message.contains("tasks/two.tsk"), "{refused}");
        for (task, code) in
            [("three", "TASKDOC_NOT_FOUND"), ("plan.md", "TASKDOC_INVALID"), ("a:b", "TASKDOC_INVALID")]
        {
            let mut args = arguments(tool, "a", "ux");
            args["task"] = json!(task);
            fixture.refused(tool, args, code);
        }
    }
    for task in ["two", "two.tsk", "tasks/two.tsk"] {
        let args = json!({"selector": "progress", "content": task, "task": task});
        assert_eq!(fixture.ok("change_mind", args)["task"], "two");
        assert_eq!(fixture.text("tasks/two.tsk/progress.md"), task);
    }
    assert_eq!(fixture.text("tasks/one.tsk/progress.md"), "");
}

#[test]
fn a_fixed_task_is_the_only_one() {
    let mut fixture = with_packages(Fixture::new(&[]), &["one", "two"]);
    let open = |fixture: &Fixture, task: &str| {
        let context =
            ToolContext::open(&fixture.place(""), &fixture.place("../state"), Clock::At(1_000)).unwrap();
        context.for_task(Some(task.to_owned()))
    };
    fixture.context = open(&fixture, "one");
    assert_eq!(fixture.ok("do_mind", arguments("do_mind", "a", "ux"))["task"], "one");
    for task in ["one", "one.tsk", "tasks/one.tsk", ""] {
        let args = json!({"selector": "a", "category": "ux", "task": task});
        assert_eq!(fixture.ok("recall_taskdoc", args)["task"], "one", "{task}");
    }
    for tool in ALL {
        for task in ["two", "tasks/two.tsk", "none", "../x.tsk", "ONE"] {
            let mut args = arguments(tool, "a", "ux");
            args["task"] = json!(task);
            let refused = fixture.refused(tool, args, "ACCESS_DENIED");
            assert!(refused["message"].as_str().unwrap().contains("`one`"), "{refused}");
        }
    }
    fixture.context = open(&fixture, "three");
    for tool in ALL {
        fixture.refused(tool, arguments(tool, "a", "ux"), "TASKDOC_NOT_FOUND");
    }
}

#[test]
fn every_known_caller_reads_all_packages() {
    let fixture = with_packages(Fixture::with_member("", &[]), &["one", "two"]);
    fixture.ok("change_mind", json!({"selector": "goals", "content": "G", "task": "two"}));
    for caller in [Caller::operator("alice"), Caller::member("dev")] {
        let found = tasks(&fixture.context, &caller);
        let names: Vec<&str> = found.iter().map(|task| task.name.as_str()).collect();
        assert_eq!(names, ["one", "two"]);
        let said = text(&fixture.context, &caller, &found[1]).unwrap();
        assert!(said.starts_with("# Taskdoc (Dialog Tree)\n\n## Goals\nG\n"), "{said}");
    }
    let stranger = Caller::member("stranger");
    assert!(tasks(&fixture.context, &stranger).is_empty());
    let one = &tasks(&fixture.context, &Caller::operator("alice"))[0];
    assert!(text(&fixture.context, &stranger, one).is_none());
    fixture.write("tasks/one.tsk/progress.md", b"\xff");
    let said = text(&fixture.context, &Caller::member("dev"), one).unwrap();
    assert!(said.contains("## Progress\n[The text of `progress.md` is missing here: "), "{said}");
}

/// An agent has no command line, and no argument names another task than the one that is fixed.
#[test]
fn refusals_suggest_what_an_agent_can_do() {
    let next = |fixture: &Fixture, tool: &str, args: serde_json::Value, code: &str| {
        fixture.refused(tool, args, code)["next"].as_str().unwrap_or_default().to_owned()
    };
    let mut fixture = with_packages(Fixture::new(&[("plan.md", "# Plan\n")]), &["one", "two"]);
    let goals = json!({"selector": "goals"});
    assert_eq!(
        next(&fixture, "recall_taskdoc", goals.clone(), "TASKDOC_AMBIGUOUS"),
        "pass the path of one of them as `task`"
    );
    let another = json!({"selector": "goals", "task": "zebra"});
    assert_eq!(
        next(&fixture, "recall_taskdoc", another, "TASKDOC_NOT_FOUND"),
        "pass the name of a package as `task`; your instructions list them"
    );
    let log = json!({"task": "one", "change": "000000000000"});
    assert_eq!(
        next(&fixture, "task_undo", log, "CHANGE_NOT_FOUND"),
        "`task_log` lists the changes with their ids"
    );
    for file in ["goals.md", "constraints.md", "progress.md"] {
        fixture.write(&format!("one.tsk/{file}"), b"");
    }
    let context =
        ToolContext::open(&fixture.place(""), &fixture.place("../state"), Clock::At(1_000)).unwrap();
    fixture.context = context.for_task(Some("one".to_owned()));
    assert_eq!(
        next(&fixture, "recall_taskdoc", goals, "TASKDOC_AMBIGUOUS"),
        "ask a person to start the server with the path of one of them instead of the name"
    );
}
