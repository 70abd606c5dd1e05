//! Task packages for clients: resources, notifications, and the fixed package.

use std::fs;

use serde_json::{Value, json};

use crate::mcp::session::{Session, Workspace};

const RESOURCES: &str = "notifications/resources/list_changed";

fn with_task() -> Workspace {
    let workspace = Workspace::with_team();
    minds(&workspace, &["task", "new", "ship-it"]);
    workspace
}

/// Runs the command next to a session.
fn minds(workspace: &Workspace, args: &[&str]) -> String {
    let output = workspace.command(args).output().unwrap();
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn addresses(session: &mut Session) -> Vec<String> {
    let list = session.ask("resources/list", json!({}));
    let all = list["resources"].as_array().unwrap().iter();
    all.map(|one| one["uri"].as_str().unwrap().to_owned())
        .filter(|uri| uri.starts_with("minds://task/"))
        .collect()
}

fn goals(content: &str) -> Value {
    json!({"selector": "goals", "content": content})
}

#[test]
fn a_package_is_a_resource_with_the_task_prompt() {
    let workspace = with_task();
    for args in [&[][..], &["--member", "lead"], &["--member", "coder"], &["--member", "reviewer"]] {
        let mut session = workspace.session(args);
        assert_eq!(addresses(&mut session), ["minds://task/ship-it"], "{args:?}");
        session.done("change_mind", goals(&format!("G of {args:?}\n")));
        let text = session.resource("minds://task/ship-it");
        assert!(
            text.starts_with(&format!("# Taskdoc (Dialog Tree)\n\n## Goals\nG of {args:?}\n\n")),
            "{text}"
        );
        assert_eq!(text, minds(&workspace, &["task", "show", "--effective"]));
        for uri in
            ["minds://task/", "minds://task/none", "minds://task/ship-it.tsk", "minds://task/ship-it/goals"]
        {
            assert_eq!(session.error_code("resources/read", json!({"uri": uri})), -32002, "{uri}");
            assert_eq!(session.error_code("resources/subscribe", json!({"uri": uri})), -32002, "{uri}");
        }
        let params = json!({
            "ref": {"type": "ref/resource", "uri": "minds://task/{task}"},
            "argument": {"name": "task", "value": "sh"},
        });
        assert_eq!(session.ask("completion/complete", params)["completion"]["values"], json!(["ship-it"]));
    }
    let mut stranger = workspace.session(&["--member", "coder"]);
    workspace.write(".minds/team.yaml", "members: {}\n");
    assert!(addresses(&mut stranger).is_empty());
    assert_eq!(stranger.error_code("resources/read", json!({"uri": "minds://task/ship-it"})), -32002);
}

#[test]
fn two_packages_with_one_name_are_distinguished_by_path() {
    let workspace = with_task();
    for directory in ["tasks/other.tsk", "ship-it.tsk"] {
        fs::create_dir(workspace.path().join(directory)).unwrap();
    }
    fs::write(workspace.path().join("ship-it.tsk/goals.md"), "at the top\n").unwrap();
    let mut session = workspace.session(&[]);
    let found = addresses(&mut session);
    assert_eq!(found, ["minds://task/other", "minds://task/ship-it.tsk", "minds://task/tasks%2Fship-it.tsk"]);
    assert!(session.resource(&found[1]).contains("at the top\n"));
    assert!(!session.resource(&found[2]).contains("at the top\n"));
}

#[test]
fn clients_are_notified_of_changes_of_a_package() {
    let workspace = with_task();
    let uri = "minds://task/ship-it";
    let mut session = workspace.session(&["--member", "reviewer"]);
    session.ask("resources/subscribe", json!({"uri": uri}));
    session.done("change_mind", goals("by the session itself\n"));
    session.hear(&[uri]);
    minds(&workspace, &["task", "set", "progress", "--from", "src/a.txt"]);
    session.hear(&[uri]);
    assert!(session.resource(uri).ends_with("## Progress\none\n"));
    minds(&workspace, &["task", "set", "risks", "--category", "bearinmind", "--from", "src/a.txt"]);
    session.hear(&[uri]);
    // A section outside of the prompt causes no notification, and neither does unchanged text.
    session.done("change_mind", json!({"category": "ux", "selector": "a", "content": "x"}));
    workspace.write("tasks/ship-it.tsk/progress.md", "one\n");
    session.done("do_mind", json!({"category": "ux", "selector": "b", "content": "x"}));
    session.ask("ping", json!({}));
    assert!(session.notifications().is_empty(), "{:?}", session.notifications());
    // By another program, in place.
    fs::write(workspace.path().join("tasks/ship-it.tsk/goals.md"), "by hand\n").unwrap();
    session.hear(&[uri]);
}

#[test]
fn an_unusual_file_is_named_in_the_text_and_hides_nothing_else() {
    let workspace = with_task();
    let uri = "minds://task/ship-it";
    let mut session = workspace.session(&[]);
    session.done("change_mind", goals("G\n"));
    session.ask("resources/subscribe", json!({"uri": uri}));
    fs::remove_file(workspace.path().join("tasks/ship-it.tsk/progress.md")).unwrap();
    fs::create_dir(workspace.path().join("tasks/ship-it.tsk/progress.md")).unwrap();
    fs::write(workspace.path().join("tasks/ship-it.tsk/bearinmind"), "x").unwrap();
    session.hear(&[uri]);
    let text = session.resource(uri);
    assert!(text.contains("## Goals\nG\n\n\n## Constraints\n"), "{text}");
    for missing in ["bearinmind/", "progress.md"] {
        assert!(text.contains(&format!("[The text of `{missing}` is missing here: ")), "{text}");
    }
}

#[test]
fn clients_are_notified_of_new_and_removed_packages() {
    let workspace = Workspace::with_team();
    let mut session = workspace.session(&[]);
    assert!(addresses(&mut session).is_empty());
    minds(&workspace, &["task", "new", "one"]);
    session.hear(&[RESOURCES]);
    session.ask("resources/subscribe", json!({"uri": "minds://task/one"}));
    minds(&workspace, &["task", "new", "two"]);
    session.hear(&[RESOURCES]);
    assert_eq!(addresses(&mut session), ["minds://task/one", "minds://task/two"]);
    fs::remove_dir_all(workspace.path().join("tasks/one.tsk")).unwrap();
    session.hear(&[RESOURCES, "minds://task/one"]);
    assert_eq!(addresses(&mut session), ["minds://task/two"]);
    // The task home is a setting.
    workspace.write(".minds/minds.toml", "task_home = \"elsewhere\"\n");
    session.hear(&[RESOURCES]);
    assert!(addresses(&mut session).is_empty());
}

#[test]
fn a_fixed_task_hides_all_other_tasks() {
    let workspace = with_task();
    let mut session = workspace.session(&["--task", "later"]);
    let printed = &session.instructions;
    assert!(
        printed.contains("Your task is `later`") && printed.contains("`task_new` with `name: \"later\"`"),
        "{printed}"
    );
    assert!(addresses(&mut session).is_empty());
    assert_eq!(session.refusal_code("change_mind", goals("x")), "TASKDOC_NOT_FOUND");
    assert_eq!(session.refusal_code("task_new", json!({"name": "other"})), "ACCESS_DENIED");

    minds(&workspace, &["task", "new", "other"]);
    let mut session = workspace.session(&["--task", "ship-it", "--member", "coder"]);
    let printed = &session.instructions;
    assert!(
        printed.contains("Your task is `ship-it`") && printed.contains("minds://task/ship-it"),
        "{printed}"
    );
    assert_eq!(addresses(&mut session), ["minds://task/ship-it"]);
    assert_eq!(session.error_code("resources/read", json!({"uri": "minds://task/other"})), -32002);
    assert_eq!(session.done("change_mind", goals("x"))["task"], "ship-it");
    for task in ["other", "tasks/other.tsk", "none"] {
        let mut args = goals("y");
        args["task"] = json!(task);
        assert_eq!(session.refusal_code("change_mind", args.clone()), "ACCESS_DENIED");
        let args = json!({"selector": "a", "category": "ux", "task": task});
        assert_eq!(session.refusal_code("recall_taskdoc", args), "ACCESS_DENIED");
    }
    let mut args = goals("z");
    args["task"] = json!("ship-it");
    session.done("change_mind", args);
    let journal = fs::read_to_string(workspace.path().join("tasks/ship-it.tsk/journal.jsonl")).unwrap();
    assert_eq!(journal.matches("\"coder\"").count(), 2, "{journal}");
}

#[test]
fn a_concurrent_change_is_refused_with_the_current_content() {
    let workspace = with_task();
    let mut session = workspace.session(&[]);
    let first = session.done("change_mind", goals("first\n"))["content_hash"].clone();
    let hash = session.done("change_mind", goals("second\n"))["content_hash"].clone();
    let mut args = goals("third\n");
    args["previous_content_hash"] = first;
    let refused = session.call("change_mind", args);
    assert_eq!(refused["structuredContent"]["details"]["current_content_hash"], hash);
    let blocks = refused["content"].as_array().unwrap();
    assert!(blocks[0]["text"].as_str().unwrap().contains(hash.as_str().unwrap()), "{refused}");
    assert_eq!(blocks[1]["text"], "second\n");
}

#[test]
fn only_maintainers_change_a_task() {
    let workspace = with_task();
    workspace.write(".minds/minds.toml", "task_maintainers = [\"lead\"]\n");
    let mut session = workspace.session(&["--member", "coder"]);
    assert_eq!(session.refusal_code("change_mind", goals("x")), "NOT_MAINTAINER");
    session.resource("minds://task/ship-it");
    let tools = session.tools();
    assert!(tools.contains(&"recall_taskdoc".to_owned()), "{tools:?}");
    assert!(!tools.iter().any(|tool| tool == "change_mind" || tool.starts_with("task_")), "{tools:?}");
    // A new maintainer is notified of the tools.
    workspace.write(".minds/minds.toml", "task_maintainers = [\"coder\"]\n");
    session.hear(&["notifications/tools/list_changed"]);
    assert!(session.tools().contains(&"task_new".to_owned()));
    session.done("task_new", json!({"name": "another"}));
    session.hear(&[RESOURCES]);
    workspace.write(".minds/minds.toml", "task_maintainers = [\"lead\"]\n");
    let mut session = workspace.session(&["--member", "lead", "--task", "ship-it"]);
    session.done("change_mind", goals("x"));
    let reply = session.reply("tools/call", json!({"name": "clear_mind", "arguments": {}}));
    let message = reply["error"]["message"].as_str().unwrap();
    assert!(message.contains("`change_mind`") && message.contains("`clear: true`"), "{reply}");
}
