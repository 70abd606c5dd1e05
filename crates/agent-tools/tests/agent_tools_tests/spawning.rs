//! `agents.spawn`: what is asked, what is refused, and that a new agent has no more rights.

use std::os::unix::fs::symlink;
use std::sync::{Arc, Mutex};

use minds_agent_tools::policy::{ExecPolicy, Policy};
use minds_agent_tools::{
    Call, Decision, FileAccess, MemberRights, SpawnRequest, SpawnedAgent, ToolOutcome, Toolbox,
};
use serde_json::{Value, json};

use crate::support::{Place, code, end, names, settings, supervisor, to_arguments, value};

/// The requests that reached the program.
type Canary = Arc<Mutex<Vec<SpawnRequest>>>;

fn tools(policy: &Policy) -> (Toolbox<'static>, Canary) {
    let canary = Canary::default();
    let noted = Arc::clone(&canary);
    let spawner = move |request: &SpawnRequest| {
        noted.lock().unwrap().push(request.clone());
        Ok(SpawnedAgent { id: format!("{}/{}", request.project, request.name), pid: 7 })
    };
    let tools = Toolbox::new(Box::new(|| Ok(Vec::new())), supervisor());
    let mut tools = tools.with_spawner(Box::new(spawner));
    tools.configure(&settings(policy));
    (tools, canary)
}

fn spawned(canary: &Canary) -> Vec<SpawnRequest> {
    canary.lock().unwrap().clone()
}

fn with(changes: &Value) -> Value {
    let mut arguments = json!({"project": "shop", "name": "hera", "cwd": ".", "model_id": "small"});
    for (name, value) in changes.as_object().unwrap() {
        if value.is_null() {
            arguments.as_object_mut().unwrap().remove(name);
        } else {
            arguments[name] = value.clone();
        }
    }
    arguments
}

/// Judges a call, which a person confirms, and runs it.
fn confirmed(tools: &mut Toolbox<'_>, arguments: Value) -> ToolOutcome {
    let arguments = to_arguments(arguments);
    let call = Call { id: "call-0", name: "agents_spawn", arguments: &arguments };
    match tools.judge(call) {
        Decision::Ask(_) => end(tools, call),
        Decision::Refuse(outcome) => outcome,
        Decision::Run => panic!("no person was asked"),
    }
}

/// Also without `confirm`, and also if the caller does not ask whether the call may run.
#[test]
fn a_person_is_always_asked() {
    let place = Place::new();
    let (mut tools, canary) = tools(&place.policy());
    let arguments = to_arguments(with(&json!({})));
    let call = Call { id: "call-0", name: "agents_spawn", arguments: &arguments };
    let outcome = end(&mut tools, call);
    assert_eq!(code(&outcome), "tool.denied", "{outcome:?}");
    assert!(spawned(&canary).is_empty());
    let Decision::Ask(question) = tools.judge(call) else { panic!("no question") };
    assert_eq!(question.title, "start the new agent `shop/hera`");
    for line in ["model: small\n", &format!("cwd: {}\n", place.text("work")), "You are the agent hera"] {
        assert!(question.body.contains(line), "{}", question.body);
    }
    assert!(spawned(&canary).is_empty());
    assert_eq!(value(&end(&mut tools, call)), json!({"id": "shop/hera", "pid": 7}));
    assert_eq!(spawned(&canary).len(), 1);
    // One answer is about one call.
    assert_eq!(code(&end(&mut tools, call)), "tool.denied");
    assert_eq!(spawned(&canary).len(), 1);
}

#[test]
fn calls_that_are_not_valid_start_nothing() {
    let place = Place::new();
    place.write("work/prompt.md", "You are Hera.\n");
    place.write("work/binary.md", "x");
    std::fs::write(place.path("work/binary.md"), [0xff]).unwrap();
    place.write("work/.ateam/agents/zeus/system_base.md", "x");
    place.write("work/sub/file", "x");
    symlink(place.path("outside"), place.path("work/link")).unwrap();
    symlink(place.path("outside/canary"), place.path("work/linked.md")).unwrap();
    let outside = place.text("outside");
    let canary_file = place.text("outside/canary");
    let long = "x".repeat(65);
    let cases = [
        (json!({"project": null}), "args.invalid"),
        (json!({"name": null}), "args.invalid"),
        (json!({"cwd": null}), "args.invalid"),
        (json!({"model_id": null}), "args.invalid"),
        (json!({"engine": "codex"}), "args.invalid"),
        (json!({"name": ""}), "args.invalid"),
        (json!({"name": "../zeus"}), "args.invalid"),
        (json!({"name": long}), "args.invalid"),
        (json!({"name": "a b"}), "args.invalid"),
        (json!({"project": "a/b"}), "args.invalid"),
        (json!({"model_id": " "}), "args.invalid"),
        (json!({"model_id": "a\nb"}), "args.invalid"),
        (json!({"kb_seeds": ["notes.md"]}), "args.invalid"),
        (json!({"kb_seeds": "notes.md"}), "args.invalid"),
        (json!({"cwd": "missing"}), "args.invalid"),
        (json!({"cwd": "sub/file"}), "args.invalid"),
        (json!({"cwd": ".."}), "tool.denied"),
        (json!({"cwd": "/"}), "tool.denied"),
        (json!({"cwd": outside}), "tool.denied"),
        (json!({"cwd": "link"}), "tool.denied"),
        (json!({"cwd": ".ateam"}), "tool.denied"),
        (json!({"cwd": ".ateam/agents/zeus"}), "tool.denied"),
        (json!({"system_base_path": "none.md"}), "args.invalid"),
        (json!({"system_base_path": "binary.md"}), "args.invalid"),
        (json!({"system_base_path": canary_file}), "tool.denied"),
        (json!({"system_base_path": "linked.md"}), "tool.denied"),
    ];
    for (changes, expected) in cases {
        let (mut tools, canary) = tools(&place.policy());
        let outcome = confirmed(&mut tools, with(&changes));
        assert_eq!(code(&outcome), expected, "{changes}: {outcome:?}");
        assert!(!outcome.content.contains("secret of the owner"), "{outcome:?}");
        assert!(spawned(&canary).is_empty(), "{changes}");
    }
    let (mut tools, canary) = tools(&place.policy());
    let seeds = confirmed(&mut tools, with(&json!({"kb_seeds": ["notes.md"]})));
    assert!(seeds.content.contains("no knowledge base"), "{seeds:?}");
    let arguments = json!({"system_base_path": "prompt.md", "cwd": "sub", "kb_seeds": []});
    assert_eq!(code(&confirmed(&mut tools, with(&arguments))), "ok");
    let [request] = <[SpawnRequest; 1]>::try_from(spawned(&canary)).unwrap();
    assert_eq!(request.system_prompt, "You are Hera.\n");
    assert_eq!(request.policy.cwd, place.text("work/sub"));
}

