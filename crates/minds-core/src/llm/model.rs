//! The content of `llm.yaml`.

use minds_document::json_schema::{Keywords as _, Schema, json_schema};
use minds_document::yaml::KeyOrder;
use minds_document::{Field, Keys, List, Spanned, UrlKind};

use super::decode::{
    base_url, base_url_schema, positive, positive_schema, providers, providers_schema, quirks, quirks_schema,
};
use crate::EnvVar;

/// Model providers, in addition to the built-in ones.
///
/// The content of `llm.yaml`.
#[derive(Debug, Default, Keys)]
#[keys(title = "minds llm", describe)]
pub struct Llm {
    /// Providers by key; a provider with the key of a built-in one replaces it completely.
    ///
    /// Only the place is here; unreadable if it is not a mapping.
    #[key(name = "providers", required, decode = providers, schema = providers_schema, order = KeyOrder::named::<ProviderFields>())]
    pub providers_field: Field<()>,
    /// The providers in file order.
    #[key(skip)]
    pub providers: Vec<OwnProvider>,
    /// Whether the list is complete: no provider is outside of `providers`, and no merge key could add one.
    #[key(skip)]
    pub is_complete: bool,
}

/// An entry of `providers`.
#[derive(Debug)]
pub struct OwnProvider {
    /// The key that members refer to, with its place.
    pub key: Spanned<String>,
    /// Its fields; unreadable if the value is not a mapping.
    pub fields: Field<ProviderFields>,
}

/// The fields of a provider. It completely replaces a built-in provider with the same key.
#[derive(Debug, Default, Keys)]
#[keys(title = "provider", define = "provider", extend = require_where_used)]
pub struct ProviderFields {
    /// The display name.
    pub name: Field<String>,
    /// The protocol.
    #[key(name = "apiType", required)]
    pub api_type: Field<ApiType>,
    /// The base URL of requests.
    ///
    /// Not blank; a URL for every protocol except `mock`.
    #[key(name = "baseUrl", required, decode = base_url, schema = base_url_schema, examples = ["https://api.openai.com/v1"])]
    pub base_url: Field<String>,
    /// The environment variable with the API key; never the key itself.
    #[key(name = "apiKeyEnvVar")]
    pub api_key_env_var: Field<EnvVar>,
    /// The URL of the protocol documentation.
    pub tech_spec_url: Field<String>,
    /// The URL where API keys are managed.
    pub api_mgmt_url: Field<String>,
    /// Names of deviations from the protocol.
    ///
    /// A single string is a list of one.
    #[key(name = "apiQuirks", decode = quirks, schema = quirks_schema)]
    pub api_quirks: Field<List<String>>,
    /// Descriptions of the parameters that the models accept, by section and name; only for display.
    pub model_param_options: Field<ParamOptions>,
    /// The models by key.
    #[key(required)]
    pub models: Field<Models>,
}

/// Adds what the schema of a provider demands for its protocol.
fn require_where_used(schema: Schema) -> Schema {
    let keyed = ApiType::ALL.into_iter().filter(|api_type| api_type.needs_key()).map(ApiType::as_str);
    let keyed: Vec<&str> = keyed.collect();
    let with_url = ApiType::ALL.into_iter().filter(|api_type| api_type.has_url()).map(ApiType::as_str);
    let with_url: Vec<&str> = with_url.collect();
    let (url, message) = UrlKind::HTTP.pattern();
    let url = json_schema!({ "pattern": url, "patternErrorMessage": message });
    schema.require_where("apiType", &keyed, "apiKeyEnvVar").shape_where("apiType", &with_url, "baseUrl", url)
}

/// A protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ApiType {
    /// `codex`
    Codex,
    /// `anthropic`
    Anthropic,
    /// `anthropic-compatible`
    AnthropicCompatible,
    /// `openai`
    OpenAi,
    /// `openai-compatible`
    OpenAiCompatible,
    /// `google`
    Google,
    /// `mock`: replays answers from a file, for tests.
    Mock,
}

/// The models of a provider.
#[derive(Debug)]
pub struct Models {
    /// The models in file order.
    pub items: Vec<Model>,
    /// Whether all keys could be read.
    pub is_complete: bool,
    /// Whether the models are given as a list of names.
    pub is_list: bool,
}

