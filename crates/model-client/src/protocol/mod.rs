//! The protocols of providers, as values: a request becomes JSON, and the bytes of a response become events.

mod anthropic;
mod draft;
mod gemini;
mod openai;
mod parameters;
mod reader;

use serde_json::{Map, Value};

pub use reader::AnswerReader;

use crate::ModelRequest;

/// A protocol.
///
/// | protocol | specification |
/// |---|---|
/// | chat completions | OpenAI API reference, `POST /chat/completions` with `stream` |
/// | messages | Anthropic API reference, `POST /v1/messages` with `stream`, version 2023-06-01 |
/// | `generateContent` | Gemini API reference, `POST /v1beta/models/MODEL:streamGenerateContent?alt=sse` |
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protocol {
    /// Chat completions of `OpenAI`, which calls the limit of an answer `max_completion_tokens`.
    OpenAi,
    /// Chat completions of any other provider.
    OpenAiCompatible,
    /// Messages of Anthropic.
    Anthropic,
    /// `generateContent` of Gemini.
    Gemini,
}

impl Protocol {
    /// Returns the protocol of an `apiType`; none if it is not one that a model is asked with.
    pub fn of_api_type(api_type: &str) -> Option<Self> {
        match api_type {
            "openai" => Some(Self::OpenAi),
            "openai-compatible" => Some(Self::OpenAiCompatible),
            "anthropic" | "anthropic-compatible" => Some(Self::Anthropic),
            "google" => Some(Self::Gemini),
            _ => None,
        }
    }

    /// Returns the body of a request.
    ///
    /// `max_tokens`, `temperature`, `top_p`, `top_k`, `seed`, `stop` and `stream` of the parameters get the names of the
    /// protocol; any other parameter is a member of the body (of `generationConfig` for Gemini), unless it is the model, the
    /// conversation or the tools. A parameter that is null is left out, also one that the protocol sets.
    pub fn encode(self, request: &ModelRequest) -> Value {
        let body = match self {
            Self::OpenAi | Self::OpenAiCompatible => openai::encode(request, self == Self::OpenAi),
            Self::Anthropic => anthropic::encode(request),
            Self::Gemini => gemini::encode(request),
        };
        Value::Object(body)
    }

    /// Returns whether the answer to a request is to arrive as a stream.
    pub fn is_streamed(request: &ModelRequest) -> bool {
        request.parameters.get("stream").and_then(Value::as_bool) != Some(false)
    }

    /// Returns the path and the query of a request, which follow the base URL without its final `/`.
    pub(crate) fn path(self, base_path: &str, request: &ModelRequest) -> String {
        let is_versioned = base_path.rsplit('/').next().is_some_and(is_version);
        let version = |version| if is_versioned { "" } else { version };
        match self {
            Self::OpenAi | Self::OpenAiCompatible => "/chat/completions".to_owned(),
            Self::Anthropic => format!("{}/messages", version("/v1")),
            Self::Gemini => gemini::path(version("/v1beta"), &request.model, Self::is_streamed(request)),
        }
    }

    /// Returns the header with the key.
    pub(crate) fn key_header(self, key: &str) -> (&'static str, String) {
        match self {
            Self::OpenAi | Self::OpenAiCompatible => ("authorization", format!("Bearer {key}")),
            Self::Anthropic => ("x-api-key", key.to_owned()),
            Self::Gemini => ("x-goog-api-key", key.to_owned()),
        }
    }

    /// Returns further headers.
    pub(crate) fn headers(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Self::Anthropic => &[("anthropic-version", "2023-06-01")],
            Self::OpenAi | Self::OpenAiCompatible | Self::Gemini => &[],
        }
    }
}

/// Returns whether a segment of a path is a version, such as `v1` or `v1beta`.
fn is_version(segment: &str) -> bool {
    let digits = segment.strip_prefix('v').unwrap_or_default();
    digits.starts_with(|first: char| first.is_ascii_digit())
        && digits.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

/// A JSON object.
type Object = Map<String, Value>;

fn object<const N: usize>(members: [(&str, Value); N]) -> Object {
    members.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
}