#[test]
fn a_new_agent_has_no_more_rights() {
    let place = Place::new();
    let accepted = Policy {
        confirm: names(&["fs.write"]),
        exec: ExecPolicy {
            inherit_env: true,
            env: names(&["CI"]),
            read: names(&["/srv"]),
            write: names(&["/var/tmp"]),
            require_sandbox: true,
        },
        r#unsafe: true,
        ..place.policy()
    };
    let (mut tools, canary) = tools(&accepted);
    // What was not accepted is not passed on.
    let mut wider = settings(&accepted);
    wider.files.tools.insert("mcp.other".to_owned());
    wider.files.folders.insert(place.text("outside"));
    tools.configure(&wider);
    let outside = confirmed(&mut tools, with(&json!({"cwd": place.text("outside")})));
    assert_eq!(code(&outside), "tool.denied");
    assert_eq!(code(&confirmed(&mut tools, with(&json!({"cwd": place.text("data")})))), "ok");
    let [request] = <[SpawnRequest; 1]>::try_from(spawned(&canary)).unwrap();
    let policy = &request.policy;
    assert_eq!(policy.find_widenings(&accepted), []);
    assert_eq!(policy.folders, [place.text("data")].into());
    assert!(!policy.gives("agents.spawn") && !policy.gives("mcp.other"), "{:?}", policy.tools);
    assert!(policy.gives("fs.write") && policy.needs_confirmation("fs.write"));
    assert_eq!(policy.exec, ExecPolicy { require_sandbox: true, ..ExecPolicy::default() });
    assert!(!policy.r#unsafe);
}

/// A member that may read everything below the working folder except `private`.
struct Reader;

impl MemberRights for Reader {
    fn check(&self, _: FileAccess, path: &str) -> Result<(), String> {
        if path.contains("private") { Err("it is private".to_owned()) } else { Ok(()) }
    }

    fn has_server_tool(&self, _: &str, _: &str) -> bool {
        true
    }
}

#[test]
fn a_new_agent_has_the_member_of_the_one_that_calls() {
    let place = Place::new();
    place.write("work/private/prompt.md", "secret\n");
    place.write("work/public/prompt.md", "You are Hera.\n");
    let accepted = Policy { members: names(&["ann"]), denied: names(&["mcp.a.b"]), ..place.policy() };
    let (tools, canary) = tools(&accepted);
    let mut tools = tools.with_members(Box::new(|_| Ok(Box::new(Reader))));
    for (arguments, expected) in [
        (json!({"cwd": "private"}), "tool.denied"),
        (json!({"system_base_path": "private/prompt.md"}), "tool.denied"),
        (json!({"cwd": "public", "system_base_path": "public/prompt.md"}), "ok"),
    ] {
        assert_eq!(code(&confirmed(&mut tools, with(&arguments))), expected, "{arguments}");
    }
    let [request] = <[SpawnRequest; 1]>::try_from(spawned(&canary)).unwrap();
    assert_eq!((&request.policy.members, &request.policy.denied), (&accepted.members, &accepted.denied));
    // An agent has one member in its file.
    let mut other = settings(&accepted);
    other.files.members = names(&["bob"]);
    tools.configure(&other);
    assert_eq!(code(&confirmed(&mut tools, with(&json!({})))), "tool.denied");
    assert_eq!(spawned(&canary).len(), 1);
}

#[test]
fn a_prompt_that_changed_after_the_confirmation_is_refused() {
    let place = Place::new();
    place.write("work/prompt.md", "first\n");
    let (mut tools, canary) = tools(&place.policy());
    let arguments = to_arguments(with(&json!({"system_base_path": "prompt.md"})));
    let call = Call { id: "call-0", name: "agents_spawn", arguments: &arguments };
    assert!(matches!(tools.judge(call), Decision::Ask(_)));
    place.write("work/prompt.md", "second\n");
    let outcome = end(&mut tools, call);
    assert_eq!(code(&outcome), "tool.denied", "{outcome:?}");
    assert!(spawned(&canary).is_empty());
}

#[test]
fn a_program_that_cannot_start_agents_says_so() {
    let place = Place::new();
    let mut tools = place.tools();
    let outcome = confirmed(&mut tools, with(&json!({})));
    assert!(!outcome.is_ok && outcome.content.contains("cannot start agents"), "{outcome:?}");
}
