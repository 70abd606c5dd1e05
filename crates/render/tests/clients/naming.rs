//! Names of servers, variables, headers and tools that cannot be written as they are.

use minds_render::clients::{Client, rules};

use super::{findings, names, rendered};

fn program(name: &str, lines: &str) -> String {
    format!("version: 1\nservers:\n  \"{name}\":\n    transport: stdio\n    command: run\n{lines}")
}

fn address(lines: &str) -> String {
    format!(
        "version: 1\nservers:\n  s:\n    transport: streamable_http\n    url: https://h.example/mcp\n{lines}"
    )
}

/// Checks which clients are told of the server; for the others there is a warning with the reason and what follows.
#[track_caller]
fn told(mcp: &str, clients: &[Client], why: &str) {
    for client in Client::ALL {
        let merged = rendered(client, mcp, None);
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
        assert_eq!(label.message, "so the server is left out");
    }
}

#[test]
fn a_name_that_a_client_keeps_for_itself_is_left_out_there() {
    let others: Vec<Client> =
        Client::ALL.into_iter().filter(|client| *client != Client::ClaudeCode).collect();
    for name in ["workspace", "claude-in-chrome", "computer-use", "Claude_Preview", "Claude_Browser"] {
        told(&program(name, ""), &others, "keeps the name for itself");
    }
    for name in ["workspaces", "Workspace", "claude"] {
        told(&program(name, ""), &Client::ALL, "");
    }
}

#[test]
fn a_name_that_javascript_skips_is_left_out_of_json() {
    let why = "skips what is called `__proto__`";
    told(&program("__proto__", ""), &[Client::Codex], why);
    told(&program("s", "    env: {__proto__: x}\n"), &[Client::Codex], why);
    told(&address("    headers: {__proto__: x}\n"), &[Client::Codex], why);
    told(&program("s", "    env: {__proto: x, constructor: y}\n"), &Client::ALL, "");
}

#[test]
fn a_name_of_a_variable_that_would_be_replaced_is_left_out() {
    let others: Vec<Client> = Client::ALL.into_iter().filter(|client| *client != Client::VsCode).collect();
    told(&program("s", "    env: {'K${HOME}': x}\n"), &others, "VS Code would replace a part of the name");
    told(&program("s", "    env: {K$HOME: x}\n"), &Client::ALL, "");
    let others: Vec<Client> = others.into_iter().filter(|client| *client != Client::OpenCode).collect();
    told(&program("s", "    env: {'K${env:HOME}': x}\n"), &others, "would replace a part of the name");
}

/// Nothing is written that holds a secret, wherever it stands and whatever a comment allows.
#[test]
fn a_secret_in_a_name_or_a_list_stops_everything() {
    let key = ["ghp_", "7h3Kq9Zr2mXw5Tb8Vn4Lp6JdQ1sYfGc0HaRe"].concat();
    let allowed = "# minds: allow(secret/token) a sandbox";
    let lists = [Client::Codex, Client::Gemini];
    for (mcp, clients) in [
        (program(&key, ""), &Client::ALL[..]),
        (program("s", &format!("    env: {{{key}: x}} {allowed}\n")), &Client::ALL),
        (address(&format!("    headers:\n      {key}: x {allowed}\n")), &Client::ALL),
        (program("s", &format!("    tools:\n      whitelist:\n        - {key} {allowed}\n")), &lists),
        (program("s", &format!("    tools: {{blacklist: [a, {key}]}} {allowed}\n")), &lists),
    ] {
        for client in Client::ALL {
            let merged = rendered(client, &mcp, None);
            assert_eq!(merged.problems.has_errors(), clients.contains(&client), "{client:?}: {mcp}");
            assert!(!merged.text.unwrap_or_default().contains(&key), "{client:?}: {mcp}");
        }
    }
}
