//! No command prints the value of a key for a secret.

use crate::support;

use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use support::{command, exit_and_output};

use crate::mcp::offers::uris;
use crate::mcp::session::Workspace;

/// The value that must never be printed; its form is not that of a secret.
const CANARY: &str = "hunter2-zyzzy";

fn write(folder: &Path, path: &str, text: &str) {
    let path = folder.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, text.replace("CANARY", CANARY)).unwrap();
}

/// Runs a command, and asserts that it prints no secrets. Returns its output.
#[track_caller]
fn run(folder: &Path, args: &[&str]) -> String {
    let mut command = command(folder, args);
    command.env("HOME", folder.join("home")).env("MINDS_HOME", folder.join("home/.minds-home"));
    let (_, stdout, stderr) = exit_and_output(&command.output().expect("the command starts"));
    let shown = stdout + &stderr;
    assert!(!shown.contains("zyzzy"), "{args:?} shows it: {}", shown.get(..600).unwrap_or(&shown));
    assert!(!shown.is_empty(), "{args:?}");
    shown
}

#[test]
fn a_team_shows_no_value_of_a_key_that_names_a_secret() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    write(folder, ".minds/minds.toml", "password = \"CANARY\"\n[secret]\nx = \"CANARY\"\n");
    write(
        folder,
        ".minds/team.yaml",
        "member_defaults: {provider: a, model: m}\nmembers:\n    coder:\n        apiKey: CANARY\n        model_params: {api_key: CANARY, \
         nested: {bearerToken: CANARY, password: zyzzy5}}\n        hidden: no\n",
    );
    write(
        folder,
        ".minds/llm.yaml",
        "providers:\n  a:\n    apiType: openai\n    apiKey: CANARY\n    baseUrl: https://ann:CANARY@h/?token=CANARY\n    \
         headers:\n      X-Api-Key: CANARY\n    apiKeyEnvVar: 'CANARY'\n    models: [m]\n",
    );
    write(
        folder,
        ".minds/mcp.yaml",
        "version: 1\nservers:\n  s:\n    transport: stdio\n    command: run\n    args: [--password, CANARY, --token=CANARY]\n    \
         env: {DB_PASSWORD: CANARY, API_KEY: [CANARY]}\n    clientSecret:\n      - CANARY\n  t:\n    transport: http\n    url: \
         https://h/?api_key=CANARY\n    headers: {Authorization: Bearer CANARY}\n",
    );
    for format in ["human", "concise", "json", "sarif", "github"] {
        let shown = run(folder, &["check", "--format", format]);
        assert!(shown.contains("apiKey"), "{shown}");
        run(folder, &["check", "--color", "always", "--format", format]);
    }
    for args in [
        ["check", "--fix", "--diff"].as_slice(),
        &["render", "--target", "mcp:cursor", "--diff"],
        &["render", "--target", "mcp:codex", "--diff"],
        &["fmt", "--diff"],
        &["fmt", "--check"],
        &["team", "show"],
        &["team", "show", "--format", "json"],
        &["render", "--client", "cursor"],
        &["render", "--client", "codex"],
        &["problems"],
        &["access", "matrix"],
        &["manual"],
    ] {
        run(folder, args);
    }
}

#[test]
fn a_fleet_shows_no_value_of_a_key_that_names_a_secret() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    write(
        folder,
        ".ateam/models.yaml",
        "models:\n  small:\n    provider: openai\n    model_settings:\n      api_key: CANARY\n      max_tokens: 77\n      extra:\n        \
         headers: {Authorization: Bearer CANARY, x-token: zyzzy}\n        list: [{clientSecret: CANARY}]\n",
    );
    write(folder, ".ateam/agents/zeus/agent.yaml", "name: zeus\nmodel: small\nprompt: {base: base.md}\n");
    write(folder, ".ateam/agents/zeus/base.md", "You are Zeus.\n");
    write(
        folder,
        ".ateam/tools.yaml",
        "mcp: {kind: redis, url: 'redis://ann:CANARY@h/?password=CANARY', username: ann, password: CANARY}\n",
    );
    let shown = run(folder, &["fleet", "show"]);
    assert!(shown.contains("77") && shown.contains("api_key"), "{shown}");
    for args in [
        ["fleet", "show", "--format", "json"].as_slice(),
        &["check"],
        &["check", "--format", "json"],
        &["fmt", "--diff"],
    ] {
        run(folder, args);
    }
}

#[test]
fn sources_show_no_secret_of_their_addresses() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    write(folder, "home/x", "");
    write(
        folder,
        "src/mind.toml",
        "password = \"CANARY\"\n[[discover.sources]]\nsource = \"https://ann:CANARY@127.0.0.1:1/o/r?token=CANARY\"\n",
    );
    write(folder, "src/skills/s/SKILL.md", "---\nname: s\ndescription: d\napi_key: CANARY\n---\nBody.\n");
    for json in [[].as_slice(), &["--json"]] {
        for args in [
            ["meld", "https://ann:CANARY@127.0.0.1:1/o/r", "--yes"].as_slice(),
            &["meld", "https://127.0.0.1:1/o/r?token=CANARY", "--yes"],
            &["meld", "./src", "--yes"],
            &["review", "./src"],
            &["probe"],
            &["recall"],
            &["sync", "--yes"],
            &["upgrade", "--yes"],
            &["introspect"],
        ] {
            let args: Vec<String> =
                args.iter().chain(json).map(|arg| arg.replace("CANARY", CANARY)).collect();
            run(folder, &args.iter().map(String::as_str).collect::<Vec<_>>());
        }
    }
}

