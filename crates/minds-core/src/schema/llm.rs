//! `llm.yaml`

use minds_document::schema::{Describe, Object, Schema};
use minds_document::{List, UrlKind};
use serde_json::json;

use crate::llm::param_options::TYPES;
use crate::llm::{ApiType, Llm, ModelFields, Models, ParamOptions, ProviderFields};

impl Describe for Llm {
    fn schema() -> Schema {
        let providers = Schema::mapping(ProviderFields::schema()).user_keys().no_merge_key().snippet(
            "provider",
            "A provider with one model",
            &json!({
                "${1:my-provider}": {
                    "name": "${2:My provider}",
                    "apiType": "${3:openai-compatible}",
                    "baseUrl": "${4:https://api.example.com/v1}",
                    "apiKeyEnvVar": "${5:MY_API_KEY}",
                    "models": { "${6:model}": { "context_length": 128_000 } },
                },
            }),
        );
        Object::<Self>::new("minds llm")
            .key(
                "providers",
                providers.describe(
                    "Providers by key; a provider with the key of a built-in one replaces it completely.",
                ),
            )
            .require_keys(&["providers"])
            .map(|schema| schema.describe("Model providers, in addition to the built-in ones."))
            .finish()
    }
}

impl Describe for ProviderFields {
    fn schema() -> Schema {
        let keyed = ApiType::ALL.into_iter().filter(|api_type| api_type.needs_key()).map(ApiType::as_str);
        let keyed: Vec<&str> = keyed.collect();
        let with_url = ApiType::ALL.into_iter().filter(|api_type| api_type.has_url()).map(ApiType::as_str);
        let with_url: Vec<&str> = with_url.collect();
        let (url, message) = UrlKind::HTTP.pattern();
        Object::<Self>::new("provider")
            .field("name", |provider| &provider.name, "The display name.")
            .field("apiType", |provider| &provider.api_type, "The protocol.")
            .key(
                "baseUrl",
                Schema::not_blank().describe("The base URL of requests.").examples(["https://api.openai.com/v1"]),
            )
            .field(
                "apiKeyEnvVar",
                |provider| &provider.api_key_env_var,
                "The environment variable with the API key; never the key itself.",
            )
            .field("tech_spec_url", |provider| &provider.tech_spec_url, "The URL of the protocol documentation.")
            .field("api_mgmt_url", |provider| &provider.api_mgmt_url, "The URL where API keys are managed.")
            .key(
                "apiQuirks",
                Schema::either([Schema::string(), List::<String>::schema()])
                    .describe("Names of deviations from the protocol."),
            )
            .field(
                "model_param_options",
                |provider| &provider.model_param_options,
                "Descriptions of the parameters that the models accept, by section and name; only for display.",
            )
            .field("models", |provider| &provider.models, "The models by key.")
            .require_keys(&["apiType", "baseUrl", "models"])
            .required_where("apiType", &keyed, "apiKeyEnvVar")
            .shaped_where("apiType", &with_url, "baseUrl", Schema::any().pattern(&url, &message))
            .finish()
            .define("provider")
    }
}

impl Describe for ApiType {
    fn schema() -> Schema {
        Schema::words(Self::ALL.into_iter().map(|api_type| (api_type.as_str(), meaning(api_type))))
    }
}

fn meaning(api_type: ApiType) -> &'static str {
    match api_type {
        ApiType::Codex => "Codex with its own account; needs no API key variable.",
        ApiType::Anthropic => "The Anthropic Messages API.",
        ApiType::AnthropicCompatible => "A service that is compatible with the Anthropic Messages API.",
        ApiType::OpenAi => "The OpenAI Responses API.",
        ApiType::OpenAiCompatible => "A service that is compatible with an OpenAI API.",
        ApiType::Google => "The Google Gemini API.",
        ApiType::Mock => "Replays answers from a file, for tests.",
    }
}

impl Describe for Models {
    fn schema() -> Schema {
        let models = Schema::mapping(ModelFields::schema()).user_keys().no_merge_key().snippet(
            "model",
            "A model with its lengths in tokens",
            &json!({
                "${1:model}": {
                    "name": "${2:Model}",
                    "context_length": 128_000,
                    "input_length": 128_000,
                    "output_length": 8_192,
                    "context_window": "128K",
                },
            }),
        );
        Schema::either([models, List::<String>::schema()])
    }
}

impl Describe for ModelFields {
    fn schema() -> Schema {
        let tokens = |description| Schema::integer(1, None).describe(description);
        Object::<Self>::new("model")
            .field("name", |model| &model.name, "The display name; the key by default.")
            .key("context_length", tokens("The total length of input and output, in tokens."))
            .key("input_length", tokens("The maximum length of the input, in tokens."))
            .key("output_length", tokens("The maximum length of the output, in tokens."))
            .key("optimal_max_tokens", tokens("The length up to which the model performs best, in tokens."))
            .key(
                "critical_max_tokens",
                tokens("The length from which the context must be reduced, in tokens."),
            )
            .key(
                "caution_remediation_cadence_generations",
                tokens("The number of answers after which a member is reminded again of a length above the optimum."),
            )
            .key(
                "context_window",
                String::schema().describe("The display form of the context length.").examples(["272K"]),
            )
            .field("optimization", |model| &model.optimization, "The optimization of requests.")
            .field(
                "supports_thinking",
                |model| &model.supports_thinking,
                "Whether the model can think before it answers.",
            )
            .field("default_thinking", |model| &model.default_thinking, "Whether the model thinks by default.")
            .field("supports_image_input", |model| &model.supports_image_input, "Whether the model accepts images.")
            .field(
                "supports_tool_choice",
                |model| &model.supports_tool_choice,
                "Whether requests can select the tool to use.",
            )
            .open()
            .finish()
            .define("model")
    }
}

impl Describe for ParamOptions {
    fn schema() -> Schema {
        let types = TYPES.join("|");
        let several = format!("^\\s*({types})\\s*(\\|\\s*({types})\\s*)+$");
        let kind = Schema::either([
            Schema::words(TYPES.into_iter().map(|word| (word, ""))),
            Schema::string().with("pattern", json!(several)),
        ]);
        let labels = Schema::mapping(Schema::string()).user_keys().no_merge_key();
        let param = Object::<()>::new("parameter")
            .key("type", kind.describe("The type of the parameter; `|` separates alternatives."))
            .key("description", Schema::string().describe("What the parameter does."))
            .key("min", Schema::number().describe("The minimum value."))
            .key("max", Schema::number().describe("The maximum value."))
            .key("values", Schema::list(Schema::any()).describe("The values of an enumeration."))
            .key("default", Schema::any().describe("The default value."))
            .key("prominent", bool::schema().describe("Whether the parameter is displayed prominently."))
            .key("value_labels", labels.describe("The display labels of values."))
            .finish();
        let section = Schema::mapping(param).user_keys().no_merge_key();
        Schema::mapping(section).user_keys().no_merge_key()
    }
}
