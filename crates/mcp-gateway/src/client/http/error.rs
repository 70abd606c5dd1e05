//! Why a request failed.

use std::error::Error;

use hyper::StatusCode;
use minds_process::describe_io_error;
use rmcp::transport::DynamicTransportError;
use rmcp::transport::streamable_http_client::StreamableHttpError;

use super::super::MAX_MESSAGE_BYTES;

/// Why a request failed: a sentence without values of headers, and without the URL, which may contain secrets.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{0}")]
pub(in super::super) struct HttpError(pub(super) String);

/// The same for the library of the protocol, which gives some failures a meaning.
pub(super) type Failure = StreamableHttpError<HttpError>;

pub(super) fn failure(reason: impl Into<String>) -> Failure {
    StreamableHttpError::Client(HttpError(reason.into()))
}

pub(super) fn status(status: StatusCode) -> Failure {
    let reason = status.canonical_reason().map_or(String::new(), |reason| format!(" ({reason})"));
    failure(format!("the server answered with HTTP status {}{reason}", status.as_u16()))
}

pub(super) fn no_response() -> Failure {
    failure("the server answered with something else than a response")
}

pub(super) fn too_large() -> String {
    format!("the server sent a message of more than {MAX_MESSAGE_BYTES} bytes")
}

/// Returns the first cause of a failed request.
pub(super) fn unreachable(error: &(dyn Error + 'static)) -> Failure {
    let mut cause = error;
    while let Some(source) = cause.source() {
        cause = source;
    }
    let text = match cause.downcast_ref::<std::io::Error>() {
        Some(error) => describe_io_error(error),
        None => cause.to_string(),
    };
    failure(format!("the server cannot be reached: {text}"))
}

/// Explains a failure in one sentence.
pub(in super::super) fn explain(error: &Failure) -> String {
    match error {
        StreamableHttpError::Client(error) => error.to_string(),
        StreamableHttpError::SessionExpired => "the HTTP session expired".to_owned(),
        StreamableHttpError::SessionRecoveryTimeout => {
            "the HTTP session expired, and another one was not opened in time".to_owned()
        }
        StreamableHttpError::ReinitializationFailed(_) => {
            "the HTTP session expired, and the server refused another one".to_owned()
        }
        StreamableHttpError::ServerDoesNotSupportSse => "the server has no stream of events".to_owned(),
        _ => "the connection to the server was interrupted".to_owned(),
    }
}

/// Explains an error of the transport; none if it is not one of HTTP.
pub(in super::super) fn explain_transport(error: &DynamicTransportError) -> Option<String> {
    error.error.downcast_ref::<Failure>().map(explain)
}
