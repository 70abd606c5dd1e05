//! The rendered files of each client.

use minds_render::clients::Client;

use super::{findings, picture, previous_servers, render_first, servers};

const MCP: &str = include_str!("servers.yaml");

/// The same files with a byte order mark and CRLF line endings, generated here so that no tool changes them.
const VSCODE: &str = "\u{feff}{\r\n\t\"inputs\": [],\r\n\t\"servers\": {\r\n\t\t// mine\r\n\t\t\"mine\": \
    { \"type\": \"stdio\", \"command\": \"mine\", },\r\n\t\t\"gone\": { \"command\": \"gone\" },\r\n\t},\r\n}\r\n";

/// A client's file with foreign contents.
fn existing(client: Client) -> &'static str {
    match client {
        Client::ClaudeCode => include_str!("existing/claude-code.json"),
        Client::Codex => include_str!("existing/codex.toml"),
        Client::Gemini => include_str!("existing/gemini.jsonc"),
        Client::VsCode => VSCODE,
        Client::Cursor => include_str!("existing/cursor.json"),
        Client::OpenCode => include_str!("existing/opencode.jsonc"),
        Client::Copilot => include_str!("existing/copilot.json"),
        Client::Antigravity => include_str!("existing/antigravity.json"),
    }
}

#[test]
fn created_files() {
    for client in Client::ALL {
        let merged = render_first(client, MCP, None);
        let text = merged.text.clone().unwrap();
        let picture = format!("{text}\n=====\n\n{}", picture(findings(merged)));
        insta::assert_snapshot!(format!("created-{}", client.name()), picture);
    }
}

#[test]
fn existing_files() {
    for client in Client::ALL {
        let previous = previous_servers(client, &["gone", "notes"], existing(client));
        let render = |text: &str| minds_render::clients::render(client, &servers(MCP), &previous, Some(text));
        let merged = render(existing(client));
        let text = merged.text.clone().unwrap();
        let visible = text.replace('\r', "␍").replace('\u{feff}', "<mark>");
        insta::assert_snapshot!(format!("merged-{}", client.name()), visible);
        assert_eq!(
            render(&text).text.as_deref(),
            Some(text.as_str()),
            "{client:?}: a second time changes nothing"
        );
    }
}

#[test]
fn files_that_are_left() {
    let merged = render_first(Client::VsCode, MCP, Some("{\n  // mine\n  \"servers\": [\"ä\"]\n}\n"));
    let found = findings(merged).into_iter().filter(|found| found.rule.code == "render/unmergeable");
    insta::assert_snapshot!(picture(found.collect()));
}
