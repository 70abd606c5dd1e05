//! Parameters of models: which there are, and of which type.
//!
//! The keys are those of the specification's version and of later ones together, as recorded in the shipped catalogs
//! (`data/llm-defaults.json`) and in the reference of the format. Numbers have no range here: what a provider takes is
//! its own affair and changes with its models.

use minds_document::{Context, Decode, FiniteNumber, List, Node, Text, Value};

use crate::model::ModelParams;
use crate::texts::one_of;

/// What a parameter may be.
#[derive(Clone, Copy)]
enum Param {
    Bool,
    Number,
    Text,
    Texts,
    TextOrTexts,
    NumbersByName,
    /// A boolean, one of a few words, or a mapping of the provider's own.
    Thinking,
    OneOf(&'static [&'static str]),
}

/// A group of parameters, by the kind of provider that reads them.
pub(crate) struct Section {
    name: &'static str,
    params: &'static [&'static [(&'static str, Param)]],
}

const EFFORTS: &[&str] = &["none", "minimal", "low", "medium", "high", "xhigh", "max"];
const LEVELS: &[&str] = &["low", "medium", "high"];
const SUMMARIES: &[&str] = &["auto", "concise", "detailed", "none"];
const TIERS: &[&str] = &["auto", "default", "flex", "scale", "priority"];
const FORMATS: &[&str] = &["text", "json_object", "json_schema"];

const GENERAL: &[(&str, Param)] = &[("max_tokens", Param::Number), ("json_response", Param::Bool)];

const OPENAI_STYLE: &[(&str, Param)] = &[
    ("temperature", Param::Number),
    ("max_tokens", Param::Number),
    ("top_p", Param::Number),
    ("frequency_penalty", Param::Number),
    ("presence_penalty", Param::Number),
    ("seed", Param::Number),
    ("top_logprobs", Param::Number),
    ("logprobs", Param::Bool),
    ("parallel_tool_calls", Param::Bool),
    ("stop", Param::TextOrTexts),
    ("logit_bias", Param::NumbersByName),
    ("user", Param::Text),
    ("reasoning_effort", Param::OneOf(EFFORTS)),
    ("verbosity", Param::OneOf(LEVELS)),
    ("reasoning_summary", Param::OneOf(SUMMARIES)),
    ("service_tier", Param::OneOf(TIERS)),
    ("json_response", Param::Bool),
];

const CODEX: &[(&str, Param)] = &[("web_search", Param::OneOf(&["disabled", "cached", "live"]))];

const OPENAI: &[(&str, Param)] = &[
    ("safety_identifier", Param::Text),
    ("text_format", Param::OneOf(FORMATS)),
    ("text_format_json_schema", Param::Text),
    ("text_format_json_schema_name", Param::Text),
    ("text_format_json_schema_strict", Param::Bool),
    ("web_search_tool", Param::Bool),
    ("web_search_context_size", Param::OneOf(LEVELS)),
    ("web_search_allowed_domains", Param::Texts),
    ("web_search_include_sources", Param::Bool),
];

const OPENAI_COMPATIBLE: &[(&str, Param)] = &[
    ("reasoning_split", Param::Bool),
    ("text_format", Param::OneOf(FORMATS)),
    ("thinking", Param::Thinking),
];

const ANTHROPIC: &[(&str, Param)] = &[
    ("temperature", Param::Number),
    ("max_tokens", Param::Number),
    ("top_p", Param::Number),
    ("top_k", Param::Number),
    ("stop_sequences", Param::Texts),
    ("reasoning_split", Param::Bool),
    ("json_response", Param::Bool),
    ("thinking", Param::Thinking),
];

const GOOGLE: &[(&str, Param)] = &[
    ("temperature", Param::Number),
    ("max_tokens", Param::Number),
    ("top_p", Param::Number),
    ("thinking", Param::Thinking),
    ("thinking_budget", Param::Number),
    ("google_search_tool", Param::Bool),
    ("json_response", Param::Bool),
];

/// The groups of parameters.
pub(crate) const SECTIONS: &[Section] = &[
    Section { name: "codex", params: &[OPENAI_STYLE, CODEX] },
    Section { name: "openai", params: &[OPENAI_STYLE, OPENAI] },
    Section { name: "openai-compatible", params: &[OPENAI_STYLE, OPENAI_COMPATIBLE] },
    Section { name: "anthropic", params: &[ANTHROPIC] },
    Section { name: "anthropic-compatible", params: &[ANTHROPIC] },
    Section { name: "google", params: &[GOOGLE] },
];

impl Section {
    fn has(&self, key: &str) -> bool {
        self.params.iter().flat_map(|params| params.iter()).any(|(name, _)| *name == key)
    }
}

/// Returns where a parameter belongs that stands outside of its group.
pub(crate) fn hint(key: &str, sections: &[Section], prefix: &str) -> Option<String> {
    let mut owners = sections.iter().filter(|section| section.has(key)).map(|section| section.name);
    let first = owners.next()?;
    let others: Vec<String> = owners.map(|name| format!("`{name}`")).collect();
    let also = if others.is_empty() { String::new() } else { format!(", or below {}", others.join(", ")) };
    Some(format!("did you mean `{prefix}{first}.{key}`{also}?"))
}

impl Decode for ModelParams {
    fn decode(node: Node<'_>, cx: &mut Context) -> Option<Self> {
        let mut fields = cx.fields(node)?;
        for (name, param) in GENERAL {
            fields.optional_with(name, |node, cx| check(node, *param, cx));
        }
        for section in SECTIONS {
            fields.optional_with(section.name, |node, cx| {
                let mut fields = cx.fields(node)?;
                for (name, param) in section.params.iter().flat_map(|params| params.iter()) {
                    fields.optional_with(name, |node, cx| check(node, *param, cx));
                }
                let _ = fields.finish();
                Some(())
            });
        }
        let _ = fields.finish_with(|entry| hint(entry.key, SECTIONS, "model_params."));
        Some(Self)
    }
}

fn check(node: Node<'_>, param: Param, cx: &mut Context) -> Option<()> {
    match param {
        Param::Bool => bool::decode(node, cx).map(drop),
        Param::Number => FiniteNumber::decode(node, cx).map(drop),
        Param::Text => Text::decode(node, cx).map(drop),
        Param::Texts => List::<Text>::decode(node, cx).map(drop),
        Param::TextOrTexts => match node.value() {
            Value::String(_) => Some(()),
            Value::Sequence => List::<Text>::decode(node, cx).map(drop),
            _ => {
                cx.type_error(node, "a string or a list of strings");
                None
            }
        },
        Param::NumbersByName => {
            if node.value() != Value::Mapping {
                cx.type_error(node, "a mapping from names to numbers");
                return None;
            }
            for entry in node.entries().filter(|entry| !entry.key.starts_with("x-")) {
                FiniteNumber::decode(entry.value, cx);
            }
            Some(())
        }
        Param::Thinking => match node.value() {
            Value::Bool(_) | Value::Mapping => Some(()),
            Value::String(_) => word(node, &["auto", "low", "medium", "high"], cx),
            _ => {
                cx.type_error(node, "`true`, `false`, a level or a mapping");
                None
            }
        },
        Param::OneOf(words) => word(node, words, cx),
    }
}

fn word(node: Node<'_>, words: &[&str], cx: &mut Context) -> Option<()> {
    let more = |found: minds_diagnostics::Diagnostic, text: &str| {
        if text == "ultra" && words == EFFORTS {
            return found
                .note("`ultra` is a preset of a client program, not an effort that a model knows")
                .help("write `max` for the highest effort");
        }
        found
    };
    one_of(node, words, cx, more).map(drop)
}
