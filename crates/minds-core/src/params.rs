//! The parameters of models: which there are, of which type, and what they do.
//!
//! The keys are those of the specification's version and of later ones together, as recorded in the shipped catalogs
//! (`data/llm-defaults.json`) and in the reference of the format. Numbers have no range here: what a provider takes is
//! its own affair and changes with its models.

/// What a parameter may be.
#[derive(Clone, Copy)]
pub(crate) enum Kind {
    Bool,
    Number,
    Text,
    Texts,
    TextOrTexts,
    NumbersByName,
    /// A boolean, one of a few words, or a mapping of the provider's own.
    Thinking,
    OneOf(&'static [Word]),
}

/// A word that a value can be, and what it means.
pub(crate) type Word = (&'static str, &'static str);

/// A parameter.
pub(crate) struct Param {
    pub(crate) name: &'static str,
    pub(crate) kind: Kind,
    pub(crate) description: &'static str,
}

/// A group of parameters, by the kind of provider that reads them.
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

    /// Returns whether the group has a parameter.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.params().any(|param| param.name == name)
    }
}

const fn param(name: &'static str, kind: Kind, description: &'static str) -> Param {
    Param { name, kind, description }
}

/// How much a model thinks.
pub(crate) const EFFORTS: &[Word] = &[
    ("none", "No reasoning before the answer."),
    ("minimal", "As little reasoning as the model can do."),
    ("low", "Little reasoning: fast and cheap."),
    ("medium", "The balance that most models default to."),
    ("high", "Much reasoning for hard work."),
    ("xhigh", "More than high, where the model has it."),
    ("max", "The highest effort that the model has."),
];

/// The levels of thinking of models that take a word for it.
pub(crate) const THINKING: &[Word] = &[
    ("auto", "The model decides."),
    ("low", "Little thinking."),
    ("medium", "Some thinking."),
    ("high", "Much thinking."),
];

const VERBOSITIES: &[Word] =
    &[("low", "Short answers."), ("medium", "Answers of usual length."), ("high", "Detailed answers.")];
const CONTEXT_SIZES: &[Word] = &[
    ("low", "Little of what was found goes into the answer."),
    ("medium", "Some of what was found goes into the answer."),
    ("high", "Much of what was found goes into the answer."),
];
const SUMMARIES: &[Word] = &[
    ("auto", "The most detailed summary that the model has."),
    ("concise", "A short summary."),
    ("detailed", "A detailed summary."),
    ("none", "No summary."),
];
const TIERS: &[Word] = &[
    ("auto", "The tier of the project's settings."),
    ("default", "The standard tier."),
    ("flex", "Cheaper and slower."),
    ("scale", "Capacity that was bought in advance."),
    ("priority", "Faster and more expensive."),
];
const FORMATS: &[Word] = &[
    ("text", "Plain text."),
    ("json_object", "Any JSON object."),
    ("json_schema", "JSON that matches a schema."),
];
const SEARCHES: &[Word] = &[
    ("disabled", "No search."),
    ("cached", "Search in what was stored before."),
    ("live", "Search on the web of now."),
];

/// Parameters that every provider reads.
pub(crate) const GENERAL: &[Param] = &[
    param("max_tokens", Kind::Number, "The number of tokens that an answer may have."),
    param("json_response", Kind::Bool, "Whether answers are JSON."),
];

const OPENAI_STYLE: &[Param] = &[
    param("temperature", Kind::Number, "How freely words are chosen; lower is steadier."),
    param("max_tokens", Kind::Number, "The number of tokens that an answer may have."),
    param("top_p", Kind::Number, "The share of probability from which words are chosen."),
    param("frequency_penalty", Kind::Number, "How much words that were often used are avoided."),
    param("presence_penalty", Kind::Number, "How much words that were used at all are avoided."),
    param("seed", Kind::Number, "A number that makes answers more repeatable."),
    param("top_logprobs", Kind::Number, "For how many candidates probabilities are returned."),
    param("logprobs", Kind::Bool, "Whether probabilities of the words are returned."),
    param("parallel_tool_calls", Kind::Bool, "Whether the model may call several tools at once."),
    param("stop", Kind::TextOrTexts, "A text, or texts, at which the answer ends."),
    param("logit_bias", Kind::NumbersByName, "By token, how much more or less likely it becomes."),
    param("user", Kind::Text, "Who asks, as the provider shall see it."),
    param("reasoning_effort", Kind::OneOf(EFFORTS), "How much the model reasons before it answers."),
    param("verbosity", Kind::OneOf(VERBOSITIES), "How long answers are."),
    param("reasoning_summary", Kind::OneOf(SUMMARIES), "Which summary of the reasoning is returned."),
    param("service_tier", Kind::OneOf(TIERS), "Which capacity of the provider is used."),
    param("json_response", Kind::Bool, "Whether answers are JSON."),
];

const CODEX: &[Param] =
    &[param("web_search", Kind::OneOf(SEARCHES), "Whether and where the model searches the web.")];

const OPENAI: &[Param] = &[
    param("safety_identifier", Kind::Text, "A stable name of the user for the provider's safety checks."),
    param("text_format", Kind::OneOf(FORMATS), "The form of answers."),
    param("text_format_json_schema", Kind::Text, "The schema of answers, as JSON in a text."),
    param("text_format_json_schema_name", Kind::Text, "The name of the schema of answers."),
    param("text_format_json_schema_strict", Kind::Bool, "Whether answers must match the schema exactly."),
    param("web_search_tool", Kind::Bool, "Whether the model may search the web."),
    param("web_search_context_size", Kind::OneOf(CONTEXT_SIZES), "How much of what was found is used."),
    param("web_search_allowed_domains", Kind::Texts, "The domains to which searches are limited."),
    param("web_search_include_sources", Kind::Bool, "Whether answers name their sources."),
];

const OPENAI_COMPATIBLE: &[Param] = &[
    param("reasoning_split", Kind::Bool, "Whether the reasoning is returned apart from the answer."),
    param("text_format", Kind::OneOf(FORMATS), "The form of answers."),
    param("thinking", Kind::Thinking, "Whether, or how much, the model thinks before it answers."),
];

const ANTHROPIC: &[Param] = &[
    param("temperature", Kind::Number, "How freely words are chosen; lower is steadier."),
    param("max_tokens", Kind::Number, "The number of tokens that an answer may have."),
    param("top_p", Kind::Number, "The share of probability from which words are chosen."),
    param("top_k", Kind::Number, "The number of candidates from which words are chosen."),
    param("stop_sequences", Kind::Texts, "Texts at which the answer ends."),
    param("reasoning_split", Kind::Bool, "Whether the reasoning is returned apart from the answer."),
    param("json_response", Kind::Bool, "Whether answers are JSON."),
    param("thinking", Kind::Thinking, "Whether, or how much, the model thinks before it answers."),
];

const GOOGLE: &[Param] = &[
    param("temperature", Kind::Number, "How freely words are chosen; lower is steadier."),
    param("max_tokens", Kind::Number, "The number of tokens that an answer may have."),
    param("top_p", Kind::Number, "The share of probability from which words are chosen."),
    param("thinking", Kind::Thinking, "Whether, or how much, the model thinks before it answers."),
    param("thinking_budget", Kind::Number, "The number of tokens that may be spent on thinking."),
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
