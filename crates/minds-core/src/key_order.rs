//! The canonical order of the keys in the files of the family.

use minds_document::yaml::KeyOrder::{self, Fields, Free, Items, Named};

use crate::{LLM_FILE, MCP_FILE, TEAM_FILE};

/// Returns the key order of a file of the family; `path` is relative to the workspace.
pub fn key_order(path: &str) -> Option<&'static KeyOrder> {
    match path {
        TEAM_FILE => Some(&TEAM),
        LLM_FILE => Some(&LLM),
        MCP_FILE => Some(&MCP),
        _ => None,
    }
}

static TEAM: KeyOrder = Fields(&[
    ("member_defaults", MEMBER),
    ("default_responder", Free),
    ("shell_specialists", Free),
    ("members", Named(&MEMBER)),
]);

const MEMBER: KeyOrder = Fields(&[
    ("name", Free),
    ("icon", Free),
    // Routing is prose, and its labels are user-defined.
    ("gofor", Free),
    ("nogo", Free),
    ("provider", Free),
    ("model", Free),
    // Parameters and their sections are defined by providers.
    ("model_params", Free),
    ("toolsets", Free),
    ("tools", Free),
    ("diligence-push-max", Free),
    ("diligence_push_max", Free),
    ("read_dirs", Free),
    ("write_dirs", Free),
    ("no_read_dirs", Free),
    ("no_write_dirs", Free),
    ("read_file_ext_names", Free),
    ("write_file_ext_names", Free),
    ("no_read_file_ext_names", Free),
    ("no_write_file_ext_names", Free),
    ("streaming", Free),
    ("hidden", Free),
    ("fbr-effort", Free),
    ("fbr_effort", Free),
    ("fbr_model_params", Free),
    ("from", Free),
    ("use", Free),
    ("import", Free),
]);

static LLM: KeyOrder = Fields(&[("providers", Named(&PROVIDER))]);

static PROVIDER: KeyOrder = Fields(&[
    ("name", Free),
    ("apiType", Free),
    ("baseUrl", Free),
    ("apiKeyEnvVar", Free),
    ("tech_spec_url", Free),
    ("api_mgmt_url", Free),
    ("apiQuirks", Free),
    ("model_param_options", Named(&Named(&PARAM_OPTION))),
    ("models", Named(&MODEL)),
]);

static PARAM_OPTION: KeyOrder = Fields(&[
    ("type", Free),
    ("description", Free),
    ("min", Free),
    ("max", Free),
    ("values", Free),
    ("default", Free),
    ("prominent", Free),
    ("value_labels", Free),
]);

static MODEL: KeyOrder = Fields(&[
    ("name", Free),
    ("context_length", Free),
    ("input_length", Free),
    ("output_length", Free),
    ("optimal_max_tokens", Free),
    ("critical_max_tokens", Free),
    ("caution_remediation_cadence_generations", Free),
    ("context_window", Free),
    ("optimization", Free),
    ("supports_thinking", Free),
    ("default_thinking", Free),
    ("supports_image_input", Free),
    ("supports_tool_choice", Free),
]);

static MCP: KeyOrder = Fields(&[("version", Free), ("servers", Named(&SERVER))]);

static SERVER: KeyOrder = Fields(&[
    ("transport", Free),
    ("truely-stateless", Free),
    ("command", Free),
    ("args", Free),
    ("env", Named(&SETTING)),
    ("cwd", Free),
    ("url", Free),
    ("headers", Named(&SETTING)),
    ("sessionId", Free),
    ("tools", Fields(&[("whitelist", Free), ("blacklist", Free), ("transform", TRANSFORMS)])),
    ("transform", TRANSFORMS),
    ("enabled", Free),
    ("manual", Free),
    ("prompts", Free),
    ("resources", Free),
]);

static SETTING: KeyOrder = Fields(&[("env", Free), ("prefix", Free)]);

const TRANSFORMS: KeyOrder =
    Items(&Fields(&[("prefix", Fields(&[("remove", Free), ("add", Free)])), ("suffix", Free)]));

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decode::MEMBER_KEYS;
    use crate::llm::ModelFields;

    fn keys(order: &KeyOrder) -> Vec<&str> {
        let Fields(fields) = order else { panic!("{order:?} has no keys") };
        fields.iter().map(|(key, _)| *key).collect()
    }

    #[test]
    fn every_known_key_is_ordered() {
        assert_eq!(keys(&MEMBER), MEMBER_KEYS);
        assert_eq!(keys(&MODEL), ModelFields::KEYS);
    }

    #[test]
    fn only_files_of_the_family_have_a_key_order() {
        for file in crate::scope().files {
            let is_yaml =
                minds_document::Format::of(file.path.as_str()) == Some(minds_document::Format::Yaml);
            assert_eq!(key_order(&file.to_string()).is_some(), is_yaml, "{file}");
        }
        assert!(key_order("mind.toml").is_none());
    }
}
