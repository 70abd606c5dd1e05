//! Every field of `llm.yaml` and `mcp.yaml` with a value of every type: exactly the findings that the tables predict.
#![allow(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::format_collect,
    clippy::format_push_string,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test reads what it needs, and may stop at once"
)]

use minds_document::Snapshot;
use minds_paths::WorkspacePath;

/// A value of each type, as YAML.
const VALUES: [(&str, &str); 7] = [
    ("null", "null"),
    ("boolean", "true"),
    ("integer", "7"),
    ("float", "1.5"),
    ("string", "text"),
    ("list", "[text]"),
    ("mapping", "{text: text}"),
];

/// A field, the types that it takes, and what is found all the same in a value of one of these types.
type Row = (&'static str, &'static [&'static str], &'static [(&'static str, &'static [&'static str])]);

const PROVIDER: &[Row] = &[
    ("name", &["string"], &[]),
    ("apiType", &["string"], &[("string", &["schema/value"])]),
    ("baseUrl", &["string"], &[]),
    ("apiKeyEnvVar", &["string"], &[]),
    ("tech_spec_url", &["string"], &[]),
    ("api_mgmt_url", &["string"], &[]),
    ("apiQuirks", &["string", "list"], &[]),
    ("model_param_options", &["mapping"], &[("mapping", &["schema/type"])]),
    ("models", &["list", "mapping"], &[("list", &["llm/models-list"]), ("mapping", &["schema/type"])]),
    ("x-own", &["null", "boolean", "integer", "float", "string", "list", "mapping"], &[]),
];

const MODEL: &[Row] = &[
    ("name", &["string"], &[]),
    ("context_length", &["integer"], &[]),
    ("input_length", &["integer"], &[]),
    ("output_length", &["integer"], &[]),
    ("optimal_max_tokens", &["integer"], &[]),
    ("critical_max_tokens", &["integer"], &[]),
    ("caution_remediation_cadence_generations", &["integer"], &[]),
    ("context_window", &["string"], &[]),
    ("optimization", &["string"], &[]),
    ("supports_thinking", &["boolean"], &[]),
    ("default_thinking", &["boolean"], &[]),
    ("supports_image_input", &["boolean"], &[]),
    ("supports_tool_choice", &["boolean"], &[]),
    ("of_the_provider", &["null", "boolean", "integer", "float", "string", "list", "mapping"], &[]),
];

const OPTION: &[Row] = &[
    ("type", &["string"], &[("string", &["schema/value"])]),
    ("description", &["string"], &[]),
    ("min", &["integer", "float"], &[]),
    ("max", &["integer", "float"], &[]),
    ("values", &["list"], &[]),
    ("default", &["null", "boolean", "integer", "float", "string", "list", "mapping"], &[]),
    ("prominent", &["boolean"], &[]),
    ("value_labels", &["mapping"], &[]),
];

const SERVER: &[Row] = &[
    ("truely-stateless", &["boolean"], &[]),
    ("tools", &["mapping"], &[("mapping", &["schema/unknown-key"])]),
    ("transform", &["list"], &[("list", &["schema/type"])]),
    ("enabled", &["boolean"], &[]),
    ("manual", &["string", "mapping"], &[]),
    ("prompts", &["mapping"], &[]),
    ("resources", &["mapping"], &[]),
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

const LLM: &str = ".minds/llm.yaml";
const MCP: &str = ".minds/mcp.yaml";

/// Returns what is found in a file: code, message and the text that it is about.
fn check(path: &str, text: &str) -> Vec<(&'static str, String, String)> {
    let path = WorkspacePath::parse(path).expect("the path is valid");
    let found = minds_workspace::check(&Snapshot::new().with_file(path, text)).diagnostics;
    let about = |found: minds_diagnostics::Diagnostic| {
        let label = found.primary.expect("every finding has a place");
        (found.rule.code, found.message, label.source.slice(label.span).to_owned())
    };
    found.into_iter().map(about).collect()
}

#[track_caller]
fn expect(path: &str, rows: &[Row], file: impl Fn(&str, &str) -> String) {
    for (field, takes, more) in rows {
        for (kind, value) in VALUES {
            let text = file(field, value);
            let found = check(path, &text);
            let codes: Vec<&str> = found.iter().map(|(code, ..)| *code).collect();
            if takes.contains(&kind) {
                let expected =
                    more.iter().find(|(known, _)| *known == kind).map_or(&[][..], |(_, codes)| codes);
                assert_eq!(codes, expected, "{text}\n{found:?}");
            } else {
                assert_eq!(codes, ["schema/type"], "{text}\n{found:?}");
                assert_eq!(found[0].2, value, "{text}\n{found:?}");
            }
        }
    }
}

/// Returns the lines `key: value` but for the one of `field`, which comes last with its own value.
fn lines(indent: &str, others: &[(&str, &str)], field: &str, value: &str) -> String {
    let others = others.iter().filter(|(key, _)| *key != field).copied();
    others.chain([(field, value)]).map(|(key, value)| format!("{indent}{key}: {value}\n")).collect()
}

const WHOLE_PROVIDER: &[(&str, &str)] = &[
    ("apiType", "openai"),
    ("baseUrl", "https://models.example.org/v1"),
    ("apiKeyEnvVar", "HOUSE_API_KEY"),
    ("models", "{small: {}}"),
];

#[test]
fn fields_of_providers() {
    expect(LLM, PROVIDER, |field, value| {
        format!("providers:\n  house:\n{}", lines("    ", WHOLE_PROVIDER, field, value))
    });
}

#[test]
fn fields_of_models() {
    expect(LLM, MODEL, |field, value| {
        let models = format!("{{small: {{{field}: {value}}}}}");
        format!("providers:\n  house:\n{}", lines("    ", WHOLE_PROVIDER, "models", &models))
    });
}

#[test]
fn descriptions_of_parameters() {
    expect(LLM, OPTION, |field, value| {
        let options = format!("{{openai: {{top_p: {{{field}: {value}}}}}}}");
        format!("providers:\n  house:\n{}", lines("    ", WHOLE_PROVIDER, "model_param_options", &options))
    });
}

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
    // Where the transport could not be read, all keys are, and nothing is said about what is missing.
    let codes = |fields: &str| -> Vec<&str> {
        let text = format!("version: 1\nservers:\n  some: {{transport: sse, {fields}}}\n");
        check(MCP, &text).iter().map(|(code, ..)| *code).collect()
    };
    assert_eq!(codes("command: [a], url: 5"), ["schema/value", "schema/type", "schema/type"]);
    assert_eq!(codes("enabled: true"), ["schema/value"]);
}

#[test]
fn keys_of_the_other_transport_are_one_warning_whatever_they_say() {
    for (rows, transport) in [
        (STDIO, "transport: streamable_http\n    url: https://example.org/mcp"),
        (STREAMABLE_HTTP, "transport: stdio\n    command: some-server"),
    ] {
        for (field, ..) in rows {
            for (_, value) in VALUES {
                let text = format!("version: 1\nservers:\n  some:\n    {transport}\n    {field}: {value}\n");
                let found = check(MCP, &text);
                let codes: Vec<&str> = found.iter().map(|(code, ..)| *code).collect();
                assert_eq!(codes, ["mcp/unused-key"], "{text}\n{found:?}");
                assert_eq!(found[0].2, *field);
            }
        }
    }
}

#[test]
fn protocols_and_transports() {
    for protocol in
        ["codex", "anthropic", "anthropic-compatible", "openai", "openai-compatible", "google", "mock"]
    {
        let text = format!("providers:\n  house:\n{}", lines("    ", WHOLE_PROVIDER, "apiType", protocol));
        assert_eq!(check(LLM, &text), [], "{text}");
        let text = text.replace("    apiKeyEnvVar: HOUSE_API_KEY\n", "");
        let lacks_key = check(LLM, &text).iter().any(|(code, ..)| *code == "schema/missing-key");
        assert_eq!(lacks_key, !["codex", "mock"].contains(&protocol), "{text}");
    }
    for word in ["sse", "SSE", "http", "Stdio", "streamable-http", ""] {
        let text = format!("version: 1\nservers:\n  some:\n    transport: \"{word}\"\n");
        let codes: Vec<&str> = check(MCP, &text).iter().map(|(code, ..)| *code).collect();
        assert_eq!(codes, ["schema/value"], "{text}");
    }
}

#[test]
fn lengths_at_their_limits() {
    let codes = |value: &str| -> Vec<&str> {
        let models = format!("{{small: {{context_length: {value}}}}}");
        let text = format!("providers:\n  house:\n{}", lines("    ", WHOLE_PROVIDER, "models", &models));
        check(LLM, &text).iter().map(|(code, ..)| *code).collect()
    };
    for value in ["1", "1e6", "272000.0", "9223372036854775807"] {
        assert_eq!(codes(value), Vec::<&str>::new(), "{value}");
    }
    for value in ["0", "-1", "0.0", ".inf", ".nan", "1e30", "9223372036854775808"] {
        assert_eq!(codes(value), ["schema/value"], "{value}");
    }
    for value in ["1.5", "272K", "272_000", "'5'"] {
        assert_eq!(codes(value), ["schema/type"], "{value}");
    }
}
