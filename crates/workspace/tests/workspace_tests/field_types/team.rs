//! `team.yaml`.

use super::{Row, check, expect, is_at_last, lines};

/// Fields of members: the types that they accept, and further findings in a value of a valid type.
const MEMBER_FIELDS: &[Row] = &[
    ("name", &["string"], &[]),
    ("icon", &["string"], &[]),
    ("gofor", &["string", "list", "mapping"], &[]),
    ("nogo", &["string", "list", "mapping"], &[]),
    ("provider", &["string"], &[("string", &["team/unknown-provider"])]),
    ("model", &["string"], &[("string", &["team/unknown-model"])]),
    ("model_params", &["mapping"], &[("mapping", &["schema/unknown-key"])]),
    ("toolsets", &["list"], &[("list", &["team/unknown-toolset"])]),
    ("tools", &["list"], &[("list", &["team/unknown-tool"])]),
    ("diligence-push-max", &["integer", "float"], &[]),
    ("diligence_push_max", &["integer", "float"], &[]),
    ("read_dirs", &["list"], &[]),
    ("write_dirs", &["list"], &[]),
    ("no_read_dirs", &["list"], &[]),
    ("no_write_dirs", &["list"], &[]),
    ("read_file_ext_names", &["list"], &[]),
    ("write_file_ext_names", &["list"], &[]),
    ("no_read_file_ext_names", &["list"], &[]),
    ("no_write_file_ext_names", &["list"], &[]),
    ("streaming", &["boolean"], &[]),
    ("hidden", &["boolean"], &[]),
    ("fbr-effort", &["integer"], &[]),
    ("fbr_effort", &["integer"], &[]),
    ("fbr_model_params", &["mapping"], &[("mapping", &["schema/unknown-key"])]),
    ("from", &["string"], &[]),
    ("use", &["string"], &[]),
    ("import", &["string"], &[]),
];

/// Fields of the file.
const TOP_FIELDS: &[Row] = &[
    // The content of these mappings is tested elsewhere.
    (
        "member_defaults",
        &["mapping"],
        &[("mapping", &["team/missing-model", "team/missing-provider", "schema/unknown-key"])],
    ),
    ("members", &["mapping"], &[("mapping", &["schema/type"])]),
    ("default_responder", &["string"], &[("string", &["team/unknown-member"])]),
    (
        "shell_specialists",
        &["null", "string", "list"],
        &[("string", &["team/unknown-member"]), ("list", &["team/unknown-member"])],
    ),
];

/// Parameters of models, each with its group.
const PARAMS: &[(&str, Row)] = &[
    ("", ("max_tokens", &["integer", "float"], &[])),
    ("", ("json_response", &["boolean"], &[])),
    ("", ("codex", &["mapping"], &[("mapping", &["schema/unknown-key"])])),
    ("", ("anthropic-compatible", &["mapping"], &[("mapping", &["schema/unknown-key"])])),
    ("codex", ("temperature", &["integer", "float"], &[])),
    ("codex", ("max_tokens", &["integer", "float"], &[])),
    ("codex", ("logprobs", &["boolean"], &[])),
    ("codex", ("stop", &["string", "list"], &[])),
    ("codex", ("user", &["string"], &[])),
    ("openai", ("logit_bias", &["mapping"], &[("mapping", &["schema/type"])])),
    ("openai", ("seed", &["integer", "float"], &[])),
    ("openai", ("parallel_tool_calls", &["boolean"], &[])),
    ("openai-compatible", ("top_p", &["integer", "float"], &[])),
    ("anthropic", ("top_k", &["integer", "float"], &[])),
    ("anthropic", ("stop_sequences", &["list"], &[])),
    ("anthropic", ("reasoning_split", &["boolean"], &[])),
    ("google", ("thinking_budget", &["integer", "float"], &[])),
];

const TEAM: &str = ".minds/team.yaml";

/// Returns a file whose `member_defaults` have one more field.
fn defaults(field: &str, value: &str) -> String {
    format!("member_defaults: {{provider: codex, model: gpt-5.2, {field}: {value}}}\n")
}

#[test]
fn fields_of_members_and_of_their_defaults() {
    let defaults = defaults("icon", "D");
    let rows = MEMBER_FIELDS;
    expect(TEAM, rows, |field, value| format!("{defaults}members:\n  a:\n    {field}: {value}\n"));
    expect(TEAM, rows, |field, value| format!("{defaults}members: {{a: {{{field}: {value}}}}}\n"));
    // Here, the field replaces `provider` or `model`.
    let others = [("provider", "codex"), ("model", "gpt-5.2")];
    expect(TEAM, rows, |field, value| format!("member_defaults:\n{}", lines("  ", &others, field, value)));
}

#[test]
fn fields_of_the_file() {
    expect(TEAM, TOP_FIELDS, |field, value| {
        let own = format!("{field}: {value}\n");
        if field == "member_defaults" { own } else { defaults("icon", "D") + &own }
    });
}

#[test]
fn parameters_of_models() {
    for (group, row) in PARAMS {
        for section in ["model_params", "fbr_model_params"] {
            expect(TEAM, &[*row], |param, value| {
                let inner = if group.is_empty() {
                    format!("{{{param}: {value}}}")
                } else {
                    format!("{{{group}: {{{param}: {value}}}}}")
                };
                defaults(section, &inner)
            });
        }
    }
}

#[test]
fn keywords_are_checked() {
    let accepts = |param: &str, word: &str| {
        let text = defaults("model_params", &format!("{{codex: {{{param}: {word}}}}}"));
        let found = check(TEAM, &text);
        assert!(found.iter().all(|found| is_at_last(found, &text, word)), "{text}\n{found:?}");
        found.is_empty()
    };
    for word in ["none", "minimal", "low", "medium", "high", "xhigh", "max"] {
        assert!(accepts("reasoning_effort", word), "{word}");
    }
    for word in ["ultra", "High", "''"] {
        assert!(!accepts("reasoning_effort", word), "{word}");
    }
    assert!(accepts("verbosity", "low") && !accepts("verbosity", "minimal"));
    assert!(accepts("web_search", "cached") && !accepts("web_search", "off"));
}

#[test]
fn numbers_at_their_limits() {
    let codes = |field: &str, value: &str| {
        let text = defaults(field, value);
        let found = check(TEAM, &text);
        assert!(found.iter().all(|found| is_at_last(found, &text, value)), "{text}\n{found:?}");
        found.iter().map(|found| found.rule.code).collect::<Vec<_>>()
    };
    for value in ["0", "100", "3.0", "0x10"] {
        assert_eq!(codes("fbr-effort", value), Vec::<&str>::new(), "{value}");
    }
    for value in ["-1", "101", "99999999999999999999", "1e3", ".inf"] {
        assert!(matches!(codes("fbr-effort", value).as_slice(), ["schema/value" | "schema/type"]), "{value}");
    }
    for value in ["-1.5", "1e3", "0"] {
        assert_eq!(codes("diligence-push-max", value), Vec::<&str>::new(), "{value}");
    }
    assert_eq!(codes("diligence-push-max", ".nan"), ["schema/value"]);
    assert_eq!(codes("diligence-push-max", "-.inf"), ["schema/value"]);
}
