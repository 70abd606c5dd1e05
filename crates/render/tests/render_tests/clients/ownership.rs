//! Which entries of a file are managed.

use minds_render::clients::{Client, MergedFile, ServerEntry, Setting, SettingValue, WithPlace, render};
use minds_vfs::ContentHash;

use super::{findings, names, previous_servers, render_first, servers};

const MCP: &str = "version: 1\nservers:\n  s:\n    transport: stdio\n    command: run\n";
const NONE: &str = "version: 1\nservers: {}\n";

fn render_again(client: Client, mcp: &str, previous: &[&str], existing: &str) -> MergedFile {
    render(client, &servers(mcp), &previous_servers(client, previous, existing), Some(existing))
}

#[track_caller]
fn becomes(merged: MergedFile, text: &str) -> Vec<String> {
    assert_eq!(merged.text.as_deref(), Some(text));
    assert!(merged.problems.is_empty());
    merged.replaced
}

#[test]
fn without_servers_there_is_no_file() {
    for client in Client::ALL {
        let merged = render_first(client, NONE, None);
        assert!(merged.text.is_none() && merged.rendered.is_empty(), "{client:?}");
        assert_eq!(render_first(client, NONE, Some("")).text.as_deref(), Some(""), "{client:?}");
    }
}

#[test]
fn obsolete_servers_are_removed() {
    let json = "{\n  \"mcpServers\": {\n    \"mine\": {},\n    \"s\": {\n      \"command\": \"run\"\n    }\n  }\n}\n";
    let without = "{\n  \"mcpServers\": {\n    \"mine\": {}\n  }\n}\n";
    assert!(becomes(render_again(Client::Cursor, NONE, &["s"], json), without).is_empty());
    assert!(becomes(render_again(Client::Cursor, NONE, &[], json), json).is_empty());
    assert!(becomes(render_again(Client::Cursor, NONE, &["s"], without), without).is_empty());

    let toml =
        "a = 1\n\n[mcp_servers.s]\ncommand = 'x' # mine\n\n[mcp_servers.s.tools.t]\nx = 1\n\n# of b\n[b]\n";
    assert!(becomes(render_again(Client::Codex, NONE, &["s"], toml), "a = 1\n\n# of b\n[b]\n").is_empty());
}

#[test]
fn replaced_foreign_entries_are_reported() {
    let json = "{\"mcpServers\": {\"s\": {\"command\": \"other\"}}}";
    let new = "{\"mcpServers\": {\"s\": {\n  \"command\": \"run\"\n}}}";
    assert_eq!(becomes(render_again(Client::Cursor, MCP, &[], json), new), ["s"]);
    assert!(becomes(render_again(Client::Cursor, MCP, &["s"], json), new).is_empty());
    let off = format!("{MCP}    enabled: false\n");
    assert_eq!(becomes(render_again(Client::Cursor, &off, &[], json), "{\"mcpServers\": {}}"), ["s"]);

    let toml = "[mcp_servers.s]\ncommand = 'other'\nstartup_timeout_sec = 9\n";
    let new = "[mcp_servers.s]\ncommand = \"run\"\n";
    assert_eq!(becomes(render_again(Client::Codex, MCP, &[], toml), new), ["s"]);
}

#[test]
fn an_equivalent_entry_is_kept_byte_for_byte() {
    for (client, text) in [
        (Client::Cursor, "{\"mcpServers\": {\"s\": { /* mine */ \"comm\\u0061nd\": \"run\" }}}"),
        (Client::VsCode, "{\"servers\": {\"s\": {\"command\": \"run\", \"type\": \"stdio\",}}}"),
        (Client::Codex, "[ mcp_servers . 's' ] # mine\r\ncommand = '''run'''\n"),
    ] {
        assert!(becomes(render_again(client, MCP, &[], text), text).is_empty(), "{client:?}");
    }
}

/// The hashes are stored in manifests, which other versions of this program read.
#[test]
fn our_servers_are_recognized_by_recorded_hashes() {
    let hash = |client, text: &str| {
        let found = minds_render::clients::find_servers(client, text, &["s"]).unwrap();
        found[0].hash.to_string()
    };
    let toml = "[mcp_servers.s]\nz = [1, true, 1979-05-27]\n\"a b\" = 'x'\n[mcp_servers.s.env]\nA = 1.5\n";
    assert_eq!(
        hash(Client::Codex, toml),
        ContentHash::of(b"{\"a b\"=\"x\",\"env\"={\"A\"=1.5,},\"z\"=[1,true,1979-05-27,],}").to_string()
    );
    assert_eq!(hash(Client::Codex, &format!("\u{feff}{toml}")), hash(Client::Codex, toml));
    let json = "{\"mcpServers\": {\"s\": {\"z\": [1, null], \"a\": {\"\\u0062\": \"x\"}}}}";
    assert_eq!(
        hash(Client::Cursor, json),
        ContentHash::of(b"{\"a\":{\"b\":\"x\",},\"z\":[1,null,],}").to_string()
    );
}

