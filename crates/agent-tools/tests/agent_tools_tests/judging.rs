//! Which calls run.

use minds_agent_tools::{Call, Decision, ToolOutcome, ToolSettings, model_name};
use serde_json::{Value, json};

use crate::support::{Place, TOOLS, call, code, end, names, settings, supervisor, to_arguments, toolbox};

/// Returns arguments with which a tool has an effect or shows the canary.
fn arguments(tool: &str) -> Value {
    match tool {
        "agents.list" => json!({}),
        "agents.spawn" => json!({"project": "p", "name": "n", "cwd": ".", "model_id": "m"}),
        "fs.write" => json!({"path": "effect", "content": "written"}),
        "os.exec" => json!({"cmd": "touch effect"}),
        "fs.list" => json!({"path": "."}),
        _ => json!({"path": "file"}),
    }
}

/// Returns the settings in which a tool is given for no reason but one.
fn settings_without(place: &Place, tool: &str, change: &str) -> ToolSettings {
    let mut settings = place.settings();
    match change {
        "not allowed" | "denied" | "unreadable list" => {
            settings.files.tools.remove(tool);
            settings.reasons.insert(tool.to_owned(), format!("{change} by the agent"));
        }
        "other version" => {
            settings.files.tools.remove(tool);
            settings.files.tools.insert(format!("{tool}@v2"));
            settings.accepted.tools.insert(format!("{tool}@v2"));
            settings.reasons.insert(tool.to_owned(), "not allowed by the agent".to_owned());
        }
        "not accepted" => drop(settings.accepted.tools.remove(tool)),
        _ => unreachable!("{change}"),
    }
    settings
}

/// A tool that is not given is neither offered nor run, also if the caller does not ask whether it may run.
#[test]
fn a_tool_that_is_not_given_has_no_effect() {
    for tool in TOOLS {
        for change in ["not allowed", "denied", "unreadable list", "other version", "not accepted"] {
            let place = Place::new();
            place.write("work/file", "canary");
            let mut tools = toolbox(&settings_without(&place, tool, change));
            let name = model_name(tool);
            let offered: Vec<String> = tools.offers().into_iter().map(|offer| offer.name).collect();
            assert!(!offered.contains(&name), "{tool}, {change}");
            assert_eq!(offered.len(), TOOLS.len() - 1, "{tool}, {change}");
            assert!(!tools.has_effect(&name), "{tool}, {change}");
            let arguments = to_arguments(arguments(tool));
            let call = Call { id: "call-0", name: &name, arguments: &arguments };
            let Decision::Refuse(judged) = tools.judge(call) else { panic!("{tool}, {change}") };
            for outcome in [judged, end(&mut tools, call)] {
                assert_eq!(code(&outcome), "tool.denied", "{tool}, {change}: {outcome:?}");
                assert!(!outcome.content.contains("canary"), "{tool}, {change}: {outcome:?}");
            }
            assert_eq!(place.read("work/effect"), "none", "{tool}, {change}");
        }
    }
}

#[test]
fn a_tool_without_settings_is_not_given() {
    let mut tools = minds_agent_tools::Toolbox::new(Box::new(|| Ok(Vec::new())), supervisor());
    assert!(tools.offers().is_empty());
    for tool in TOOLS {
        let outcome = call(&mut tools, &model_name(tool), arguments(tool));
        assert_eq!(code(&outcome), "tool.denied", "{tool}");
    }
}

#[test]
fn unknown_names_and_other_versions_are_denied() {
    let place = Place::new();
    let mut tools = place.tools();
    for name in ["fs.write", "fs_write_v2", "FS_WRITE", "fs_write ", "", "kb_search", "x\u{202e}y"] {
        let outcome = call(&mut tools, name, json!({"path": "effect", "content": "x"}));
        assert_eq!(code(&outcome), "tool.denied", "{name}: {outcome:?}");
        assert!(!outcome.content.contains('\u{202e}'), "{outcome:?}");
    }
    assert_eq!(place.read("work/effect"), "none");
}

/// Arguments are checked before anything happens, and the model reads what is wrong.
#[test]
fn arguments_that_are_not_valid_have_no_effect() {
    let place = Place::new();
    let mut tools = place.tools();
    let cases = [
        ("agents_list", json!({"all": true})),
        ("fs_list", json!({})),
        ("fs_list", json!({"path": 1})),
        ("fs_stat", json!({"path": ["x"]})),
        ("fs_read", json!({"path": "file", "offset": -1})),
        ("fs_read", json!({"path": "file", "limit": 0})),
        ("fs_read", json!({"path": "file", "limit": 262_145})),
        ("fs_read", json!({"path": "file", "lines": 3})),
        ("fs_write", json!({"path": "effect"})),
        ("fs_write", json!({"path": "effect", "content": 1})),
        ("fs_write", json!({"path": "effect", "content": "x", "expected_hash": "sha256:1"})),
        ("fs_write", json!({"path": "effect", "content": "x", "mode": 511})),
        ("fs_write", json!("not JSON")),
        ("os_exec", json!({})),
        ("os_exec", json!({"cmd": "touch effect", "timeout": 0})),
        ("os_exec", json!({"cmd": "touch effect", "timeout": 3_601})),
        ("os_exec", json!({"cmd": "touch effect", "env": {"A=B": "c"}})),
        ("os_exec", json!({"cmd": "touch effect", "sandbox": false})),
        ("os_exec", json!(["touch effect"])),
    ];
    for (name, given) in cases {
        let outcome = call(&mut tools, name, given.clone());
        assert_eq!(code(&outcome), "args.invalid", "{name} {given}: {outcome:?}");
        assert!(!outcome.content.is_empty());
        assert_eq!(place.read("work/effect"), "none", "{name} {given}");
    }
}

