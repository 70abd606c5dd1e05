//! Files that are not changed.

use minds_render::clients::{Client, rules};

use super::{findings, names, render_first};

const MCP: &str = "version: 1\nservers:\n  s:\n    transport: stdio\n    command: run\n";

#[track_caller]
fn check_refused(client: Client, text: &str, reason: &str, line: u32, column: u32) {
    let merged = render_first(client, MCP, Some(text));
    assert_eq!(merged.text.as_deref(), Some(text), "{client:?}: {text}");
    assert!(merged.rendered.is_empty() && merged.replaced.is_empty());
    let found = findings(merged);
    assert_eq!(found.len(), 1, "{client:?}: {text}: {found:?}");
    assert_eq!(found[0].rule, &rules::UNMERGEABLE);
    assert!(found[0].message.contains(reason), "{client:?}: {text}: {}", found[0].message);
    let label = found[0].primary.as_ref().unwrap();
    assert_eq!(label.source.name(), client.file());
    let start = label.source.range(label.span).start;
    assert_eq!((start.line, start.column), (line, column), "{client:?}: {text}: {}", found[0].message);
}

#[track_caller]
fn check_accepted(client: Client, text: &str) {
    let merged = render_first(client, MCP, Some(text));
    assert_eq!(names(&merged), ["s"], "{client:?}: {text}: {:?}", merged.problems);
}

#[test]
fn comments_and_commas_are_accepted_if_the_client_accepts_them() {
    let commented = "{\n  // mine\n  \"a\": 1\n}\n";
    let comma = "{\n  \"a\": 1,\n}\n";
    check_refused(Client::ClaudeCode, commented, "comments are not allowed", 2, 3);
    check_refused(Client::ClaudeCode, comma, "trailing commas", 2, 9);
    check_refused(Client::Gemini, comma, "trailing commas", 2, 9);
    for client in [Client::Copilot, Client::Antigravity] {
        check_refused(client, commented, "comments are not allowed", 2, 3);
        check_refused(client, comma, "trailing commas", 2, 9);
        check_refused(client, "\u{feff}{}", "a byte order mark", 1, 1);
    }
    check_accepted(Client::Gemini, commented);
    for client in [Client::VsCode, Client::Cursor, Client::OpenCode] {
        check_accepted(client, commented);
        check_accepted(client, comma);
    }
}

#[test]
fn syntax_errors_are_refused() {
    for client in Client::ALL.into_iter().filter(|client| *client != Client::Codex) {
        check_refused(client, "{\n  \"a\": \n}\n", "", 3, 1);
        check_refused(client, "{} {}", "", 1, 4);
        check_refused(client, "{\"a\": 'b'}", "", 1, 7);
    }
    check_refused(Client::Codex, "a = 1\nb = [\n", "unclosed array", 2, 6);
    check_refused(Client::Codex, "a = 1\na = 2\n", "duplicate key", 2, 1);
    check_refused(Client::Codex, "[mcp_servers.x]\n[mcp_servers.x]\n", "duplicate key", 2, 14);
}

#[test]
fn json_that_the_client_rejects_is_refused() {
    for client in [Client::ClaudeCode, Client::Gemini, Client::OpenCode, Client::Copilot, Client::Antigravity]
    {
        check_refused(client, "{\"a\": \"x\ty\"}", "a control character in a string", 1, 9);
        check_refused(client, "{\n\u{a0}\"a\": 1}", "white space that JSON does not allow", 2, 1);
        check_refused(client, "{\"a\":\u{c}1}", "white space that JSON does not allow", 1, 6);
    }
    for client in Client::ALL.into_iter().filter(|client| *client != Client::Codex) {
        check_refused(client, "{\"a\": \"x\ny\"}", "a line break in a string", 1, 9);
    }
    // VS Code and Cursor accept more white space characters, and tabs in strings.
    for client in [Client::VsCode, Client::Cursor] {
        check_accepted(client, "{\n\u{a0}\"a\":\u{c}\"x\ty\"}");
    }
    check_refused(Client::Gemini, "\u{feff}{}", "a byte order mark", 1, 1);
    check_refused(Client::Gemini, "{ // a\u{a0}b\n}", "white space in a comment", 1, 7);
    for client in [Client::ClaudeCode, Client::VsCode, Client::Cursor, Client::OpenCode] {
        check_accepted(client, "\u{feff}{}");
    }
    check_accepted(Client::OpenCode, "{ // a\u{a0}b\n}");
}