/// The files of a team that agents receive, except the exact text of readable files.
const TEAM_FILES: [(&str, &str); 4] = [
    (
        ".minds/team.yaml",
        "member_defaults: {provider: a, model: m}\nmembers:\n  coder:\n    toolsets: [ws_read, ws_mod, team-mgmt]\n    apiKey: CANARY\n    \
         no_read_dirs: [closed, 'token=CANARY']\n    write_dirs: ['password: CANARY']\n    gofor: ['token: CANARY']\n",
    ),
    (
        ".minds/llm.yaml",
        "providers:\n  a:\n    apiType: openai\n    apiKey: CANARY\n    baseUrl: https://ann:CANARY@h/?token=CANARY\n    models: [m]\n",
    ),
    (
        ".minds/mcp.yaml",
        "version: 1\nservers:\n  s:\n    transport: stdio\n    command: run\n    env:\n      - name: API_KEY\n        value: CANARY\n",
    ),
    (".minds/team/coder/persona.md", "---\napi_key: CANARY\n---\nYou code. The password: CANARY.\n"),
];

#[test]
fn tools_show_no_value_of_a_key_that_names_a_secret() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    for (path, text) in TEAM_FILES {
        write(folder, path, text);
    }
    for (tool, args) in [
        ("team_mgmt_validate_team_cfg", "{}"),
        ("team_mgmt_validate_llm_cfg", "{}"),
        ("team_mgmt_validate_mcp_cfg", "{}"),
        ("team_mgmt_manual", "{\"topics\": [\"llm\"]}"),
        ("team_mgmt_list_dir", "{}"),
        ("access_explain", "{\"path\": \"closed/x\", \"operation\": \"read\"}"),
        ("access_explain", "{\"path\": \"x\", \"operation\": \"write\"}"),
        ("read_file", "{\"path\": \"closed/x\"}"),
        ("create_new_file", "{\"path\": \"x\", \"content\": \"\"}"),
    ] {
        run(folder, &["tool", "call", tool, "--args", args, "--as", "coder"]);
    }
}

/// Instructions, resources and prompts are built from the same files.
#[test]
fn an_mcp_server_shows_no_value_of_a_key_that_names_a_secret() {
    let workspace = Workspace::new(&[]);
    for (path, text) in TEAM_FILES {
        workspace.write(path, &text.replace("CANARY", CANARY));
    }
    for args in [&[][..], &["--member", "coder"], &["--member", "coder", "--toolset", "ws_read"]] {
        let mut session = workspace.session(args);
        let mut shown = vec![("instructions".to_owned(), session.instructions.clone())];
        for method in ["tools/list", "resources/list", "resources/templates/list", "prompts/list"] {
            shown.push((method.to_owned(), session.ask(method, json!({})).to_string()));
        }
        for uri in uris(&mut session) {
            let text = session.resource(&uri);
            shown.push((uri, text));
        }
        let prompts = session.ask("prompts/list", json!({}));
        for prompt in prompts["prompts"].as_array().unwrap() {
            let values = prompt["arguments"]
                .as_array()
                .into_iter()
                .flatten()
                .map(|argument| (argument["name"].as_str().unwrap().to_owned(), Value::from("coder")));
            let params =
                json!({"name": prompt["name"], "arguments": values.collect::<serde_json::Map<_, _>>()});
            shown.push((prompt["name"].to_string(), session.ask("prompts/get", params).to_string()));
        }
        for (what, text) in &shown {
            assert!(!text.contains("zyzzy"), "{args:?}: {what} shows it: {text}");
        }
        // The persona is given, so what is redacted would be visible.
        let redacted = shown.iter().filter(|(_, text)| text.contains("***")).count();
        assert!(redacted >= 2, "{args:?}: {redacted}");
    }
}

#[test]
fn a_compose_root_shows_no_value_of_a_key_that_names_a_secret() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    write(folder, "team-compose.yaml", "version: 2\napiKey: CANARY\nprojects: [{file: shop.yaml}]\n");
    write(
        folder,
        "shop.yaml",
        "version: 2\nproject: {id: shop, name: Shop, cwd: .}\nmanagers:\n  lead:\n    runtime: claude-code\n    model: token=CANARY\n    \
         interfaces:\n      telegram: {bot_token: CANARY, config: {password: CANARY, list: [{name: API_KEY, value: CANARY}]}}\n",
    );
    for args in [
        ["compose", "show"].as_slice(),
        &["compose", "show", "--format", "json"],
        &["check"],
        &["check", "--format", "json"],
        &["render", "--diff"],
        &["fmt", "--diff"],
    ] {
        run(folder, args);
    }
}

#[test]
fn an_invalid_argument_is_reported_without_its_secret() {
    let folder = tempfile::tempdir().unwrap();
    run(folder.path(), &["check", &format!("--password={CANARY}")]);
    run(folder.path(), &["check", &format!("--password={CANARY}"), "--json"]);
}
