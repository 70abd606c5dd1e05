//! What is ours in a file, and what is not.

use minds_document::ContentHash;
use minds_render::clients::{Client, Merged, Placed, ServerEntry, Setting, SettingValue, render};

use super::{findings, left, names, rendered, servers};

const MCP: &str = "version: 1\nservers:\n  s:\n    transport: stdio\n    command: run\n";
const NONE: &str = "version: 1\nservers: {}\n";

fn again(client: Client, mcp: &str, formerly: &[&str], existing: &str) -> Merged {
    render(client, &servers(mcp), &left(client, formerly, existing), Some(existing))
}

#[track_caller]
fn becomes(merged: Merged, text: &str) -> Vec<String> {
    assert_eq!(merged.text.as_deref(), Some(text));
    assert!(merged.problems.is_empty());
    merged.replaced
}

#[test]
fn without_servers_there_is_no_file() {
    for client in Client::ALL {
        let merged = rendered(client, NONE, None);
        assert!(merged.text.is_none() && merged.rendered.is_empty(), "{client:?}");
        assert_eq!(rendered(client, NONE, Some("")).text.as_deref(), Some(""), "{client:?}");
    }
}

#[test]
fn servers_that_are_gone_are_taken_out() {
    let json = "{\n  \"mcpServers\": {\n    \"mine\": {},\n    \"s\": {\n      \"command\": \"run\"\n    }\n  }\n}\n";
    let without = "{\n  \"mcpServers\": {\n    \"mine\": {}\n  }\n}\n";
    assert!(becomes(again(Client::Cursor, NONE, &["s"], json), without).is_empty());
    assert!(becomes(again(Client::Cursor, NONE, &[], json), json).is_empty());
    assert!(becomes(again(Client::Cursor, NONE, &["s"], without), without).is_empty());

    let toml =
        "a = 1\n\n[mcp_servers.s]\ncommand = 'x' # mine\n\n[mcp_servers.s.tools.t]\nx = 1\n\n# of b\n[b]\n";
    assert!(becomes(again(Client::Codex, NONE, &["s"], toml), "a = 1\n\n# of b\n[b]\n").is_empty());
}

#[test]
fn who_wrote_what_is_replaced_is_known() {
    let json = "{\"mcpServers\": {\"s\": {\"command\": \"other\"}}}";
    let new = "{\"mcpServers\": {\"s\": {\n  \"command\": \"run\"\n}}}";
    assert_eq!(becomes(again(Client::Cursor, MCP, &[], json), new), ["s"]);
    assert!(becomes(again(Client::Cursor, MCP, &["s"], json), new).is_empty());
    let off = format!("{MCP}    enabled: false\n");
    assert_eq!(becomes(again(Client::Cursor, &off, &[], json), "{\"mcpServers\": {}}"), ["s"]);

    let toml = "[mcp_servers.s]\ncommand = 'other'\nstartup_timeout_sec = 9\n";
    let new = "[mcp_servers.s]\ncommand = \"run\"\n";
    assert_eq!(becomes(again(Client::Codex, MCP, &[], toml), new), ["s"]);
}

#[test]
fn an_entry_that_says_the_same_keeps_its_letters() {
    for (client, text) in [
        (Client::Cursor, "{\"mcpServers\": {\"s\": { /* mine */ \"comm\\u0061nd\": \"run\" }}}"),
        (Client::VsCode, "{\"servers\": {\"s\": {\"command\": \"run\", \"type\": \"stdio\",}}}"),
        (Client::Codex, "[ mcp_servers . 's' ] # mine\r\ncommand = '''run'''\n"),
    ] {
        assert!(becomes(again(client, MCP, &[], text), text).is_empty(), "{client:?}");
    }
}

