//! Names of servers, variables, headers and tools that cannot be written unchanged.

use minds_render::clients::{Client, rules};

use super::{findings, names, render_first};

fn program(name: &str, lines: &str) -> String {
    format!("version: 1\nservers:\n  \"{name}\":\n    transport: stdio\n    command: run\n{lines}")
}

fn address(lines: &str) -> String {
    format!(
        "version: 1\nservers:\n  s:\n    transport: streamable_http\n    url: https://h.example/mcp\n{lines}"
    )
}

/// Checks which clients get the server. For the remaining clients there must be a warning with the reason.
#[track_caller]
fn check_clients(mcp: &str, clients: &[Client], why: &str) {
    for client in Client::ALL {
        let merged = render_first(client, mcp, None);
        let is_told = !names(&merged).is_empty();
        assert_eq!(is_told, clients.contains(&client), "{client:?}: {mcp}");
        let found = findings(merged);
        if is_told {
            assert!(found.is_empty(), "{client:?}: {found:?}");
            continue;
        }
        assert_eq!(found.len(), 1, "{client:?}: {found:?}");
        assert_eq!(found[0].rule, &rules::CANNOT_EXPRESS);
        assert!(found[0].notes.iter().any(|note| note.contains(why)), "{client:?}: {:?}", found[0].notes);
        let label = found[0].primary.as_ref().unwrap();
        assert_eq!(label.message, "the server is left out");
    }
}

#[test]
fn a_reserved_server_name_is_left_out() {
    let supporting: Vec<Client> =
        Client::ALL.into_iter().filter(|client| *client != Client::ClaudeCode).collect();
    for name in ["workspace", "claude-in-chrome", "computer-use", "Claude_Preview", "Claude_Browser"] {
        check_clients(&program(name, ""), &supporting, "reserves the name");
    }
    for name in ["workspaces", "Workspace", "claude"] {
        check_clients(&program(name, ""), &Client::ALL, "");
    }
}

#[test]
fn a_proto_key_is_left_out_of_json() {
    let why = "ignore a key `__proto__`";
    let supporting = [Client::Codex, Client::Antigravity];
    check_clients(&program("__proto__", ""), &supporting, why);
    check_clients(&program("s", "    env: {__proto__: x}\n"), &supporting, why);
    check_clients(&address("    headers: {__proto__: x}\n"), &supporting, why);
    check_clients(&program("s", "    env: {__proto: x, constructor: y}\n"), &Client::ALL, "");
}

#[test]
fn a_variable_name_that_would_be_expanded_is_left_out() {
    let supporting: Vec<Client> =
        Client::ALL.into_iter().filter(|client| *client != Client::VsCode).collect();
    check_clients(
        &program("s", "    env: {'K${HOME}': x}\n"),
        &supporting,
        "VS Code would replace a part of the name",
    );
    check_clients(&program("s", "    env: {K$HOME: x}\n"), &Client::ALL, "");
    let supporting: Vec<Client> =
        supporting.into_iter().filter(|client| *client != Client::OpenCode).collect();
    check_clients(
        &program("s", "    env: {'K${env:HOME}': x}\n"),
        &supporting,
        "would replace a part of the name",
    );
}

/// Secrets are never written, even if the finding is suppressed.
#[test]
fn a_secret_in_a_name_or_a_list_prevents_rendering() {
    let key = ["ghp_", "7h3Kq9Zr2mXw5Tb8Vn4Lp6JdQ1sYfGc0HaRe"].concat();
    let allowed = "# minds: allow(secret/token) a sandbox";
    let whitelists = [Client::Codex, Client::Gemini, Client::Copilot];
    let blacklists = [Client::Codex, Client::Gemini, Client::Antigravity];
    for (mcp, clients) in [
        (program(&key, ""), &Client::ALL[..]),
        (program("s", &format!("    env: {{{key}: x}} {allowed}\n")), &Client::ALL),
        (address(&format!("    headers:\n      {key}: x {allowed}\n")), &Client::ALL),
        (program("s", &format!("    tools:\n      whitelist:\n        - {key} {allowed}\n")), &whitelists),
        (program("s", &format!("    tools: {{blacklist: [a, {key}]}} {allowed}\n")), &blacklists),
    ] {
        for client in Client::ALL {
            let merged = render_first(client, &mcp, None);
            assert_eq!(merged.problems.has_errors(), clients.contains(&client), "{client:?}: {mcp}");
            assert!(!merged.text.unwrap_or_default().contains(&key), "{client:?}: {mcp}");
        }
    }
}