#[test]
fn a_server_object_of_another_type_is_refused() {
    check_refused(Client::ClaudeCode, "[]", "the root is not an object", 1, 1);
    check_refused(Client::ClaudeCode, "{\n  \"mcpServers\": []\n}", "`mcpServers` is not an object", 2, 17);
    check_refused(Client::VsCode, "{\"servers\": null}", "`servers` is not an object", 1, 13);
    check_refused(Client::OpenCode, "{\"mcp\": true}", "`mcp` is not an object", 1, 9);
    check_refused(Client::Codex, "x = 1\nmcp_servers = 1\n", "`mcp_servers` is not a table", 2, 1);
    check_refused(Client::Codex, "[[mcp_servers]]\n", "`mcp_servers` is not a table", 1, 3);
    // Tables cannot be added to these.
    check_refused(Client::Codex, "mcp_servers = {}\n", "is not written as a table", 1, 1);
    check_refused(Client::Codex, "mcp_servers.x.command = 'y'\n", "is not written as a table", 1, 1);
    check_refused(
        Client::Codex,
        "[mcp_servers]\ns = {command = 'y'}\n",
        "`mcp_servers.s` is not written as a separate table",
        2,
        1,
    );
    check_refused(Client::Codex, "[mcp_servers]\ns.command = 'y'\n", "not written as a separate table", 2, 1);
}

#[test]
fn duplicate_keys_are_refused() {
    check_refused(
        Client::ClaudeCode,
        "{\"mcpServers\": {},\n \"mcpServers\": {}}",
        "the key `mcpServers` exists twice",
        2,
        2,
    );
    check_refused(
        Client::Cursor,
        "{\"mcpServers\": {\n\"s\": 1, \"\\u0073\": 2}}",
        "the key `s` exists twice",
        2,
        9,
    );
    // Foreign duplicates are ignored.
    check_accepted(Client::Cursor, "{\"mcpServers\": {\"x\": 1, \"x\": 2}, \"y\": 1, \"y\": 2}");
}

#[test]
fn positions_include_the_byte_order_mark() {
    check_refused(Client::VsCode, "\u{feff}{\n\"servers\": 1}", "not an object", 2, 12);
    check_refused(Client::Codex, "\u{feff}x = 1\nmcp_servers = 1", "not a table", 2, 1);
}

#[test]
fn an_unchanged_table_in_another_notation_is_kept() {
    for text in [
        "[mcp_servers]\ns = {command = 'run'}\n",
        "mcp_servers.s.command = 'run'\n",
        "mcp_servers = {s = {command = 'run'}}",
    ] {
        let merged = render_first(Client::Codex, MCP, Some(text));
        assert_eq!(merged.text.as_deref(), Some(text));
        assert_eq!(names(&merged), ["s"]);
    }
}

#[test]
fn a_second_byte_order_mark_is_refused() {
    for client in Client::ALL {
        let text = if client == Client::Codex { "\u{feff}\u{feff}a = 1\n" } else { "\u{feff}\u{feff}{}" };
        let merged = render_first(client, MCP, Some(text));
        assert_eq!(merged.text.as_deref(), Some(text), "{client:?}");
        let found = findings(merged);
        assert_eq!(found.iter().map(|found| found.rule.code).collect::<Vec<_>>(), [rules::UNMERGEABLE.code]);
    }
}
