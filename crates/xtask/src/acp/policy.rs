//! What a real opencode may do: by its own settings, by the answers to its questions, and by the sandbox.

use serde_json::{Value, json};

use super::Programs;
use super::model::{call, reply};
use super::place::{Place, Setup};

/// opencode with its default settings, which are asked about nothing in the workspace; its questions about other folders are
/// answered with yes.
const DEFAULT: &str = "{kind: acp, command: opencode, args: [acp], permissions: {other: allow, read: allow, search: allow, edit: allow, execute: allow, fetch: allow}}";
pub(super) const CANARY: &str = "canary-5d1f";

/// A call that may have an effect.
struct Attempt {
    /// The tool of opencode.
    tool: &'static str,
    prompt: String,
    /// Returns whether it had its effect.
    has_happened: fn(&Place<'_>) -> bool,
}

/// Returns a call for each kind of tools.
fn attempts(place: &Place<'_>) -> Result<Vec<Attempt>, String> {
    place.write("canary.txt", &format!("{CANARY}\n"))?;
    let path = |name: &str| place.workspace().join(name);
    let url = format!("http://{}/fetched", place.model.address());
    let agent = json!({ "description": "x", "prompt": reply("from a subagent"), "subagent_type": "general" });
    Ok(vec![
        Attempt {
            tool: "write",
            prompt: call("write", &json!({ "filePath": path("written.txt"), "content": "new\n" })),
            has_happened: |place| place.workspace().join("written.txt").exists(),
        },
        Attempt {
            tool: "read",
            prompt: call("read", &json!({ "filePath": path("canary.txt") })),
            has_happened: |place| place.model.has_seen(CANARY),
        },
        Attempt {
            tool: "bash",
            prompt: call("bash", &json!({ "command": "touch made.txt", "description": "x" })),
            has_happened: |place| place.workspace().join("made.txt").exists(),
        },
        Attempt {
            tool: "webfetch",
            prompt: call("webfetch", &json!({ "url": url, "format": "text" })),
            has_happened: |place| place.model.has_seen("GET /fetched"),
        },
        Attempt {
            tool: "task",
            prompt: call("task", &agent),
            // The conversation of the subagent begins with it.
            has_happened: |place| place.model.has_begun_with("from a subagent"),
        },
    ])
}

/// Performs all attempts; fails unless exactly those with these tools have their effect.
pub(super) fn expect_effects(place: &Place<'_>, expected: &[&str]) -> Result<usize, String> {
    let attempts = attempts(place)?;
    for Attempt { tool, prompt, has_happened } in &attempts {
        place.perform(prompt)?;
        if has_happened(place) != expected.contains(tool) {
            let found = if expected.contains(tool) { "has no effect" } else { "has an effect" };
            let tools = place.model.tools();
            return Err(format!("`{tool}` {found}; tools: {tools:?}\n{}", place.describe()));
        }
    }
    let answer = place.perform(&reply("still here"))?;
    if answer == "still here" { Ok(attempts.len()) } else { Err(format!("the last answer is `{answer}`")) }
}

/// The permissions that follow from the tools of the agent are those of opencode.
pub(super) fn permissions(programs: &Programs) -> Result<String, String> {
    let mut count = 0;
    for (keys, expected) in [
        ("tools: {allow: [fs.read, fs.write]}\n", &["write", "read"][..]),
        ("tools: {allow: [fs.write]}\n", &["write"]),
        ("tools: {allow: [fs.read, os.exec]}\n", &["read", "bash"]),
        ("tools: {allow: [agents.list]}\n", &[]),
    ] {
        let place = Place::new(programs, Setup { engine: "opencode", keys, writes_home: false })?;
        place.start()?;
        count += expect_effects(&place, expected).map_err(|error| format!("{keys}: {error}"))?;
        place.stop()?;
    }
    // The same calls, if opencode asks and the answers say no, except about a subagent, which is for it a call that thinks; and
    // the control without any of it.
    let asks = "{kind: acp, command: opencode, args: [acp], env: {OPENCODE_PERMISSION: '{\"*\":\"ask\"}'}, permissions: {edit: deny}}";
    let tools = "tools: {allow: [fs.read, fs.write]}\n";
    for (engine, expected) in
        [(asks, &["read", "task"][..]), (DEFAULT, &["write", "read", "bash", "webfetch", "task"])]
    {
        let place = Place::new(programs, Setup { engine, keys: tools, writes_home: true })?;
        place.start()?;
        count += expect_effects(&place, expected).map_err(|error| format!("{engine}: {error}"))?;
        place.stop()?;
    }
    Ok(format!(
        "{count} calls had exactly the effects that the tools of the agent allow; without the permissions all have one"
    ))
}

/// Files of the workspace, which the agent can write, give opencode nothing.
pub(super) fn settings(programs: &Programs) -> Result<String, String> {
    let rendered = "{kind: acp, command: opencode, args: [acp], env: {OPENCODE_PERMISSION: '{\"bash\":\"deny\",\"task\":\"deny\",\"webfetch\":\"deny\"}'}}";
    for (engine, is_wider) in [("opencode", false), (rendered, true)] {
        let keys = "tools: {allow: [fs.read, fs.write]}\n";
        let place = Place::new(programs, Setup { engine, keys, writes_home: is_wider })?;
        let permission = json!({ "bash": "allow", "task": "allow", "webfetch": "allow" });
        let own = json!({ "permission": { "bash": "ask", "*": "allow" }, "agent": { "build": { "permission": permission } } });
        place.write("opencode.json", &own.to_string())?;
        place.write(".opencode/agent/build.md", "---\npermission: {bash: allow}\n---\nYou build.\n")?;
        let plugin = format!(
            "import {{ writeFileSync }} from 'node:fs';\nexport const P = async () => {{ writeFileSync({}, 'x'); return {{}}; }};\n",
            json!(place.workspace().join("plugin.txt"))
        );
        place.write(".opencode/plugin/p.js", &plugin)?;
        place.start()?;
        let expected: &[&str] =
            if is_wider { &["write", "read", "bash", "webfetch", "task"] } else { &["write", "read"] };
        expect_effects(&place, expected).map_err(|error| format!("{engine}: {error}"))?;
        if place.workspace().join("plugin.txt").exists() != is_wider {
            return Err(format!("{engine}: the plugin of the workspace has run: {}", !is_wider));
        }
        place.stop()?;
    }
    Ok("settings and plugins of the workspace have no effect; with the variable alone they have".to_owned())
}

/// The owner decides about what is to be confirmed, and sees what it is.
pub(super) fn ask(programs: &Programs) -> Result<String, String> {
    let keys = "tools: {allow: [fs.read, fs.write], confirm: [fs.write]}\n";
    let place = Place::new(programs, Setup { engine: "opencode", keys, writes_home: false })?;
    place.start()?;
    let path = |name: &str| place.workspace().join(name);
    let step = |name: &str, answer: &str| {
        let prompt = call("write", &json!({ "filePath": path(name), "content": "a new line\n" }));
        json!({ "prompt": prompt, "answer": answer, "probe": path(name) })
    };
    let steps =
        json!([step("a.txt", "allow_once"), step("b.txt", "reject_once"), { "prompt": reply("still here") }]);
    let found = place.session(&place.server(), &json!({ "steps": steps }))?;
    for (turn, name, is_written) in [(0, "a.txt", true), (1, "b.txt", false)] {
        let turn = &found["turns"][turn];
        let question = turn["questions"].as_array().filter(|questions| questions.len() == 1);
        let Some([question]) = question.map(Vec::as_slice) else {
            return Err(format!("there is not one question: {turn}"));
        };
        if question["probed"] != false {
            return Err(format!("the file was written before the answer: {question}"));
        }
        let shown = question["toolCall"].to_string();
        if !shown.contains(name) || !shown.contains("a new line") {
            return Err(format!("the question does not show the change: {question}"));
        }
        if path(name).exists() != is_written || turn["stopReason"] != "end_turn" {
            return Err(format!("`{name}` is not as it was decided: {turn}"));
        }
    }
    if text_of(&found["turns"][2]["updates"], "agent_message_chunk") != "still here" {
        return Err(format!("the agent does not go on: {found}"));
    }
    place.stop()?;
    Ok("a write waits for the owner, who sees the change; yes writes, no does not, and the agent goes on"
        .to_owned())
}

/// The directories of `fs.whitelist` are directories of opencode, and no others.
pub(super) fn whitelist(programs: &Programs) -> Result<String, String> {
    let setup =
        Setup { engine: "opencode", keys: "tools: {allow: [fs.read, fs.write]}\n", writes_home: false };
    let mut place = Place::new(programs, setup)?;
    for is_given in [false, true] {
        if is_given {
            place = Place::new(programs, setup)?;
            let keys = format!("{}fs: {{whitelist: [{}]}}\n", setup.keys, json!(place.outside()));
            place.write_agent(Setup { keys: &keys, ..setup })?;
        }
        place.start()?;
        let file = place.outside().join("written.txt");
        place.perform(&call("write", &json!({ "filePath": file, "content": "x\n" })))?;
        if file.exists() != is_given {
            return Err(format!("with `fs.whitelist` {is_given}: {}\n{}", file.exists(), place.describe()));
        }
        place.stop()?;
    }
    Ok("a directory of `fs.whitelist` is written, and without the entry it is not".to_owned())
}

/// Returns the joined text of the updates of a kind.
pub(super) fn text_of(updates: &Value, kind: &str) -> String {
    let updates = updates.as_array().into_iter().flatten();
    let chunks = updates.filter(|update| update["sessionUpdate"] == kind);
    chunks.map(|update| update["content"]["text"].as_str().unwrap_or_default()).collect()
}

/// With its default settings, opencode writes outside of the workspace without a question; the sandbox does not let it.
pub(super) fn sandbox(programs: &Programs) -> Result<String, String> {
    let setup = Setup { engine: DEFAULT, keys: "tools: {allow: [fs.read, fs.write]}\n", writes_home: true };
    let place = Place::new(programs, setup)?;
    let doctor = place.document(&["doctor"])?;
    let checks = doctor["checks"].as_array().into_iter().flatten();
    if !checks.into_iter().any(|check| check["name"] == "sandbox" && check["ok"] == true) {
        return Ok(format!("skipped: the kernel has no Landlock: {doctor}"));
    }
    place.start()?;
    let inside = place.workspace().join("inside.txt");
    let prompts = |name: &str| {
        let outside = place.outside();
        let [written, made] = ["written", "made"].map(|how| outside.join(format!("{how}-{name}.txt")));
        // The text of the command does not show which file is written.
        let command = format!("sh -c 'echo x > \"$0\"' {}", json!(made));
        let prompts = [
            call("write", &json!({ "filePath": written, "content": "x\n" })),
            call("bash", &json!({ "command": command, "description": "x" })),
        ];
        (prompts, [written, made])
    };
    place.perform(&call("write", &json!({ "filePath": inside, "content": "x\n" })))?;
    if !inside.exists() {
        return Err(format!("a write in the workspace has no effect\n{}", place.describe()));
    }
    let (stopped, files) = prompts("confined");
    for prompt in &stopped {
        place.perform(prompt)?;
    }
    if let Some(file) = files.iter().find(|file| file.exists()) {
        return Err(format!("{} was written\n{}", file.display(), place.describe()));
    }
    if !place.model.has_seen("ermission denied") && !place.model.has_seen("EACCES") {
        return Err(format!("the sandbox was not asked\n{}", place.describe()));
    }
    place.stop()?;
    // The control: the same prompts, to opencode without the agent.
    let (written, files) = prompts("free");
    let steps: Vec<Value> =
        written.iter().map(|prompt| json!({ "prompt": prompt, "answer": "allow_once" })).collect();
    let mut opencode = programs.opencode.command("opencode");
    opencode.arg("acp");
    let found = place.session(&opencode, &json!({ "steps": steps }))?;
    if let Some(file) = files.iter().find(|file| !file.exists()) {
        return Err(format!("the control has no effect: {} was not written: {found}", file.display()));
    }
    Ok("two ways to write outside of the workspace are stopped; without the sandbox both write".to_owned())
}