/// The hashes are written into manifests, which other versions of this program read.
#[test]
fn what_is_ours_is_known_by_the_hashes_that_were_recorded() {
    let hash = |client, text: &str| {
        let found = minds_render::clients::found(client, text, &["s"]).unwrap();
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

/// For opencode the same JSON can be a reference or a text that looks like one.
#[test]
fn a_text_is_not_the_reference_that_it_looks_like() {
    let mcp = |value: &str| format!("{MCP}    env: {{K: {value}}}\n");
    let text = rendered(Client::OpenCode, &mcp("'{env:X}'"), None).text.unwrap();
    assert!(text.contains("\"\\u007benv:X}\""), "{text}");
    let reference = again(Client::OpenCode, &mcp("{env: X}"), &["s"], &text).text.unwrap();
    assert!(reference.contains("\"{env:X}\""), "{reference}");
    assert_eq!(again(Client::OpenCode, &mcp("'{env:X}'"), &["s"], &reference).text, Some(text));
    // Nor is what stands before one.
    let address = "version: 1\nservers:\n  s:\n    transport: streamable_http\n    url: http://h.example\n    headers: {K: \
                   {env: X, prefix: '{file:a}'}}\n";
    let text = rendered(Client::OpenCode, address, None).text.unwrap();
    assert!(text.contains("\"\\u007bfile:a}{env:X}\""), "{text}");
}

#[test]
fn lines_end_as_they_did() {
    let json = "{\r\n\t\"servers\": {\r\n\t\t\"mine\": 1\r\n\t}\r\n}";
    let new = "{\r\n\t\"servers\": {\r\n\t\t\"mine\": 1,\r\n\t\t\"s\": {\r\n\t\t\t\"type\": \"stdio\",\r\n\t\t\t\"command\": \"run\"\r\n\t\t}\r\n\t}\r\n}";
    becomes(again(Client::VsCode, MCP, &[], json), new);
    let toml = "\u{feff}a = 1\r\n";
    becomes(
        again(Client::Codex, MCP, &[], toml),
        "\u{feff}a = 1\r\n\r\n[mcp_servers.s]\r\ncommand = \"run\"\r\n",
    );
    // The last line has no break, as before.
    becomes(again(Client::Codex, MCP, &[], "a = 1"), "a = 1\n\n[mcp_servers.s]\ncommand = \"run\"");
    becomes(
        again(Client::Codex, MCP, &["s"], "[mcp_servers.s]\r\ncommand = 'x'\r\n[b]\r\n"),
        "[mcp_servers.s]\r\ncommand = \"run\"\r\n[b]\r\n",
    );
}

#[test]
fn a_table_is_replaced_where_it_begins_and_taken_out_whole() {
    let scattered = "[mcp_servers.s.env]\nA = '1'\n\n[b]\n\n[mcp_servers.s]\ncommand = 'x'\n";
    becomes(again(Client::Codex, MCP, &["s"], scattered), "[mcp_servers.s]\ncommand = \"run\"\n\n[b]\n");
    let dotted = "[mcp_servers.s]\ncommand = 'x'\nenv.A = \"\"\"\n1\n\"\"\"\n[b]\n";
    becomes(again(Client::Codex, MCP, &["s"], dotted), "[mcp_servers.s]\ncommand = \"run\"\n[b]\n");
    let indented = "a = 1\n\n \t[mcp_servers.s]\n  command = 'x'\n[b]\n";
    becomes(again(Client::Codex, NONE, &["s"], indented), "a = 1\n[b]\n");
}

#[test]
fn what_looks_like_a_header_in_a_text_is_none() {
    let toml = "x = '''\n[mcp_servers.s]\ncommand = \"text\"\n'''\n[[mcp_servers.mine.list]]\n\n[mcp_servers.s]\nargs = [\n  \"# no\", # yes\n  \"[b]\",\n] # behind\n# between\n\n[\"b\"]\n";
    let new = toml.replace("args = [\n  \"# no\", # yes\n  \"[b]\",\n] # behind\n", "command = \"run\"\n");
    becomes(again(Client::Codex, MCP, &["s"], toml), &new);
}

#[test]
fn a_secret_stops_everything() {
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
            let merged = rendered(client, &mcp, None);
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
        assert!(rendered(Client::Gemini, &mcp, None).problems.has_errors(), "{lines}");
    }
}

/// A key whose length is known ends where the value of the variable begins.
#[test]
fn a_secret_before_a_variable_is_one() {
    let key = ["AKIA", "Q3EGTX7LM2PWZ6RB"].concat();
    let mcp = format!(
        "version: 1\nservers:\n  s:\n    transport: streamable_http\n    url: http://h.example\n    headers: {{x-key: \
         {{env: KEY, prefix: {key}}}}}\n"
    );
    for client in Client::ALL {
        let merged = rendered(client, &mcp, None);
        assert!(merged.text.is_none() && merged.rendered.is_empty(), "{client:?}");
        let found = findings(merged);
        assert!(
            found.iter().any(|found| found.rule.code == "render/literal-secret"),
            "{client:?}: {found:?}"
        );
    }
}

#[test]
fn an_allowed_difference_is_no_finding() {
    let mcp = format!("{MCP}    cwd: x # minds: allow(render/cannot-express) it finds its files\n");
    assert!(rendered(Client::ClaudeCode, &mcp, None).problems.is_empty());
    // What is allowed is that something is left out, and not what is written instead.
    let key = ["sk-7h3Kq9Zr2mXw5", "Tb8Vn4Lp6Jd"].concat();
    let mcp =
        format!("{MCP}    env: {{K: {key}}} # minds: allow(render/cannot-express) it is not left out\n");
    assert!(rendered(Client::ClaudeCode, &mcp, None).problems.has_errors());
}

#[test]
fn servers_need_no_file() {
    let variable =
        SettingValue::Variable { name: minds_core::EnvVar::parse("AGENT").unwrap(), prefix: String::new() };
    let env = vec![Setting { name: "AGENT".into(), value: Placed::nowhere(variable) }];
    let server = ServerEntry::program("team", "team-mcp", &["--root", "."], env);
    let merged = render(Client::ClaudeCode, std::slice::from_ref(&server), &[], None);
    assert_eq!(names(&merged), ["team"]);
    let text = merged.text.unwrap();
    assert!(
        text.contains("\"args\": [\"--root\", \".\"]") && text.contains("\"AGENT\": \"${AGENT}\""),
        "{text}"
    );
    // Codex has no words for a prefix, and keys that TOML cannot have bare.
    let variable = |prefix: &str| SettingValue::Variable {
        name: minds_core::EnvVar::parse("AGENT").unwrap(),
        prefix: prefix.to_owned(),
    };
    let setting = |name: &str, value| Setting { name: name.to_owned(), value: Placed::nowhere(value) };
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
    // Two of one name cannot both be there.
    let twice = render(Client::ClaudeCode, &[server.clone(), server], &[], None);
    assert_eq!((twice.rendered.len(), findings(twice).len()), (1, 1));
}