/// For opencode, equal JSON values can be a reference or an escaped string.
#[test]
fn an_escaped_reference_is_not_a_reference() {
    let mcp = |value: &str| format!("{MCP}    env: {{K: {value}}}\n");
    let text = render_first(Client::OpenCode, &mcp("'{env:X}'"), None).text.unwrap();
    assert!(text.contains("\"\\u007benv:X}\""), "{text}");
    let reference = render_again(Client::OpenCode, &mcp("{env: X}"), &["s"], &text).text.unwrap();
    assert!(reference.contains("\"{env:X}\""), "{reference}");
    assert_eq!(render_again(Client::OpenCode, &mcp("'{env:X}'"), &["s"], &reference).text, Some(text));
    // Neither is the text in front of it.
    let address = "version: 1\nservers:\n  s:\n    transport: streamable_http\n    url: http://h.example\n    headers: {K: \
                   {env: X, prefix: '{file:a}'}}\n";
    let text = render_first(Client::OpenCode, address, None).text.unwrap();
    assert!(text.contains("\"\\u007bfile:a}{env:X}\""), "{text}");
}

#[test]
fn line_endings_are_kept() {
    let json = "{\r\n\t\"servers\": {\r\n\t\t\"mine\": 1\r\n\t}\r\n}";
    let new = "{\r\n\t\"servers\": {\r\n\t\t\"mine\": 1,\r\n\t\t\"s\": {\r\n\t\t\t\"type\": \"stdio\",\r\n\t\t\t\"command\": \"run\"\r\n\t\t}\r\n\t}\r\n}";
    becomes(render_again(Client::VsCode, MCP, &[], json), new);
    let toml = "\u{feff}a = 1\r\n";
    becomes(
        render_again(Client::Codex, MCP, &[], toml),
        "\u{feff}a = 1\r\n\r\n[mcp_servers.s]\r\ncommand = \"run\"\r\n",
    );
    // The last line still has no line break.
    becomes(render_again(Client::Codex, MCP, &[], "a = 1"), "a = 1\n\n[mcp_servers.s]\ncommand = \"run\"");
    becomes(
        render_again(Client::Codex, MCP, &["s"], "[mcp_servers.s]\r\ncommand = 'x'\r\n[b]\r\n"),
        "[mcp_servers.s]\r\ncommand = \"run\"\r\n[b]\r\n",
    );
}

#[test]
fn a_table_is_replaced_in_place_and_removed_completely() {
    let scattered = "[mcp_servers.s.env]\nA = '1'\n\n[b]\n\n[mcp_servers.s]\ncommand = 'x'\n";
    becomes(
        render_again(Client::Codex, MCP, &["s"], scattered),
        "[mcp_servers.s]\ncommand = \"run\"\n\n[b]\n",
    );
    let dotted = "[mcp_servers.s]\ncommand = 'x'\nenv.A = \"\"\"\n1\n\"\"\"\n[b]\n";
    becomes(render_again(Client::Codex, MCP, &["s"], dotted), "[mcp_servers.s]\ncommand = \"run\"\n[b]\n");
    let indented = "a = 1\n\n \t[mcp_servers.s]\n  command = 'x'\n[b]\n";
    becomes(render_again(Client::Codex, NONE, &["s"], indented), "a = 1\n[b]\n");
}

#[test]
fn a_header_inside_a_string_is_not_a_header() {
    let toml = "x = '''\n[mcp_servers.s]\ncommand = \"text\"\n'''\n[[mcp_servers.mine.list]]\n\n[mcp_servers.s]\nargs = [\n  \"# no\", # yes\n  \"[b]\",\n] # behind\n# between\n\n[\"b\"]\n";
    let new = toml.replace("args = [\n  \"# no\", # yes\n  \"[b]\",\n] # behind\n", "command = \"run\"\n");
    becomes(render_again(Client::Codex, MCP, &["s"], toml), &new);
}

