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
                providers.described(
                    "Providers by key; one with the key of a built-in provider replaces it whole.",
                ),
            )
            .required(&["providers"])
            .map(|schema| schema.described("Providers of models, beside the built-in ones."))
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
            .field("name", |provider| &provider.name, "The name that people see.")
            .field("apiType", |provider| &provider.api_type, "The protocol.")
            .key(
                "baseUrl",
                Schema::not_blank().described("Where requests go.").examples(["https://api.openai.com/v1"]),
            )
            .field(
                "apiKeyEnvVar",
                |provider| &provider.api_key_env_var,
                "The environment variable that holds the key; never the key itself.",
            )
            .field("tech_spec_url", |provider| &provider.tech_spec_url, "Where the protocol is described.")
            .field("api_mgmt_url", |provider| &provider.api_mgmt_url, "Where keys are made.")
            .key(
                "apiQuirks",
                Schema::either([Schema::string(), List::<String>::schema()])
                    .described("Names of deviations from the protocol."),
            )
            .field(
                "model_param_options",
                |provider| &provider.model_param_options,
                "Which parameters the models take, by section and name; for people.",
            )
            .field("models", |provider| &provider.models, "The models, by key.")
            .required(&["apiType", "baseUrl", "models"])
            .required_where("apiType", &keyed, "apiKeyEnvVar")
            .shaped_where("apiType", &with_url, "baseUrl", Schema::any().pattern(&url, &message))
            .finish()
            .shared("provider")
    }
}

impl Describe for ApiType {
    fn schema() -> Schema {
        Schema::words(Self::ALL.into_iter().map(|api_type| (api_type.as_str(), meaning(api_type))))
    }
}

fn meaning(api_type: ApiType) -> &'static str {
    match api_type {
        ApiType::Codex => "Codex with the account of its own program; needs no variable with a key.",
        ApiType::Anthropic => "The messages API of Anthropic.",
        ApiType::AnthropicCompatible => "Another service that speaks the messages API.",
        ApiType::OpenAi => "The responses API of OpenAI.",
        ApiType::OpenAiCompatible => "Another service that speaks an API of OpenAI.",
        ApiType::Google => "The Gemini API.",
        ApiType::Mock => "Answers from a file, for tests.",
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
        let tokens = |description| Schema::integer(1, None).described(description);
        Object::<Self>::new("model")
            .field("name", |model| &model.name, "The name that people see; the key if there is none.")
            .key("context_length", tokens("The length of input and output together, in tokens."))
            .key("input_length", tokens("The length of the input, in tokens."))
            .key("output_length", tokens("The length of the output, in tokens."))
            .key("optimal_max_tokens", tokens("The length up to which the model is at its best, in tokens."))
            .key(
                "critical_max_tokens",
                tokens("The length from which something must be done about it, in tokens."),
            )
            .key(
                "caution_remediation_cadence_generations",
                tokens("After how many answers a member is reminded of a length that is no longer the best."),
            )
            .key(
                "context_window",
                String::schema().described("The length as people see it.").examples(["272K"]),
            )
            .field("optimization", |model| &model.optimization, "How requests are optimized.")
            .field(
                "supports_thinking",
                |model| &model.supports_thinking,
                "Whether the model can think first.",
            )
            .field("default_thinking", |model| &model.default_thinking, "Whether it does so by default.")
            .field("supports_image_input", |model| &model.supports_image_input, "Whether it takes pictures.")
            .field(
                "supports_tool_choice",
                |model| &model.supports_tool_choice,
                "Whether it can be told which tool to use.",
            )
            .open()
            .finish()
            .shared("model")
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
            .key("type", kind.described("The type of the parameter; `|` between two types means either."))
            .key("description", Schema::string().described("What the parameter does."))
            .key("min", Schema::number().described("The least value."))
            .key("max", Schema::number().described("The greatest value."))
            .key("values", Schema::list(Schema::any()).described("The values of an enumeration."))
            .key("default", Schema::any().described("What counts where nothing is written."))
            .key("prominent", bool::schema().described("Whether the parameter is shown first."))
            .key("value_labels", labels.described("What people see instead of a value."))
            .finish();
        let section = Schema::mapping(param).user_keys().no_merge_key();
        Schema::mapping(section).user_keys().no_merge_key()
    }
}
