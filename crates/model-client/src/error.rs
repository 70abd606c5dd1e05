//! Why a model does not answer.

use std::time::Duration;

/// A failure of a model. It has no part of a request, of a response or of a key.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the model provider `{provider}`{} failed: {kind}", describe(endpoint.as_deref()))]
pub struct ModelError {
    /// The provider.
    pub provider: String,
    /// The host and the port of the requests.
    pub endpoint: Option<String>,
    /// What happened.
    pub kind: ModelErrorKind,
}

/// What happened to a request.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ModelErrorKind {
    /// The provider cannot be used, for example because a key is missing.
    #[error("{0}")]
    Unavailable(String),
    /// No connection can be made, for this reason.
    #[error("{0}")]
    Unreachable(&'static str),
    /// The connection ended before the answer was complete.
    #[error("the connection ended before the answer was complete")]
    Connection,
    /// Nothing arrived in time.
    #[error("nothing arrived within {} s", .0.as_secs())]
    Timeout(Duration),
    /// The provider answered with an HTTP status that is not a success.
    #[error("status {status}{}", code.map(|code| format!(" ({code})")).unwrap_or_default())]
    Status {
        /// The status.
        status: u16,
        /// When the provider permits another request.
        retry_after: Option<Duration>,
        /// The code of the provider, if it is a known one.
        code: Option<&'static str>,
    },
    /// The provider ended the answer before it was complete, for this reason.
    #[error("the answer is not complete: {0}")]
    Stopped(&'static str),
    /// The answer is not valid.
    #[error("the answer is not valid: {0}")]
    Invalid(String),
}

/// The statuses after which the same request may succeed.
const RETRYABLE: [u16; 8] = [408, 409, 429, 500, 502, 503, 504, 529];
/// The longest time that a provider may ask to wait.
const MAX_RETRY_AFTER: Duration = Duration::from_mins(1);

impl ModelError {
    /// Creates a failure of a provider.
    pub fn new(provider: &str, kind: ModelErrorKind) -> Self {
        Self { provider: provider.to_owned(), endpoint: None, kind }
    }

    /// Returns whether the same request may succeed later.
    pub fn is_retryable(&self) -> bool {
        match &self.kind {
            ModelErrorKind::Connection | ModelErrorKind::Unreachable(_) | ModelErrorKind::Timeout(_) => true,
            ModelErrorKind::Status { status, .. } => RETRYABLE.contains(status),
            ModelErrorKind::Unavailable(_) | ModelErrorKind::Invalid(_) | ModelErrorKind::Stopped(_) => false,
        }
    }

    /// Returns the time before the next request, if the provider named one; at most one minute.
    pub fn retry_after(&self) -> Option<Duration> {
        match &self.kind {
            ModelErrorKind::Status { retry_after, .. } => retry_after.map(|time| time.min(MAX_RETRY_AFTER)),
            _ => None,
        }
    }

    /// Returns the HTTP status, if there is one.
    pub fn status(&self) -> Option<u16> {
        match &self.kind {
            ModelErrorKind::Status { status, .. } => Some(*status),
            _ => None,
        }
    }
}

fn describe(endpoint: Option<&str>) -> String {
    endpoint.map(|endpoint| format!(" at {endpoint}")).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_that_may_pass_are_retried() {
        let status = |status| ModelErrorKind::Status {
            status,
            retry_after: Some(Duration::from_secs(90)),
            code: None,
        };
        let cases = [
            (ModelErrorKind::Connection, true, None),
            (ModelErrorKind::Unreachable("the connection was refused"), true, None),
            (ModelErrorKind::Stopped("max_tokens"), false, None),
            (ModelErrorKind::Timeout(Duration::from_mins(2)), true, None),
            (status(429), true, Some(60)),
            (status(529), true, Some(60)),
            (status(401), false, Some(60)),
            (ModelErrorKind::Unavailable("no key".to_owned()), false, None),
            (ModelErrorKind::Invalid("no choices".to_owned()), false, None),
        ];
        for (kind, is_retryable, seconds) in cases {
            let error = ModelError::new("p", kind);
            assert_eq!(error.is_retryable(), is_retryable, "{error}");
            assert_eq!(error.retry_after().map(|time| time.as_secs()), seconds, "{error}");
        }
    }
    #[test]
    fn a_failure_names_the_host_and_a_known_code() {
        let kind = ModelErrorKind::Status { status: 401, retry_after: None, code: Some("invalid_api_key") };
        let error = ModelError { endpoint: Some("localhost:8080".to_owned()), ..ModelError::new("p", kind) };
        let expected = "the model provider `p` at localhost:8080 failed: status 401 (invalid_api_key)";
        assert_eq!(error.to_string(), expected);
        let error = ModelError::new("p", ModelErrorKind::Stopped("max_tokens"));
        assert_eq!(
            error.to_string(),
            "the model provider `p` failed: the answer is not complete: max_tokens"
        );
    }
}
