//! The instructions of the server: minds files of the member, rules of tasks, and the task.

use std::fs;

use serde_json::json;

use crate::mcp::session::{Session, Workspace};

const END: &str = "(end of the instructions)";

fn minds(workspace: &Workspace, args: &[&str]) -> String {
    let output = workspace.command(args).output().unwrap();
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn with_tasks(names: &[&str]) -> Workspace {
    let workspace = Workspace::with_team();
    for name in names {
        minds(&workspace, &["task", "new", name]);
    }
    workspace
}

fn instructions(workspace: &Workspace, args: &[&str]) -> String {
    workspace.session(args).instructions.clone()
}

#[test]
fn hidden_text_is_visible_in_the_instructions() {
    let workspace = with_tasks(&["one"]);
    workspace.write("tasks/one.tsk/goals.md", "Ship it.\u{e0041} 👩\u{200d}💻\n");
    workspace.write(".minds/team/coder/persona.md", "You write\u{202e} code.\n");
    let printed = instructions(&workspace, &["--member", "coder"]);
    assert!(printed.contains("Ship it.\\u{e0041} 👩\u{200d}💻"), "{printed}");
    assert!(printed.contains("You write\\u{202e} code."), "{printed}");
}

#[test]
fn the_only_task_or_the_one_that_is_fixed_is_in_the_instructions() {
    let workspace = with_tasks(&["one"]);
    workspace.write("tasks/one.tsk/goals.md", "G\n");
    workspace.write("tasks/one.tsk/ux/checklist.md", "extra body\n");
    let check = |args: &[&str], whose: &str, name: &str| {
        let printed = instructions(&workspace, args);
        let text = minds(&workspace, &["task", "show", name, "--effective"]);
        let prompt = minds(&workspace, &["task", "prompt", name]);
        assert!(printed.contains(&format!("{whose} `{name}`: its text is below")), "{printed}");
        // The complete text as the command prints it, with the rules at the end.
        let at = prompt.find("**Task `").unwrap();
        let (guide, status) = prompt.split_at(at);
        let blocks = [status, &text, guide].map(str::trim_end).join("\n\n");
        let blocks = format!("\n\n{blocks}\n\n{END}");
        assert!(printed.ends_with(&blocks), "{printed}\n---\n{blocks}");
        assert!(printed.contains("`ux/checklist`") && !printed.contains("extra body"), "{printed}");
    };
    check(&["--member", "coder"], "The only task here is", "one");
    check(&[], "The only task here is", "one");
    check(&["--task", "one"], "Your task is", "one");
    minds(&workspace, &["task", "new", "two"]);
    check(&["--task", "one", "--member", "reviewer", "--toolset", "ws_read"], "Your task is", "one");
    // With several packages none is selected, and each can be read.
    let mut session = workspace.session(&["--member", "coder"]);
    let printed = session.instructions.clone();
    assert!(
        printed.contains("There are several tasks: `one`, `two`.") && printed.contains("Pass one as `task`"),
        "{printed}"
    );
    assert!(
        printed.contains("**Task packages: restricted access**") && !printed.contains("## Goals"),
        "{printed}"
    );
    assert!(!printed.contains("what is in your context") && printed.ends_with(END), "{printed}");
    // The limits of general tools are documented once here, because their descriptions do not repeat them.
    assert_eq!(printed.matches("General file tools refuse task packages").count(), 1, "{printed}");
    let read = session.done("recall_taskdoc", json!({"selector": "goals", "task": "one"}));
    assert_eq!(read["content"], "G\n");
}

#[test]
fn instructions_without_a_task_do_not_mention_tasks() {
    let workspace = Workspace::with_team();
    let printed = instructions(&workspace, &["--member", "coder"]);
    assert!(!printed.contains("task") && !printed.contains(END), "{printed}");
    let printed = instructions(&workspace, &[]);
    assert!(!printed.contains("Task packages") && !printed.contains("`recall_taskdoc`"), "{printed}");
    let workspace = with_tasks(&["one"]);
    let printed = instructions(&workspace, &["--member", "lead", "--toolset", "team-mgmt"]);
    assert!(!printed.contains("Task packages") && !printed.contains("`recall_taskdoc`"), "{printed}");
}

/// Only who manages the team is given its files, after the identity and before the tasks.
#[test]
fn managers_receive_the_team() {
    let workspace = with_tasks(&["one"]);
    workspace.write(".minds/team/lead/persona.md", "You lead.\n");
    let printed = instructions(&workspace, &["--member", "lead"]);
    let places = ["# You are `lead`", "# The team\n", "  1| ", "# Reference\n", END];
    let places = places.map(|part| printed.rfind(part).unwrap_or_else(|| panic!("{part}\n---\n{printed}")));
    assert!(places.is_sorted(), "{printed}");
    assert!(instructions(&workspace, &[]).contains("# The team\n"));
    for args in [&["--member", "coder"][..], &["--member", "lead", "--toolset", "ws_read"]] {
        let printed = instructions(&workspace, args);
        assert!(!printed.contains("# The team") && !printed.contains("  1| "), "{printed}");
    }
}

#[test]
fn shortened_and_unreadable_sections_are_named_with_the_call_that_reads_them() {
    let workspace = with_tasks(&["one"]);
    let line = "0123456789abcde\n";
    workspace.write("tasks/one.tsk/goals.md", "G\n");
    workspace.write("tasks/one.tsk/progress.md", &line.repeat(10_000));
    workspace.write("tasks/one.tsk/bearinmind/risks.md", &line.repeat(10_000));
    fs::write(workspace.path().join("tasks/one.tsk/constraints.md"), b"\xff").unwrap();
    let mut session = workspace.session(&["--member", "coder"]);
    let printed = session.instructions.clone();
    assert!(printed.len() < 110 * 1024, "{}", printed.len());
    assert!(
        printed.contains(
            "of `progress` are omitted below: `recall_taskdoc` with `selector: \"progress\"` reads all"
        ),
        "{printed}"
    );
    assert!(
        printed
            .contains("`recall_taskdoc` with `selector: \"risks\"` and `category: \"bearinmind\"` reads all"),
        "{printed}"
    );
    assert!(printed.contains("`constraints.md` of the task could not be read."), "{printed}");
    assert!(printed.contains("## Constraints\n[The text of `constraints.md` is missing here: "), "{printed}");
    let read = session.done("recall_taskdoc", json!({"selector": "progress"}));
    assert_eq!(read["size_bytes"], 160_000);
}

fn with_minds() -> Workspace {
    let workspace = Workspace::with_team();
    workspace.write(".minds/team/coder/persona.md", "You write code.\n");
    workspace.write(".minds/team/coder/persona.zh.md", "你写代码。\n");
    workspace.write(".minds/team/coder/lessons.md", "Test first.\n");
    workspace.write(".minds/team/lead/persona.md", "You lead.\n");
    workspace
}

fn addresses(session: &mut Session) -> Vec<String> {
    let list = session.ask("resources/list", json!({}));
    let uris =
        list["resources"].as_array().unwrap().iter().map(|one| one["uri"].as_str().unwrap().to_owned());
    uris.filter(|uri| uri.starts_with("minds://member/")).collect()
}

#[test]
fn a_member_receives_only_its_own_minds_files() {
    let workspace = with_minds();
    let mut session = workspace.session(&["--member", "coder"]);
    let printed = session.instructions.clone();
    let text = "## Persona (`.minds/team/coder/persona.md`)\n\nYou write code.\n\n\
                ## Lessons (`.minds/team/coder/lessons.md`)\n\nTest first.\n";
    assert!(printed.contains(&format!("# You are `coder`\n\n{}\n\n{END}", text.trim_end())), "{printed}");
    assert!(
        printed.contains("the resource `minds://member/coder`") && !printed.contains("You lead"),
        "{printed}"
    );
    assert_eq!(addresses(&mut session), ["minds://member/coder"]);
    assert_eq!(session.resource("minds://member/coder"), text);
    for uri in
        ["minds://member/lead", "minds://member/", "minds://member/..%2Flead", "minds://member/coder/persona"]
    {
        assert_eq!(session.error_code("resources/read", json!({"uri": uri})), -32002, "{uri}");
    }
    let prompt = session.ask("prompts/get", json!({"name": "act-as-member"}));
    let prompted = prompt["messages"][0]["content"]["text"].as_str().unwrap();
    assert!(prompted.contains("as member `coder`") && prompted.ends_with(text), "{prompted}");
    let other = json!({"name": "act-as-member", "arguments": {"member": "lead"}});
    assert_eq!(session.error_code("prompts/get", other.clone()), -32602);

    let mut session = workspace.session(&["--member", "reviewer"]);
    assert!(!session.instructions.contains("You are `") && addresses(&mut session).is_empty());
    let prompt = session.ask("prompts/get", json!({"name": "act-as-member"}));
    assert!(prompt.to_string().contains("no minds files"), "{prompt}");

    // A manager of the team sees all of them.
    let mut session = workspace.session(&["--member", "lead"]);
    assert!(session.instructions.contains("You lead.") && !session.instructions.contains("You write"));
    assert_eq!(addresses(&mut session), ["minds://member/lead", "minds://member/coder"]);
    let mut session = workspace.session(&[]);
    assert!(!session.instructions.contains("You lead."));
    assert!(session.ask("prompts/get", other).to_string().contains("You lead."));
    assert_eq!(session.error_code("prompts/get", json!({"name": "act-as-member"})), -32602);
}

#[test]
fn the_language_setting_selects_the_text() {
    let workspace = with_minds();
    minds(&workspace, &["task", "new", "one"]);
    let mut session = workspace.session(&["--member", "coder"]);
    for uri in ["minds://member/coder", "minds://task/one"] {
        session.ask("resources/subscribe", json!({"uri": uri}));
    }
    session.resource("minds://task/one");
    workspace.write(".minds/minds.toml", "language = \"zh-CN\"\n");
    session.hear(&["minds://member/coder", "minds://task/one"]);
    let text = session.resource("minds://member/coder");
    assert!(text.contains("你写代码。") && text.contains("Test first."), "{text}");
    assert!(session.resource("minds://task/one").starts_with("# 差遣牒（对话树）\n"));
    assert_eq!(session.resource("minds://task/one"), minds(&workspace, &["task", "show", "--effective"]));
    assert!(minds(&workspace, &["task", "prompt"]).starts_with("**任务包"));
    let printed = instructions(&workspace, &["--member", "coder"]);
    assert!(
        printed.contains("你写代码。") && printed.contains("**任务包") && printed.contains("差遣牒"),
        "{printed}"
    );
    // Changes of its own files cause notifications, and changes of other files do not.
    workspace.write(".minds/team/coder/persona.zh.md", "你测试代码。\n");
    session.hear(&["minds://member/coder"]);
    workspace.write(".minds/team/coder/knowledge.md", "Facts.\n");
    session.hear(&["minds://member/coder"]);
}

#[test]
fn minds_files_are_limited_and_secrets_are_redacted() {
    let workspace = with_minds();
    let secret = format!("sk-{}", "a1B2c3D4e5F6g7H8".repeat(3));
    workspace.write(".minds/team/coder/persona.md", &format!("Use {secret} for it.\n"));
    workspace.write(".minds/team/coder/knowledge.md", &"A fact of sixteen\n".repeat(10_000));
    fs::write(workspace.path().join(".minds/team/coder/lessons.md"), b"caf\xe9").unwrap();
    let mut session = workspace.session(&["--member", "coder"]);
    let printed = session.instructions.clone();
    assert!(printed.len() < 36 * 1024, "{}", printed.len());
    assert!(
        printed.contains("bytes of `.minds/team/coder/knowledge.md`") && printed.contains("Omitted below"),
        "{printed}"
    );
    assert!(printed.contains("`minds://member/coder` has the complete file"), "{printed}");
    assert!(
        printed.contains("[`.minds/team/coder/lessons.md` is missing here: it is not valid UTF-8."),
        "{printed}"
    );
    let whole = session.resource("minds://member/coder");
    assert_eq!(whole.matches("A fact of sixteen\n").count(), 10_000);
    let prompt = session.ask("prompts/get", json!({"name": "act-as-member"})).to_string();
    assert!(prompt.len() < 120 * 1024 && prompt.contains("are omitted here"), "{}", prompt.len());
    for text in [&printed, &whole, &prompt] {
        assert!(!text.contains(&secret) && text.contains("***"), "{}", &text[..500]);
    }
}
