//! `llm.yaml`.

use super::{Row, codes, expect, lines};

const LLM: &str = ".minds/llm.yaml";

const PROVIDER: &[Row] = &[
    ("name", &["string"], &[]),
    ("apiType", &["string"], &[("string", &["schema/value"])]),
    ("baseUrl", &["string"], &[("string", &["schema/value"])]),
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

const WHOLE_PROVIDER: &[(&str, &str)] = &[
    ("apiType", "openai"),
    ("baseUrl", "https://models.example.org/v1"),
    ("apiKeyEnvVar", "HOUSE_API_KEY"),
    ("models", "{small: {}}"),
];

#[test]
fn fields_of_providers() {
    expect(LLM, PROVIDER, |field, value| {
        format!("providers:\n  local:\n{}", lines("    ", WHOLE_PROVIDER, field, value))
    });
}

#[test]
fn fields_of_models() {
    expect(LLM, MODEL, |field, value| {
        let models = format!("{{small: {{{field}: {value}}}}}");
        format!("providers:\n  local:\n{}", lines("    ", WHOLE_PROVIDER, "models", &models))
    });
}

#[test]
fn descriptions_of_parameters() {
    expect(LLM, OPTION, |field, value| {
        let options = format!("{{openai: {{top_p: {{{field}: {value}}}}}}}");
        format!("providers:\n  local:\n{}", lines("    ", WHOLE_PROVIDER, "model_param_options", &options))
    });
}

#[test]
fn protocols() {
    for protocol in
        ["codex", "anthropic", "anthropic-compatible", "openai", "openai-compatible", "google", "mock"]
    {
        let text = format!("providers:\n  local:\n{}", lines("    ", WHOLE_PROVIDER, "apiType", protocol));
        assert_eq!(codes(LLM, &text), Vec::<&str>::new(), "{text}");
        let text = text.replace("    apiKeyEnvVar: HOUSE_API_KEY\n", "");
        let lacks_key = codes(LLM, &text).contains(&"schema/missing-key");
        assert_eq!(lacks_key, !["codex", "mock"].contains(&protocol), "{text}");
    }
}

#[test]
fn lengths_at_their_limits() {
    let codes = |value: &str| {
        let models = format!("{{small: {{context_length: {value}}}}}");
        let text = format!("providers:\n  local:\n{}", lines("    ", WHOLE_PROVIDER, "models", &models));
        codes(LLM, &text)
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
