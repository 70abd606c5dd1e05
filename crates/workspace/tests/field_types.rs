//! Every field with a value of every type: exactly the findings that the table of fields predicts.
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

/// A value of each type, as YAML: null, boolean, integer, float, string, list, mapping.
const VALUES: [(&str, &str); 7] = [
    ("null", "null"),
    ("boolean", "true"),
    ("integer", "7"),
    ("float", "1.5"),
    ("string", "text"),
    ("list", "[text]"),
    ("mapping", "{text: text}"),
];

/// A field, the types that it takes, and what else is found in a value of one of these types.
type Row = (&'static str, &'static [&'static str], &'static [(&'static str, &'static [&'static str])]);

/// Fields of members: which types they take, and what else is found in a value of a right type.
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
    // What a mapping of these says is another test's concern.
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

/// Parameters of models, by group: which types they take.
const PARAMS: &[(&str, &str, &[&str])] = &[
    ("", "max_tokens", &["integer", "float"]),
    ("", "json_response", &["boolean"]),
    ("", "codex", &["mapping"]),
    ("", "anthropic-compatible", &["mapping"]),
    ("codex", "temperature", &["integer", "float"]),
    ("codex", "max_tokens", &["integer", "float"]),
    ("codex", "logprobs", &["boolean"]),
    ("codex", "stop", &["string", "list"]),
    ("codex", "user", &["string"]),
    ("openai", "logit_bias", &["mapping"]),
    ("openai", "seed", &["integer", "float"]),
    ("openai", "parallel_tool_calls", &["boolean"]),
    ("openai-compatible", "top_p", &["integer", "float"]),
    ("anthropic", "top_k", &["integer", "float"]),
    ("anthropic", "stop_sequences", &["list"]),
    ("anthropic", "reasoning_split", &["boolean"]),
    ("google", "thinking_budget", &["integer", "float"]),
];

/// Returns the codes found at the value of the last key of `path`, whose value in `team` is `value`, and all others.
fn check(team: &str, value: &str) -> (Vec<&'static str>, Vec<(&'static str, String)>) {
    let file = WorkspacePath::parse(".minds/team.yaml").unwrap();
    let start = u32::try_from(team.rfind(value).unwrap()).unwrap();
    let end = start + u32::try_from(value.len()).unwrap();
    let found = minds_workspace::check(&Snapshot::new().with_file(file, team)).diagnostics;
    let mut at_value = Vec::new();
    let mut elsewhere = Vec::new();
    for found in found {
        let span = found.primary.as_ref().unwrap().span;
        if (span.start(), span.end()) == (start, end) && found.rule.area() == "schema" {
            at_value.push(found.rule.code);
        } else {
            elsewhere.push((found.rule.code, found.message));
        }
    }
    (at_value, elsewhere)
}

#[track_caller]
fn expect(team: &str, kind: &str, value: &str, takes: &[&str], more: &[(&str, &[&str])]) {
    let (at_value, elsewhere) = check(team, value);
    let codes: Vec<&str> = elsewhere.iter().map(|(code, _)| *code).collect();
    if takes.contains(&kind) {
        let expected = more.iter().find(|(known, _)| *known == kind).map_or(&[][..], |(_, codes)| codes);
        assert_eq!((at_value.as_slice(), codes.as_slice()), (&[][..], expected), "{team}\n{elsewhere:?}");
    } else {
        assert_eq!(
            (at_value.as_slice(), codes.as_slice()),
            (&["schema/type"][..], &[][..]),
            "{team}\n{elsewhere:?}"
        );
    }
}

#[test]
fn fields_of_members_and_of_their_defaults() {
    for (field, takes, more) in MEMBER_FIELDS {
        for (kind, value) in VALUES {
            let defaults = "member_defaults: {provider: codex, model: gpt-5.2}\n";
            expect(&format!("{defaults}members:\n  a:\n    {field}: {value}\n"), kind, value, takes, more);
            expect(&format!("{defaults}members: {{a: {{{field}: {value}}}}}\n"), kind, value, takes, more);
            // The value comes last, so that it is the last of its text; provider and model give way to it.
            let others: String = [("provider", "codex"), ("model", "gpt-5.2")]
                .iter()
                .filter(|(key, _)| key != field)
                .map(|(key, value)| format!("  {key}: {value}\n"))
                .collect();
            expect(&format!("member_defaults:\n{others}  {field}: {value}\n"), kind, value, takes, more);
        }
    }
}

#[test]
fn fields_of_the_file() {
    for (field, takes, more) in TOP_FIELDS {
        for (kind, value) in VALUES {
            let defaults = "member_defaults: {provider: codex, model: gpt-5.2}\n";
            let defaults = if *field == "member_defaults" { "" } else { defaults };
            expect(&format!("{defaults}{field}: {value}\n"), kind, value, takes, more);
        }
    }
}

#[test]
fn parameters_of_models() {
    for (group, param, takes) in PARAMS {
        for (kind, value) in VALUES {
            let inner = if group.is_empty() {
                format!("{param}: {value}")
            } else {
                format!("{group}: {{{param}: {value}}}")
            };
            let more: &[(&str, &[&str])] = match *param {
                "codex" | "anthropic-compatible" => &[("mapping", &["schema/unknown-key"])],
                "logit_bias" => &[("mapping", &["schema/type"])],
                _ => &[],
            };
            for field in ["model_params", "fbr_model_params"] {
                let team =
                    format!("member_defaults: {{provider: codex, model: gpt-5.2, {field}: {{{inner}}}}}\n");
                expect(&team, kind, value, takes, more);
            }
        }
    }
}

#[test]
fn words_that_are_allowed() {
    let accepts = |param: &str, word: &str| {
        let team = format!(
            "member_defaults: {{provider: codex, model: gpt-5.2, model_params: {{codex: {{{param}: {word}}}}}}}\n"
        );
        check(&team, word).0.is_empty()
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
    let codes = |value: &str| {
        check(&format!("member_defaults: {{provider: codex, model: gpt-5.2, fbr-effort: {value}}}\n"), value)
            .0
    };
    for value in ["0", "100", "3.0", "0x10"] {
        assert_eq!(codes(value), Vec::<&str>::new(), "{value}");
    }
    for value in ["-1", "101", "99999999999999999999", "1e3", ".inf"] {
        assert!(matches!(codes(value).as_slice(), ["schema/value" | "schema/type"]), "{value}");
    }
    let codes = |value: &str| {
        check(
            &format!("member_defaults: {{provider: codex, model: gpt-5.2, diligence-push-max: {value}}}\n"),
            value,
        )
        .0
    };
    for value in ["-1.5", "1e3", "0"] {
        assert_eq!(codes(value), Vec::<&str>::new(), "{value}");
    }
    assert_eq!(codes(".nan"), ["schema/value"]);
    assert_eq!(codes("-.inf"), ["schema/value"]);
}
