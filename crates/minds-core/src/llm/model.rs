//! The providers as their file says them.

use minds_document::{Field, List, Spanned};

use crate::EnvVar;

/// What `llm.yaml` says.
#[derive(Debug, Default)]
pub struct Llm {
    /// The providers, in the order of the file.
    pub providers: Vec<OwnProvider>,
    /// The place of `providers`, if it is there; unreadable if it is no mapping.
    pub providers_field: Field<()>,
    /// Whether all providers are among these: none stands outside of `providers`, and none may come from elsewhere.
    pub is_complete: bool,
}

/// An entry of `providers`.
#[derive(Debug)]
pub struct OwnProvider {
    /// The key that members name, at its place.
    pub key: Spanned<String>,
    /// What it says; unreadable if it is no mapping.
    pub fields: Field<ProviderFields>,
}

/// What a provider says. It takes the place of a built-in provider with the same key whole.
#[derive(Debug, Default)]
pub struct ProviderFields {
    /// The name that people see.
    pub name: Field<String>,
    /// The protocol.
    pub api_type: Field<ApiType>,
    /// Where requests go. Not blank; a URL for every protocol but `mock`.
    pub base_url: Field<String>,
    /// The environment variable that holds the key.
    pub api_key_env_var: Field<EnvVar>,
    /// Where the protocol is described.
    pub tech_spec_url: Field<String>,
    /// Where keys are made.
    pub api_mgmt_url: Field<String>,
    /// Names of deviations from the protocol; one text is a list of one.
    pub api_quirks: Field<List<String>>,
    /// Which parameters the models take.
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
    /// `mock`: answers from a file, for tests.
    Mock,
}

/// The models of a provider.
#[derive(Debug)]
pub struct Models {
    /// The models, in the order of the file.
    pub items: Vec<Model>,
    /// Whether all keys could be read.
    pub is_complete: bool,
    /// Whether they are given as a list of names.
    pub is_list: bool,
}

/// One model.
#[derive(Debug)]
pub struct Model {
    /// The key that members name, at its place.
    pub key: Spanned<String>,
    /// What it says; unreadable if it is no mapping, absent if it is only a name in a list.
    pub fields: Field<ModelFields>,
}

/// What a model says. Lengths are in tokens and above zero.
#[derive(Debug, Default)]
pub struct ModelFields {
    /// The name that people see.
    pub name: Field<String>,
    /// The length of input and output together.
    pub context_length: Field<u64>,
    /// The length of the input.
    pub input_length: Field<u64>,
    /// The length of the output.
    pub output_length: Field<u64>,
    /// The length up to which the model is at its best.
    pub optimal_max_tokens: Field<u64>,
    /// The length from which something must be done about it.
    pub critical_max_tokens: Field<u64>,
    /// After how many answers a member is reminded of a length that is no longer the best.
    pub caution_remediation_cadence_generations: Field<u64>,
    /// The length as people see it, such as `272K`.
    pub context_window: Field<String>,
    /// How requests are optimized.
    pub optimization: Field<String>,
    /// Whether the model can think before it answers.
    pub supports_thinking: Field<bool>,
    /// Whether it does so unless it is told otherwise.
    pub default_thinking: Field<bool>,
    /// Whether it takes pictures.
    pub supports_image_input: Field<bool>,
    /// Whether it can be told which tool to use.
    pub supports_tool_choice: Field<bool>,
    /// The keys that belong to the provider and are not read, without those that begin with `x-`.
    pub other_keys: Vec<Spanned<String>>,
}

/// Descriptions of parameters whose shape was found to be right. They are documentation and stay in the document.
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

    /// Returns the name that files use.
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

    /// Returns whether a provider needs the name of a variable that holds its key: `codex` has a place of its own for
    /// it, `mock` has none.
    pub fn needs_key(self) -> bool {
        !matches!(self, Self::Codex | Self::Mock)
    }

    /// Returns whether `baseUrl` is a URL; [`Self::Mock`] reads a directory.
    pub fn has_url(self) -> bool {
        self != Self::Mock
    }
}

impl Llm {
    /// Returns all models that say something, of all providers.
    pub fn models(&self) -> impl Iterator<Item = &Spanned<ModelFields>> {
        let providers = self.providers.iter().filter_map(|provider| provider.fields.given());
        let models = providers.filter_map(|fields| fields.value.models.given());
        models.flat_map(|models| &models.value.items).filter_map(|model| model.fields.given())
    }
}

impl ModelFields {
    /// The keys that the format knows.
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