#[test]
fn unsafe_commands_need_the_project_and_the_agent() {
    let place = Place::new();
    let mut tools = place.tools();
    let outcome = call(&mut tools, "os_exec", json!({"cmd": "touch effect", "unsafe": true}));
    assert_eq!(code(&outcome), "tool.denied");
    let mut policy = place.policy();
    policy.r#unsafe = true;
    let mut tools = toolbox(&settings(&policy));
    let arguments = to_arguments(json!({"cmd": "touch effect", "unsafe": true}));
    let unsafe_call = Call { id: "call-0", name: "os_exec", arguments: &arguments };
    let Decision::Ask(question) = tools.judge(unsafe_call) else { panic!("it is always confirmed") };
    assert_eq!(question.title, "run the tool `os.exec` without the sandbox");
    assert_eq!(place.read("work/effect"), "none");
}

/// The caller of [`Toolbox::run`](minds_agent_tools::Toolbox::run) cannot skip the question.
#[test]
fn a_call_that_a_person_confirms_does_not_run_without_the_question() {
    let place = Place::new();
    let mut policy = place.policy();
    policy.confirm = names(&["fs.write"]);
    let mut tools = toolbox(&settings(&policy));
    let arguments = to_arguments(json!({"path": "effect", "content": "new\n"}));
    let write = Call { id: "call-0", name: "fs_write", arguments: &arguments };
    let outcome = end(&mut tools, write);
    assert_eq!(code(&outcome), "tool.denied", "{outcome:?}");
    assert_eq!(place.read("work/effect"), "none");
    let Decision::Ask(question) = tools.judge(write) else { panic!("it is confirmed") };
    assert_eq!(question.title, "write the file `effect`");
    assert_eq!(question.body, "--- /dev/null\n+++ b/effect\n@@ -0,0 +1 @@\n+new\n");
    assert_eq!(code(&end(&mut tools, write)), "ok");
    assert_eq!(place.read("work/effect"), "new\n");
    // The answer counts for one call.
    assert_eq!(code(&end(&mut tools, write)), "tool.denied");
}

#[test]
fn a_confirmed_write_needs_the_content_that_was_shown() {
    let place = Place::new();
    let mut policy = place.policy();
    policy.confirm = names(&["fs.write"]);
    let old: String = "1\n2\n3\n4\n5\n6\n7\n8\n9\n".to_owned();
    let new = old.replace("5\n", "five\n");
    let diff = "--- a/file\n+++ b/file\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n";
    // What happens between the question and the answer, and the result.
    let cases: [(Option<&str>, &str); 3] =
        [(None, "ok"), (Some("changed\n"), "args.invalid"), (Some(""), "args.invalid")];
    for (between, expected) in cases {
        place.write("work/file", &old);
        let mut tools = toolbox(&settings(&policy));
        let arguments = to_arguments(json!({"path": "file", "content": new}));
        let write = Call { id: "call-0", name: "fs_write", arguments: &arguments };
        let Decision::Ask(question) = tools.judge(write) else { panic!("it is confirmed") };
        assert_eq!(question.body, diff);
        if let Some(between) = between {
            place.write("work/file", between);
        }
        let outcome = end(&mut tools, write);
        assert_eq!(code(&outcome), expected, "{outcome:?}");
        assert_eq!(place.read("work/file"), between.unwrap_or(&new), "{outcome:?}");
    }
    // A file that appears after the question is not replaced either.
    let mut tools = toolbox(&settings(&policy));
    let arguments = to_arguments(json!({"path": "new", "content": "x"}));
    let write = Call { id: "call-0", name: "fs_write", arguments: &arguments };
    assert!(matches!(tools.judge(write), Decision::Ask(_)));
    place.write("work/new", "of another program");
    assert_eq!(code(&end(&mut tools, write)), "args.invalid");
    assert_eq!(place.read("work/new"), "of another program");
}