/// One model.
#[derive(Debug)]
pub struct Model {
    /// The key that members refer to, with its place.
    pub key: Spanned<String>,
    /// Its fields; unreadable if the value is not a mapping, absent if it is only a name in a list.
    pub fields: Field<ModelFields>,
}

/// The fields of a model. Lengths are in tokens and greater than zero.
#[derive(Debug, Default, Keys)]
#[keys(title = "model", define = "model", open)]
pub struct ModelFields {
    /// The display name; the key by default.
    pub name: Field<String>,
    /// The total length of input and output, in tokens.
    #[key(decode = positive, schema = positive_schema)]
    pub context_length: Field<u64>,
    /// The maximum length of the input, in tokens.
    #[key(decode = positive, schema = positive_schema)]
    pub input_length: Field<u64>,
    /// The maximum length of the output, in tokens.
    #[key(decode = positive, schema = positive_schema)]
    pub output_length: Field<u64>,
    /// The length up to which the model performs best, in tokens.
    #[key(decode = positive, schema = positive_schema)]
    pub optimal_max_tokens: Field<u64>,
    /// The length from which the context must be reduced, in tokens.
    #[key(decode = positive, schema = positive_schema)]
    pub critical_max_tokens: Field<u64>,
    /// The number of answers after which a member is reminded again of a length above the optimum.
    #[key(decode = positive, schema = positive_schema)]
    pub caution_remediation_cadence_generations: Field<u64>,
    /// The display form of the context length.
    #[key(examples = ["272K"])]
    pub context_window: Field<String>,
    /// The optimization of requests.
    pub optimization: Field<String>,
    /// Whether the model can think before it answers.
    pub supports_thinking: Field<bool>,
    /// Whether the model thinks by default.
    pub default_thinking: Field<bool>,
    /// Whether the model accepts images.
    pub supports_image_input: Field<bool>,
    /// Whether requests can select the tool to use.
    pub supports_tool_choice: Field<bool>,
    /// The provider-specific keys, which are not read, without those that begin with `x-`.
    #[key(skip)]
    pub other_keys: Vec<Spanned<String>>,
}

/// Validated descriptions of parameters. They are documentation and available from the document.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ParamOptions;

impl ApiType {
    /// Every protocol.
    pub const ALL: [Self; 7] = [
        Self::Codex,
        Self::Anthropic,
        Self::AnthropicCompatible,
        Self::OpenAi,
        Self::OpenAiCompatible,
        Self::Google,
        Self::Mock,
    ];

    /// Returns the name used in files.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Codex => "codex",
            Self::Anthropic => "anthropic",
            Self::AnthropicCompatible => "anthropic-compatible",
            Self::OpenAi => "openai",
            Self::OpenAiCompatible => "openai-compatible",
            Self::Google => "google",
            Self::Mock => "mock",
        }
    }

    /// Returns what the name used in files means.
    pub(super) fn summary(self) -> &'static str {
        match self {
            Self::Codex => "Codex with its own account; needs no API key variable.",
            Self::Anthropic => "The Anthropic Messages API.",
            Self::AnthropicCompatible => "A service that is compatible with the Anthropic Messages API.",
            Self::OpenAi => "The OpenAI Responses API.",
            Self::OpenAiCompatible => "A service that is compatible with an OpenAI API.",
            Self::Google => "The Google Gemini API.",
            Self::Mock => "Replays answers from a file, for tests.",
        }
    }

    /// Returns whether a provider needs an environment variable with an API key: `codex` stores its key itself, and `mock`
    /// has none.
    pub fn needs_key(self) -> bool {
        !matches!(self, Self::Codex | Self::Mock)
    }

    /// Returns whether `baseUrl` is a URL; for [`Self::Mock`] it is a directory.
    pub fn has_url(self) -> bool {
        self != Self::Mock
    }
}

impl Llm {
    /// Returns all models with fields, of all providers.
    pub fn models(&self) -> impl Iterator<Item = &Spanned<ModelFields>> {
        let providers = self.providers.iter().filter_map(|provider| provider.fields.as_given());
        let models = providers.filter_map(|fields| fields.value.models.as_given());
        models.flat_map(|models| &models.value.items).filter_map(|model| model.fields.as_given())
    }
}
