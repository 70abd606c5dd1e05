//! Requests and their responses.

use http_body_util::Full;
use hyper::body::{Bytes, Incoming};
use hyper::header::{
    ACCEPT, CONNECTION, CONTENT_LENGTH, CONTENT_TYPE, HOST, HeaderName, HeaderValue, LOCATION,
    TRANSFER_ENCODING,
};
use hyper::{HeaderMap, Method, Request, Response, StatusCode, Uri};
use rmcp::model::ClientJsonRpcMessage;
use rmcp::transport::streamable_http_client::StreamableHttpError;

use super::body::read;
use super::error::{Failure, failure, status, unreachable};
use super::events::EventStream;
use super::{Events, Inner, ProtocolHeaders};

const SESSION: HeaderName = HeaderName::from_static("mcp-session-id");
const LAST_EVENT: HeaderName = HeaderName::from_static("last-event-id");
const EVENTS: &str = "text/event-stream";
const JSON: &str = "application/json";
/// The most redirections of a request.
const MAX_REDIRECTIONS: usize = 3;

/// What the server answered to a message.
pub(super) enum Answer {
    /// One message, and the session that it opens.
    Message(String, Option<String>),
    /// Several messages, and the session that they open.
    Events(EventStream, Option<String>),
    /// Nothing, because there is nothing to answer.
    Nothing,
    /// An error, with the message in its body if there is one.
    Status(StatusCode, Option<String>),
}

impl Inner {
    pub(super) async fn post(
        &self,
        message: &ClientJsonRpcMessage,
        session: Option<&str>,
        headers: ProtocolHeaders,
    ) -> Result<Answer, Failure> {
        let body = serde_json::to_vec(message).map_err(|_| failure("the message cannot be written"))?;
        let mut headers = self.headers(session, headers)?;
        headers.insert(CONTENT_TYPE, HeaderValue::from_static(JSON));
        headers.insert(ACCEPT, HeaderValue::from_static("application/json, text/event-stream"));
        let response = self.send(&Method::POST, &headers, body.into()).await?;
        let status = response.status();
        let opened = response.headers().get(&SESSION).and_then(|id| id.to_str().ok()).map(str::to_owned);
        let kind = Kind::of(response.headers());
        match kind {
            Kind::Json if !status.is_success() => {
                Ok(Answer::Status(status, read(response.into_body()).await.ok()))
            }
            _ if !status.is_success() => Ok(Answer::Status(status, None)),
            _ if matches!(status, StatusCode::ACCEPTED | StatusCode::NO_CONTENT) => Ok(Answer::Nothing),
            _ if !matches!(message, ClientJsonRpcMessage::Request(_)) => Ok(Answer::Nothing),
            Kind::Json => Ok(Answer::Message(read(response.into_body()).await?, opened)),
            Kind::Events => Ok(Answer::Events(EventStream::new(response.into_body(), &self.wire), opened)),
            Kind::Other => Err(failure("the server answered with neither JSON nor a stream of events")),
        }
    }

    pub(super) async fn listen(
        &self,
        session: Option<&str>,
        last_event: Option<&str>,
        headers: ProtocolHeaders,
    ) -> Result<Events, Failure> {
        let mut headers = self.headers(session, headers)?;
        headers.insert(ACCEPT, HeaderValue::from_static(EVENTS));
        if let Some(id) = last_event.and_then(|id| HeaderValue::from_str(id).ok()) {
            headers.insert(LAST_EVENT, id);
        }
        let response = self.send(&Method::GET, &headers, Bytes::new()).await?;
        match response.status() {
            status if status.is_success() && Kind::of(response.headers()) == Kind::Events => {
                Ok(Box::pin(EventStream::new(response.into_body(), &self.wire)))
            }
            // Trying again does not help.
            status if status.is_success() || status.is_client_error() => {
                Err(StreamableHttpError::ServerDoesNotSupportSse)
            }
            other => Err(status(other)),
        }
    }

    pub(super) async fn delete(&self, session: &str, headers: ProtocolHeaders) -> Result<(), Failure> {
        let headers = self.headers(Some(session), headers)?;
        let response = self.send(&Method::DELETE, &headers, Bytes::new()).await?;
        match response.status() {
            StatusCode::METHOD_NOT_ALLOWED => Err(StreamableHttpError::ServerDoesNotSupportDeleteSession),
            other if other.is_success() => Ok(()),
            other => Err(status(other)),
        }
    }

    /// Returns the configured headers, and those of the protocol, which come first.
    fn headers(&self, session: Option<&str>, protocol: ProtocolHeaders) -> Result<HeaderMap, Failure> {
        let mut headers = self.headers.clone();
        for name in [HOST, CONTENT_LENGTH, TRANSFER_ENCODING, CONNECTION, SESSION, LAST_EVENT] {
            headers.remove(name);
        }
        for (name, value) in protocol {
            headers.insert(name, value);
        }
        if let Some(session) = session {
            let session = HeaderValue::from_str(session);
            headers.insert(SESSION, session.map_err(|_| failure("the id of the session is not a header"))?);
        }
        Ok(headers)
    }

    /// Sends a request, and follows redirections within the origin.
    async fn send(
        &self,
        method: &Method,
        headers: &HeaderMap,
        body: Bytes,
    ) -> Result<Response<Incoming>, Failure> {
        let mut uri = self.uri.clone();
        for _ in 0..=MAX_REDIRECTIONS {
            let mut request = Request::new(Full::new(body.clone()));
            *request.method_mut() = method.clone();
            *request.uri_mut() = uri.clone();
            *request.headers_mut() = headers.clone();
            let response = self.client.request(request).await.map_err(|error| unreachable(&error))?;
            match response.status() {
                StatusCode::TEMPORARY_REDIRECT | StatusCode::PERMANENT_REDIRECT => {
                    uri = redirect(&uri, response.headers())
                        .ok_or_else(|| failure("the server redirects to another origin"))?;
                }
                _ => return Ok(response),
            }
        }
        Err(failure("the server redirects again and again"))
    }
}

/// Returns the target of a redirection; none if it is not within the origin.
fn redirect(from: &Uri, headers: &HeaderMap) -> Option<Uri> {
    let target: Uri = headers.get(LOCATION)?.to_str().ok()?.parse().ok()?;
    let mut parts = target.into_parts();
    if parts.scheme.is_none() && parts.authority.is_none() {
        let path = parts.path_and_query.as_ref().filter(|path| path.as_str().starts_with('/'));
        path?;
        parts.scheme = from.scheme().cloned();
        parts.authority = from.authority().cloned();
    }
    let is_same = parts.scheme.as_ref() == from.scheme() && parts.authority.as_ref() == from.authority();
    is_same.then(|| Uri::from_parts(parts).ok()).flatten()
}

/// What a body is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Json,
    Events,
    Other,
}

impl Kind {
    fn of(headers: &HeaderMap) -> Self {
        let value = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
        let essence = value.split(';').next().unwrap_or_default().trim();
        if essence.eq_ignore_ascii_case(JSON) {
            Self::Json
        } else if essence.eq_ignore_ascii_case(EVENTS) {
            Self::Events
        } else {
            Self::Other
        }
    }
}
