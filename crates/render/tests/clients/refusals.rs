//! Files that are left as they are.

use minds_render::clients::{Client, rules};

use super::{findings, names, rendered};

const MCP: &str = "version: 1\nservers:\n  s:\n    transport: stdio\n    command: run\n";

#[track_caller]
fn refused(client: Client, text: &str, reason: &str, line: u32, column: u32) {
    let merged = rendered(client, MCP, Some(text));
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
fn taken(client: Client, text: &str) {
    let merged = rendered(client, MCP, Some(text));
    assert_eq!(names(&merged), ["s"], "{client:?}: {text}: {:?}", merged.problems);
}

#[test]
fn comments_and_commas_are_taken_where_the_client_takes_them() {
    let commented = "{\n  // mine\n  \"a\": 1\n}\n";
    let comma = "{\n  \"a\": 1,\n}\n";
    refused(Client::ClaudeCode, commented, "comments are not allowed", 2, 3);
    refused(Client::ClaudeCode, comma, "trailing commas", 2, 9);
    refused(Client::Gemini, comma, "trailing commas", 2, 9);
    taken(Client::Gemini, commented);
    for client in [Client::VsCode, Client::Cursor, Client::OpenCode] {
        taken(client, commented);
        taken(client, comma);
    }
}

#[test]
fn what_cannot_be_parsed_is_refused() {
    for client in Client::ALL.into_iter().filter(|client| *client != Client::Codex) {
        refused(client, "{\n  \"a\": \n}\n", "", 3, 1);
        refused(client, "{} {}", "", 1, 4);
        refused(client, "{\"a\": 'b'}", "", 1, 7);
    }
    refused(Client::Codex, "a = 1\nb = [\n", "unclosed array", 2, 6);
    refused(Client::Codex, "a = 1\na = 2\n", "duplicate key", 2, 1);
    refused(Client::Codex, "[mcp_servers.x]\n[mcp_servers.x]\n", "duplicate key", 2, 14);
}

#[test]
fn what_no_json_parser_of_the_client_takes_is_refused() {
    for client in [Client::ClaudeCode, Client::Gemini, Client::OpenCode] {
        refused(client, "{\"a\": \"x\ty\"}", "a control character in a string", 1, 9);
        refused(client, "{\n\u{a0}\"a\": 1}", "white space that JSON does not allow", 2, 1);
        refused(client, "{\"a\":\u{c}1}", "white space that JSON does not allow", 1, 6);
    }
    for client in Client::ALL.into_iter().filter(|client| *client != Client::Codex) {
        refused(client, "{\"a\": \"x\ny\"}", "a line break in a string", 1, 9);
    }
    // VS Code, of which Cursor is made, has more white space, and takes a text with a tab in it.
    for client in [Client::VsCode, Client::Cursor] {
        taken(client, "{\n\u{a0}\"a\":\u{c}\"x\ty\"}");
    }
    refused(Client::Gemini, "\u{feff}{}", "no byte order mark", 1, 1);
    refused(Client::Gemini, "{ // a\u{a0}b\n}", "white space in a comment", 1, 7);
    for client in [Client::ClaudeCode, Client::VsCode, Client::Cursor, Client::OpenCode] {
        taken(client, "\u{feff}{}");
    }
    taken(Client::OpenCode, "{ // a\u{a0}b\n}");
}

#[test]
fn a_place_of_another_type_is_refused() {
    refused(Client::ClaudeCode, "[]", "the text is no object", 1, 1);
    refused(Client::ClaudeCode, "{\n  \"mcpServers\": []\n}", "`mcpServers` is no object", 2, 17);
    refused(Client::VsCode, "{\"servers\": null}", "`servers` is no object", 1, 13);
    refused(Client::OpenCode, "{\"mcp\": true}", "`mcp` is no object", 1, 9);
    refused(Client::Codex, "x = 1\nmcp_servers = 1\n", "`mcp_servers` is no table", 2, 1);
    refused(Client::Codex, "[[mcp_servers]]\n", "`mcp_servers` is no table", 1, 3);
    // Tables cannot be put below these.
    refused(Client::Codex, "mcp_servers = {}\n", "is not written as a table", 1, 1);
    refused(Client::Codex, "mcp_servers.x.command = 'y'\n", "is not written as a table", 1, 1);
    refused(
        Client::Codex,
        "[mcp_servers]\ns = {command = 'y'}\n",
        "`mcp_servers.s` is not written as a table of its own",
        2,
        1,
    );
    refused(Client::Codex, "[mcp_servers]\ns.command = 'y'\n", "not written as a table of its own", 2, 1);
}

#[test]
fn a_key_that_is_there_twice_is_refused() {
    refused(
        Client::ClaudeCode,
        "{\"mcpServers\": {},\n \"mcpServers\": {}}",
        "`mcpServers` is there twice",
        2,
        2,
    );
    refused(Client::Cursor, "{\"mcpServers\": {\n\"s\": 1, \"\\u0073\": 2}}", "`s` is there twice", 2, 9);
    // Those of others are their own affair.
    taken(Client::Cursor, "{\"mcpServers\": {\"x\": 1, \"x\": 2}, \"y\": 1, \"y\": 2}");
}

#[test]
fn places_are_those_of_the_whole_text() {
    refused(Client::VsCode, "\u{feff}{\n\"servers\": 1}", "no object", 2, 12);
    refused(Client::Codex, "\u{feff}x = 1\nmcp_servers = 1", "no table", 2, 1);
}

#[test]
fn a_table_in_another_way_may_stay_as_it_is() {
    for text in [
        "[mcp_servers]\ns = {command = 'run'}\n",
        "mcp_servers.s.command = 'run'\n",
        "mcp_servers = {s = {command = 'run'}}",
    ] {
        let merged = rendered(Client::Codex, MCP, Some(text));
        assert_eq!(merged.text.as_deref(), Some(text));
        assert_eq!(names(&merged), ["s"]);
    }
}

#[test]
fn a_second_byte_order_mark_is_refused() {
    for client in Client::ALL {
        let text = if client == Client::Codex { "\u{feff}\u{feff}a = 1\n" } else { "\u{feff}\u{feff}{}" };
        let merged = rendered(client, MCP, Some(text));
        assert_eq!(merged.text.as_deref(), Some(text), "{client:?}");
        let found = findings(merged);
        assert_eq!(found.iter().map(|found| found.rule.code).collect::<Vec<_>>(), [rules::UNMERGEABLE.code]);
    }
}
