//! The content of `llm.yaml`.

use minds_document::{Field, List, Spanned};

use crate::EnvVar;

/// The content of `llm.yaml`.
#[derive(Debug, Default)]
pub struct Llm {
    /// The providers in file order.
    pub providers: Vec<OwnProvider>,
    /// The place of `providers`, if given; unreadable if it is not a mapping.
    pub providers_field: Field<()>,
    /// Whether the list is complete: no provider is outside of `providers`, and no merge key could add one.
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
#[derive(Debug, Default)]
pub struct ProviderFields {
    /// The display name.
    pub name: Field<String>,
    /// The protocol.
    pub api_type: Field<ApiType>,
    /// The base URL of requests. Not blank; a URL for every protocol except `mock`.
    pub base_url: Field<String>,
    /// The environment variable with the API key.
    pub api_key_env_var: Field<EnvVar>,
    /// The URL of the protocol documentation.
    pub tech_spec_url: Field<String>,
    /// The URL where API keys are managed.
    pub api_mgmt_url: Field<String>,
    /// Names of deviations from the protocol; a single string is a list of one.
    pub api_quirks: Field<List<String>>,
    /// The parameters that the models accept.
    pub model_param_options: Field<ParamOptions>,
    /// The models.
    pub models: Field<Models>,
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
#[derive(Debug, Default)]
pub struct ModelFields {
    /// The display name.
    pub name: Field<String>,
    /// The total length of input and output.
    pub context_length: Field<u64>,
    /// The maximum length of the input.
    pub input_length: Field<u64>,
    /// The maximum length of the output.
    pub output_length: Field<u64>,
    /// The length up to which the model performs best.
    pub optimal_max_tokens: Field<u64>,
    /// The length from which the context must be reduced.
    pub critical_max_tokens: Field<u64>,
    /// The number of answers after which a member is reminded again of a length above the optimum.
    pub caution_remediation_cadence_generations: Field<u64>,
    /// The display form of the context length, such as `272K`.
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

impl ModelFields {
    /// The keys that the format defines.
    pub const KEYS: [&'static str; 13] = [
        "name",
        "context_length",
        "input_length",
        "output_length",
        "optimal_max_tokens",
        "critical_max_tokens",
        "caution_remediation_cadence_generations",
        "context_window",
        "optimization",
        "supports_thinking",
        "default_thinking",
        "supports_image_input",
        "supports_tool_choice",
    ];
}
