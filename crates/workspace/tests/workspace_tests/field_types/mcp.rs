//! `mcp.yaml`.

use super::{Row, VALUES, check, codes, expect, lines, primary_text};

const MCP: &str = ".minds/mcp.yaml";

const NO_EFFECT: &[&str] = &["mcp/no-effect"];

const SERVER: &[Row] = &[
    ("truely-stateless", &["boolean"], &[]),
    ("tools", &["mapping"], &[("mapping", &["schema/unknown-key"])]),
    ("transform", &["list"], &[("list", &["schema/type"])]),
    ("enabled", &["boolean"], &[]),
    ("manual", &["string", "mapping"], &[("string", NO_EFFECT), ("mapping", NO_EFFECT)]),
    ("prompts", &["mapping"], &[("mapping", NO_EFFECT)]),
    ("resources", &["mapping"], &[("mapping", NO_EFFECT)]),
];

const STDIO: &[Row] = &[
    ("command", &["string"], &[]),
    ("args", &["list"], &[]),
    ("env", &["mapping"], &[]),
    ("cwd", &["string"], &[]),
];

const STREAMABLE_HTTP: &[Row] = &[
    ("url", &["string"], &[("string", &["schema/value"])]),
    ("headers", &["mapping"], &[]),
    ("sessionId", &["string"], &[]),
];

#[test]
fn fields_of_servers() {
    let stdio = [("transport", "stdio"), ("command", "some-server")];
    let http = [("transport", "streamable_http"), ("url", "https://example.org/mcp")];
    let file = |others: &[(&str, &str)], field: &str, value: &str| {
        format!("version: 1\nservers:\n  some:\n{}", lines("    ", others, field, value))
    };
    expect(MCP, SERVER, |field, value| file(&stdio, field, value));
    expect(MCP, SERVER, |field, value| file(&http, field, value));
    expect(MCP, STDIO, |field, value| file(&stdio, field, value));
    expect(MCP, STREAMABLE_HTTP, |field, value| file(&http, field, value));
    // If the transport could not be read, all keys are read, and missing keys are not reported.
    let with_sse = |fields: &str| {
        let text = format!("version: 1\nservers:\n  some: {{transport: sse, {fields}}}\n");
        codes(MCP, &text)
    };
    assert_eq!(with_sse("command: [a], url: 5"), ["schema/value", "schema/type", "schema/type"]);
    assert_eq!(with_sse("enabled: true"), ["schema/value"]);
}

#[test]
fn keys_of_the_other_transport_are_one_warning_regardless_of_their_values() {
    for (rows, transport) in [
        (STDIO, "transport: streamable_http\n    url: https://example.org/mcp"),
        (STREAMABLE_HTTP, "transport: stdio\n    command: some-server"),
    ] {
        for (field, ..) in rows {
            for (_, value) in VALUES {
                let text = format!("version: 1\nservers:\n  some:\n    {transport}\n    {field}: {value}\n");
                let found = check(MCP, &text);
                let codes: Vec<&str> = found.iter().map(|found| found.rule.code).collect();
                assert_eq!(codes, ["mcp/unused-key"], "{text}\n{found:?}");
                assert_eq!(primary_text(&found[0]), *field);
            }
        }
    }
}

#[test]
fn transports() {
    for word in ["sse", "SSE", "http", "Stdio", "streamable-http", ""] {
        let text = format!("version: 1\nservers:\n  some:\n    transport: \"{word}\"\n");
        assert_eq!(codes(MCP, &text), ["schema/value"], "{text}");
    }
}
