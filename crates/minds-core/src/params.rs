//! The parameters of models: their names, types and descriptions.
//!
//! The keys are the union of all versions of the specification, as recorded in the shipped catalogs
//! (`data/llm-defaults.json`) and in the reference of the format. Numbers have no range, because the accepted values depend
//! on the provider and change with its models.

/// The type of a parameter.
#[derive(Clone, Copy)]
pub(crate) enum Kind {
    Bool,
    Number,
    Text,
    TextList,
    TextOrList,
    NumbersByName,
    /// A boolean, one of a few keywords, or a provider-specific mapping.
    Thinking,
    OneOf(&'static [ValueDescription]),
}

/// A possible value, and its description.
pub(crate) type ValueDescription = (&'static str, &'static str);

/// A parameter.
pub(crate) struct Param {
    pub(crate) name: &'static str,
    pub(crate) kind: Kind,
    pub(crate) description: &'static str,
}

/// The parameters of one type of provider.
pub(crate) struct Section {
    pub(crate) name: &'static str,
    pub(crate) description: &'static str,
    groups: &'static [&'static [Param]],
}

impl Section {
    /// Returns the parameters of the group.
    pub(crate) fn params(&self) -> impl Iterator<Item = &'static Param> {
        self.groups.iter().flat_map(|params| params.iter())
    }

    /// Returns whether the group contains a parameter.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.params().any(|param| param.name == name)
    }
}

const fn param(name: &'static str, kind: Kind, description: &'static str) -> Param {
    Param { name, kind, description }
}

/// The levels of reasoning effort.
pub(crate) const EFFORTS: &[ValueDescription] = &[
    ("none", "No reasoning before the answer."),
    ("minimal", "As little reasoning as the model can do."),
    ("low", "Little reasoning; fast and cheap."),
    ("medium", "Balanced reasoning, the default of most models."),
    ("high", "Extensive reasoning for difficult tasks."),
    ("xhigh", "More than `high`, if the model supports it."),
    ("max", "The highest effort that the model supports."),
];

/// The levels of thinking of models that accept a keyword.
pub(crate) const THINKING: &[ValueDescription] = &[
    ("auto", "The model decides."),
    ("low", "Little thinking."),
    ("medium", "Some thinking."),
    ("high", "Extensive thinking."),
];

const VERBOSITIES: &[ValueDescription] =
    &[("low", "Short answers."), ("medium", "Answers of medium length."), ("high", "Detailed answers.")];
const CONTEXT_SIZES: &[ValueDescription] = &[
    ("low", "A small part of the search results is used."),
    ("medium", "A medium part of the search results is used."),
    ("high", "A large part of the search results is used."),
];
const SUMMARIES: &[ValueDescription] = &[
    ("auto", "The most detailed summary that the model supports."),
    ("concise", "A short summary."),
    ("detailed", "A detailed summary."),
    ("none", "No summary."),
];
const TIERS: &[ValueDescription] = &[
    ("auto", "The tier from the project settings."),
    ("default", "The standard tier."),
    ("flex", "Cheaper and slower."),
    ("scale", "Prepaid capacity."),
    ("priority", "Faster and more expensive."),
];
const FORMATS: &[ValueDescription] = &[
    ("text", "Plain text."),
    ("json_object", "Any JSON object."),
    ("json_schema", "JSON that matches a schema."),
];
const SEARCHES: &[ValueDescription] =
    &[("disabled", "No search."), ("cached", "Search in cached pages."), ("live", "Live web search.")];

/// Parameters that every provider reads.
pub(crate) const GENERAL: &[Param] = &[
    param("max_tokens", Kind::Number, "The maximum number of tokens of an answer."),
    param("json_response", Kind::Bool, "Whether answers are JSON."),
];

const OPENAI_STYLE: &[Param] = &[
    param("temperature", Kind::Number, "The sampling temperature; lower values are more deterministic."),
    param("max_tokens", Kind::Number, "The maximum number of tokens of an answer."),
    param("top_p", Kind::Number, "The cumulative probability for nucleus sampling."),
    param("frequency_penalty", Kind::Number, "The penalty for tokens by frequency of use."),
    param("presence_penalty", Kind::Number, "The penalty for tokens that have been used."),
    param("seed", Kind::Number, "The random seed, for more reproducible answers."),
    param("top_logprobs", Kind::Number, "The number of candidates with returned log probabilities."),
    param("logprobs", Kind::Bool, "Whether log probabilities are returned."),
    param("parallel_tool_calls", Kind::Bool, "Whether the model may call several tools at once."),
    param("stop", Kind::TextOrList, "One or more strings at which the answer ends."),
    param("logit_bias", Kind::NumbersByName, "The bias of individual tokens, by token."),
    param("user", Kind::Text, "The user identifier that is sent to the provider."),
    param("reasoning_effort", Kind::OneOf(EFFORTS), "How much the model reasons before it answers."),
    param("verbosity", Kind::OneOf(VERBOSITIES), "The length of answers."),
    param("reasoning_summary", Kind::OneOf(SUMMARIES), "Which summary of the reasoning is returned."),
    param("service_tier", Kind::OneOf(TIERS), "The service tier of the provider."),
    param("json_response", Kind::Bool, "Whether answers are JSON."),
];

