//! The codes that providers give failures.
//!
//! Nothing of a response is shown, because it may contain parts of the request: a code is one of those that are known here,
//! from the documentation of `OpenAI`, Anthropic, Google, `DeepSeek` and Mistral.

use serde_json::Value;
use serde_json::value::RawValue;

/// The maximum size of a description that is read, in bytes.
const MAX_BYTES: usize = 64 << 10;

/// The known codes, each with the HTTP status that it belongs to.
const CODES: &[(&str, u16)] = &[
    ("INVALID_ARGUMENT", 400),
    ("FAILED_PRECONDITION", 400),
    ("UNAUTHENTICATED", 401),
    ("PERMISSION_DENIED", 403),
    ("NOT_FOUND", 404),
    ("RESOURCE_EXHAUSTED", 429),
    ("INTERNAL", 500),
    ("UNAVAILABLE", 503),
    ("DEADLINE_EXCEEDED", 504),
    ("invalid_api_key", 401),
    ("authentication_error", 401),
    ("insufficient_quota", 429),
    ("insufficient_balance", 402),
    ("billing_error", 402),
    ("permission_error", 403),
    ("model_not_found", 404),
    ("not_found_error", 404),
    ("request_too_large", 413),
    ("context_length_exceeded", 400),
    ("string_above_max_length", 400),
    ("unsupported_parameter", 400),
    ("unsupported_value", 400),
    ("invalid_prompt", 400),
    ("content_policy_violation", 400),
    ("content_filter", 400),
    ("invalid_function_parameters", 400),
    ("rate_limit_exceeded", 429),
    ("rate_limit_error", 429),
    ("tokens_exceeded", 429),
    ("overloaded_error", 529),
    ("server_overloaded", 503),
    ("service_unavailable", 503),
    ("server_error", 500),
    ("api_error", 500),
    ("timeout_error", 504),
    ("invalid_request_error", 400),
];

/// What a provider wrote about a failure.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ProviderError {
    /// The code, if it is known.
    pub(crate) code: Option<&'static str>,
    /// The status, if it is one of HTTP.
    pub(crate) status: Option<u16>,
}

impl ProviderError {
    /// Reads the value of `error`, or a description that contains it.
    pub(crate) fn read(text: &str) -> Self {
        if text.len() > MAX_BYTES {
            return Self::default();
        }
        // Google answers with a list of one.
        let value: Value = match serde_json::from_str(text) {
            Ok(Value::Array(list)) => list.into_iter().next().unwrap_or_default(),
            Ok(value) => value,
            Err(_) => return Self::default(),
        };
        let error = value.get("error").filter(|error| !error.is_null()).unwrap_or(&value);
        let names =
            [error, &value].into_iter().flat_map(|one| ["code", "type", "status"].map(|key| one.get(key)));
        let known = std::iter::once(Some(error))
            .chain(names)
            .flatten()
            .filter_map(Value::as_str)
            .find_map(|name| CODES.iter().find(|(known, _)| *known == name));
        let number = error.get("code").or(error.get("status")).and_then(Value::as_u64);
        let number =
            number.and_then(|number| u16::try_from(number).ok()).filter(|one| (400..600).contains(one));
        Self { code: known.map(|(code, _)| *code), status: number.or(known.map(|(_, status)| *status)) }
    }

    /// Reads the value of `error` in an event.
    pub(crate) fn of(error: &RawValue) -> Self {
        Self::read(error.get())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_known_codes_are_shown() {
        for (text, code, status) in [
            (
                r#"{"error":{"message":"Incorrect API key provided: sk-1","type":"invalid_request_error","code":"invalid_api_key"}}"#,
                Some("invalid_api_key"),
                Some(401),
            ),
            (
                r#"{"error":{"type":"invalid_request_error","code":null}}"#,
                Some("invalid_request_error"),
                Some(400),
            ),
            (r#"{"type":"error","error":{"type":"overloaded_error"}}"#, Some("overloaded_error"), Some(529)),
            (
                r#"[{"error":{"code":429,"status":"RESOURCE_EXHAUSTED"}}]"#,
                Some("RESOURCE_EXHAUSTED"),
                Some(429),
            ),
            (r#"{"error":{"code":502,"message":"x"}}"#, None, Some(502)),
            (r#"{"code":"sk-123","error":"sk-123"}"#, None, None),
            (r#"{"error":{"code":70000}}"#, None, None),
            (r#"{"error":"model_not_found"}"#, Some("model_not_found"), Some(404)),
            ("<html>", None, None),
            ("[]", None, None),
        ] {
            assert_eq!(ProviderError::read(text), ProviderError { code, status }, "{text}");
        }
        let long = format!("{{\"error\":{{\"code\":502,\"x\":\"{}\"}}}}", "x".repeat(MAX_BYTES));
        assert_eq!(ProviderError::read(&long), ProviderError::default());
    }
}