/// Lists show each known tool with the reason.
#[test]
fn lists_show_reasons() {
    let place = Place::new();
    let mut settings = settings_without(&place, "fs.write", "denied");
    settings.accepted.tools.remove("os.exec");
    settings.files.tools.insert("kb.search".to_owned());
    settings.accepted.confirm.insert("fs.read".to_owned());
    let listed = settings.list();
    let show = |name: &str| {
        let tool = listed.iter().find(|tool| tool.name == name).unwrap();
        (tool.given, tool.confirm, tool.reason.clone().unwrap_or_default())
    };
    assert_eq!(show("fs.read"), (true, true, String::new()));
    assert_eq!(show("fs.write"), (false, false, "denied by the agent".to_owned()));
    assert_eq!(show("kb.search"), (false, false, "this version does not have it".to_owned()));
    assert!(show("os.exec").2.starts_with("it was not accepted: "), "{listed:?}");
    assert_eq!(settings.given_tools(), ["agents.list", "agents.spawn", "fs.list", "fs.read", "fs.stat"]);
}

/// A change that gives more is reported once.
#[test]
fn widenings_are_reported_once() {
    let place = Place::new();
    let mut tools = place.tools();
    let mut settings = place.settings();
    assert_eq!(tools.configure(&settings), Vec::<String>::new());
    settings.accepted.tools.remove("os.exec");
    let warning = tools.configure(&settings).concat();
    assert!(warning.ends_with(": + tools.allow: os.exec"), "{warning}");
    assert_eq!(tools.configure(&settings), Vec::<String>::new());
    settings.accepted.folders.remove(&place.text("data"));
    assert!(tools.configure(&settings).concat().contains("+ fs.whitelist: /"));
    assert_eq!(tools.configure(&place.settings()), Vec::<String>::new());
}

/// An agent that could change its own policy, or read the keys of agents, does not start.
#[test]
fn protected_folders_are_out_of_reach() {
    use minds_agent_tools::ProtectedFolder;
    let place = Place::new();
    let policies = |path: &str| ProtectedFolder {
        path: path.to_owned(),
        content: "the accepted policies",
        is_secret: false,
    };
    let cases: [(&str, bool); 6] = [
        ("/work", false),
        ("/work/home/state/fleet", false),
        ("", false),
        ("/state", true),
        ("/workshop", true),
        ("/read/only", true),
    ];
    let top = place.text("");
    let top = top.trim_end_matches('/');
    for (below, is_valid) in cases {
        let mut settings = place.settings();
        settings.files.exec.read.insert(format!("{top}/read"));
        settings.protected = vec![policies(&format!("{top}{below}"))];
        assert_eq!(settings.check().is_ok(), is_valid, "{below}");
        settings.protected[0].is_secret = true;
        assert_eq!(settings.check().is_ok(), is_valid && below != "/read/only", "{below}");
    }
    for (key, folder) in [("write", "/"), ("whitelist", "/")] {
        let mut settings = place.settings();
        settings.protected = vec![policies("/var/lib/policies")];
        match key {
            "write" => settings.files.exec.write.insert(folder.to_owned()),
            _ => settings.files.folders.insert(folder.to_owned()),
        };
        let failure = settings.check().unwrap_err();
        assert_eq!(failure.code(), Some(minds_fleet_protocol::ErrorCode::ConfigInvalid), "{key}");
        assert!(failure.message.contains("/var/lib/policies"), "{}", failure.message);
    }
}

#[test]
fn a_required_sandbox_must_be_complete() {
    use minds_agent_tools::Level;
    let place = Place::new();
    for (level, is_required, is_valid) in [
        (Level::Full, true, true),
        (Level::Partial, true, false),
        (Level::None, true, false),
        (Level::None, false, true),
    ] {
        let mut settings = place.settings();
        settings.files.exec.require_sandbox = is_required;
        settings.sandbox = level;
        let checked = settings.check();
        assert_eq!(checked.is_ok(), is_valid, "{level}, {is_required}");
        let code = checked.err().and_then(|failure| failure.code());
        assert_eq!(code, (!is_valid).then_some(minds_fleet_protocol::ErrorCode::ConfigInvalid));
        // What was accepted cannot be taken back by the files.
        settings.accepted.exec.require_sandbox = is_required;
        settings.files.exec.require_sandbox = false;
        assert_eq!(settings.check().is_ok(), is_valid, "{level}, {is_required}");
    }
}

#[test]
fn a_refused_list_of_agents_is_a_result() {
    let place = Place::new();
    let failing =
        || Err(minds_fleet_protocol::Failure::new(minds_fleet_protocol::ErrorCode::RedisUnavailable, "gone"));
    let mut tools = minds_agent_tools::Toolbox::new(Box::new(failing), supervisor());
    tools.configure(&place.settings());
    let outcome = call(&mut tools, "agents_list", json!({}));
    assert_eq!((code(&outcome), outcome.content.as_str()), ("redis.unavailable", "gone"));
    let outcome: ToolOutcome = call(&mut place.tools(), "agents_list", json!({}));
    assert_eq!(outcome.content, r#"{"agents":[]}"#);
}