const CODEX: &[Param] =
    &[param("web_search", Kind::OneOf(SEARCHES), "Whether and where the model searches the web.")];

const OPENAI: &[Param] = &[
    param("safety_identifier", Kind::Text, "A stable name of the user for the provider's safety checks."),
    param("text_format", Kind::OneOf(FORMATS), "The format of answers."),
    param("text_format_json_schema", Kind::Text, "The JSON schema of answers, as a string."),
    param("text_format_json_schema_name", Kind::Text, "The name of the schema of answers."),
    param("text_format_json_schema_strict", Kind::Bool, "Whether answers must match the schema exactly."),
    param("web_search_tool", Kind::Bool, "Whether the model may search the web."),
    param(
        "web_search_context_size",
        Kind::OneOf(CONTEXT_SIZES),
        "The amount of search results that is used.",
    ),
    param("web_search_allowed_domains", Kind::TextList, "The domains to which searches are limited."),
    param("web_search_include_sources", Kind::Bool, "Whether answers include their sources."),
];

const OPENAI_COMPATIBLE: &[Param] = &[
    param("reasoning_split", Kind::Bool, "Whether the reasoning is returned separately from the answer."),
    param("text_format", Kind::OneOf(FORMATS), "The format of answers."),
    param("thinking", Kind::Thinking, "Whether, or how much, the model thinks before it answers."),
];

const ANTHROPIC: &[Param] = &[
    param("temperature", Kind::Number, "The sampling temperature; lower values are more deterministic."),
    param("max_tokens", Kind::Number, "The maximum number of tokens of an answer."),
    param("top_p", Kind::Number, "The cumulative probability for nucleus sampling."),
    param("top_k", Kind::Number, "The number of candidates for top-k sampling."),
    param("stop_sequences", Kind::TextList, "Strings at which the answer ends."),
    param("reasoning_split", Kind::Bool, "Whether the reasoning is returned separately from the answer."),
    param("json_response", Kind::Bool, "Whether answers are JSON."),
    param("thinking", Kind::Thinking, "Whether, or how much, the model thinks before it answers."),
];

const GOOGLE: &[Param] = &[
    param("temperature", Kind::Number, "The sampling temperature; lower values are more deterministic."),
    param("max_tokens", Kind::Number, "The maximum number of tokens of an answer."),
    param("top_p", Kind::Number, "The cumulative probability for nucleus sampling."),
    param("thinking", Kind::Thinking, "Whether, or how much, the model thinks before it answers."),
    param("thinking_budget", Kind::Number, "The maximum number of tokens for thinking."),
    param("google_search_tool", Kind::Bool, "Whether the model may search with Google."),
    param("json_response", Kind::Bool, "Whether answers are JSON."),
];

/// The groups of parameters.
pub(crate) const SECTIONS: &[Section] = &[
    Section {
        name: "codex",
        description: "Parameters for providers of the type `codex`.",
        groups: &[OPENAI_STYLE, CODEX],
    },
    Section {
        name: "openai",
        description: "Parameters for providers of the type `openai`.",
        groups: &[OPENAI_STYLE, OPENAI],
    },
    Section {
        name: "openai-compatible",
        description: "Parameters for providers of the type `openai-compatible`.",
        groups: &[OPENAI_STYLE, OPENAI_COMPATIBLE],
    },
    Section {
        name: "anthropic",
        description: "Parameters for providers of the type `anthropic`.",
        groups: &[ANTHROPIC],
    },
    Section {
        name: "anthropic-compatible",
        description: "Parameters for providers of the type `anthropic-compatible`.",
        groups: &[ANTHROPIC],
    },
    Section {
        name: "google",
        description: "Parameters for providers of the type `google`.",
        groups: &[GOOGLE],
    },
];