#[test]
fn a_secret_prevents_rendering() {
    let key = ["sk-7h3Kq9Zr2mXw5", "Tb8Vn4Lp6Jd"].concat();
    for lines in [
        format!("command: run\n    args: [--key, '{key}']"),
        format!("command: run\n    env: {{K: '{key}'}}"),
        format!("command: 'run --key={key}'"),
    ] {
        let mcp = format!(
            "version: 1\nservers:\n  a:\n    transport: stdio\n    command: a\n  s:\n    transport: stdio\n    {lines}\n"
        );
        for client in Client::ALL {
            let merged = render_first(client, &mcp, None);
            assert!(merged.text.is_none() && merged.rendered.is_empty(), "{client:?}: {lines}");
            let found = findings(merged);
            assert_eq!(
                found.iter().map(|found| found.rule.code).collect::<Vec<_>>(),
                ["render/literal-secret"]
            );
            let shown = format!("{}{:?}{:?}", found[0].message, found[0].notes, found[0].help);
            assert!(!shown.contains(&key));
        }
    }
    for lines in [
        "headers: {Authorization: Bearer 9f8e7d6c5b4a39281706f5e4d3c2b1a0}",
        "headers: {x: 'https://u:pa55w0rd@h.example'}",
    ] {
        let mcp = format!(
            "version: 1\nservers:\n  s:\n    transport: streamable_http\n    url: http://h.example\n    {lines}\n"
        );
        assert!(render_first(Client::Gemini, &mcp, None).problems.has_errors(), "{lines}");
    }
}

/// A secret with a known length ends where the value of the variable starts.
#[test]
fn a_secret_in_a_prefix_is_reported() {
    let key = ["AKIA", "Q3EGTX7LM2PWZ6RB"].concat();
    let mcp = format!(
        "version: 1\nservers:\n  s:\n    transport: streamable_http\n    url: http://h.example\n    headers: {{x-key: \
         {{env: KEY, prefix: {key}}}}}\n"
    );
    for client in Client::ALL {
        let merged = render_first(client, &mcp, None);
        assert!(merged.text.is_none() && merged.rendered.is_empty(), "{client:?}");
        let found = findings(merged);
        assert!(
            found.iter().any(|found| found.rule.code == "render/literal-secret"),
            "{client:?}: {found:?}"
        );
    }
}

#[test]
fn a_suppressed_difference_is_not_reported() {
    let mcp = format!("{MCP}    cwd: x # minds: allow(render/cannot-express) it finds its files\n");
    assert!(render_first(Client::ClaudeCode, &mcp, None).problems.is_empty());
    // The comment suppresses the omission, not a secret that is written.
    let key = ["sk-7h3Kq9Zr2mXw5", "Tb8Vn4Lp6Jd"].concat();
    let mcp =
        format!("{MCP}    env: {{K: {key}}} # minds: allow(render/cannot-express) it is not left out\n");
    assert!(render_first(Client::ClaudeCode, &mcp, None).problems.has_errors());
}

#[test]
fn servers_can_be_built_without_a_file() {
    let variable =
        SettingValue::Variable { name: minds_core::EnvVar::parse("AGENT").unwrap(), prefix: String::new() };
    let env = vec![Setting { name: "AGENT".into(), value: WithPlace::without_place(variable) }];
    let server = ServerEntry::program("team", "team-mcp", &["--root", "."], env);
    let merged = render(Client::ClaudeCode, std::slice::from_ref(&server), &[], None);
    assert_eq!(names(&merged), ["team"]);
    let text = merged.text.unwrap();
    assert!(
        text.contains("\"args\": [\"--root\", \".\"]") && text.contains("\"AGENT\": \"${AGENT}\""),
        "{text}"
    );
    // Codex does not support a prefix, and some keys must be quoted in TOML.
    let variable = |prefix: &str| SettingValue::Variable {
        name: minds_core::EnvVar::parse("AGENT").unwrap(),
        prefix: prefix.to_owned(),
    };
    let setting =
        |name: &str, value| Setting { name: name.to_owned(), value: WithPlace::without_place(value) };
    let prefixed = ServerEntry::program("team", "x", &[], vec![setting("AGENT", variable("x-"))]);
    let left_out = render(Client::Codex, &[prefixed], &[], None);
    assert_eq!((left_out.rendered.len(), findings(left_out).len()), (0, 1));
    let literals = vec![
        setting("", SettingValue::Literal("1".into())),
        setting("a b", SettingValue::Literal("2".into())),
    ];
    let named = render(Client::Codex, &[ServerEntry::program("team", "x", &[], literals)], &[], None);
    assert_eq!(
        named.text.as_deref(),
        Some("[mcp_servers.team]\ncommand = \"x\"\nenv = { \"\" = \"1\", \"a b\" = \"2\" }\n")
    );
    // Two servers cannot have the same name.
    let twice = render(Client::ClaudeCode, &[server.clone(), server], &[], None);
    assert_eq!((twice.rendered.len(), findings(twice).len()), (1, 1));
}
