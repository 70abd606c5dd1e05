//! A server that is reached over HTTP.
//!
//! The library of the protocol keeps sessions and streams; this module makes its requests and limits the answers.

mod body;
mod connector;
mod error;
mod events;
mod exchange;

use std::sync::{Arc, Mutex};

use hyper::header::{HeaderName, HeaderValue};
use hyper::http::uri::Scheme;
use hyper::{HeaderMap, StatusCode, Uri};
use rmcp::model::{ClientJsonRpcMessage, ClientRequest, RequestId, ServerJsonRpcMessage};
use rmcp::transport::common::client_side_sse::ExponentialBackoff;
use rmcp::transport::streamable_http_client::{
    SseError, StreamableHttpClient, StreamableHttpClientTransport, StreamableHttpClientTransportConfig,
    StreamableHttpError, StreamableHttpPostResponse,
};
use serde_json::json;
use sse_stream::Sse;

pub(super) use error::explain_transport;

use super::wire::{Wire, lock, newest_handshake};
use super::{ConnectError, MAX_MESSAGE_BYTES, Options};
use crate::HttpServer;
use connector::Client;
use error::{Failure, HttpError, explain};
use exchange::Answer;

/// How often an interrupted stream is resumed.
const MAX_RESUMPTIONS: usize = 3;
/// The most requests that wait for their answers at the same time.
const MAX_REQUESTS: usize = 256;

/// A stream of events, as the library of the protocol reads it.
type Events = std::pin::Pin<Box<dyn futures_core::Stream<Item = Result<Sse, SseError>> + Send>>;

/// The headers that the library of the protocol adds to a request.
#[expect(
    clippy::disallowed_types,
    reason = "the library passes them so; the order of headers has no meaning"
)]
type ProtocolHeaders = std::collections::HashMap<HeaderName, HeaderValue>;

/// Makes the requests to a server.
#[derive(Clone)]
pub(super) struct HttpClient(Arc<Inner>);

struct Inner {
    client: Client,
    uri: Uri,
    headers: HeaderMap,
    wire: Arc<Wire>,
    options: Options,
    resumption: Mutex<Resumption>,
}

/// A session that was opened by another connection. The server does not expect a handshake, so none is sent.
enum Resumption {
    /// The session to resume, before the handshake.
    Goal(String),
    /// The handshake was answered here, and its notification is still to come.
    Answered,
    /// Everything is sent.
    Over,
}

impl HttpClient {
    /// Returns the client of a server.
    pub(super) fn new(
        server: &HttpServer,
        options: &Options,
        wire: &Arc<Wire>,
    ) -> Result<Self, ConnectError> {
        let unusable = |what: &str| ConnectError::Unreachable { reason: format!("{what} cannot be used") };
        let uri: Uri = server.url.parse().map_err(|_| unusable("the URL"))?;
        let is_plain = uri.scheme() == Some(&Scheme::HTTP);
        if uri.host().is_none_or(str::is_empty) || !(is_plain || uri.scheme() == Some(&Scheme::HTTPS)) {
            return Err(unusable("the URL"));
        }
        let mut headers = HeaderMap::new();
        for (name, value) in &server.headers {
            let (Ok(key), Ok(mut value)) = (name.parse::<HeaderName>(), HeaderValue::from_str(value)) else {
                return Err(unusable(&format!("the header `{name}`")));
            };
            value.set_sensitive(true);
            headers.append(key, value);
        }
        let client = connector::client(is_plain).map_err(|reason| ConnectError::Unreachable { reason })?;
        let resumption = Mutex::new(server.session.clone().map_or(Resumption::Over, Resumption::Goal));
        let (wire, options) = (Arc::clone(wire), options.clone());
        Ok(Self(Arc::new(Inner { client, uri, headers, wire, options, resumption })))
    }

    /// Returns the transport over this client.
    pub(super) fn transport(self) -> StreamableHttpClientTransport<Self> {
        let mut config = StreamableHttpClientTransportConfig::with_uri(self.0.uri.to_string())
            .max_concurrent_requests(MAX_REQUESTS)
            .reinit_on_expired_session(true);
        let mut resumptions = ExponentialBackoff::default();
        resumptions.max_times = Some(MAX_RESUMPTIONS);
        config.retry_config = Arc::new(resumptions);
        config.max_sse_event_size = MAX_MESSAGE_BYTES;
        config.max_json_response_size = MAX_MESSAGE_BYTES;
        StreamableHttpClientTransport::with_client(self, config)
    }

    /// Answers a part of the handshake if a session is resumed.
    fn resume(&self, message: &ClientJsonRpcMessage) -> Option<StreamableHttpPostResponse> {
        let mut resumption = lock(&self.0.resumption);
        match (message, &*resumption) {
            (ClientJsonRpcMessage::Request(request), Resumption::Goal(session)) => {
                let session = session.clone();
                *resumption = Resumption::Answered;
                let revision =
                    self.0.options.revision.as_deref().unwrap_or(newest_handshake().as_str()).to_owned();
                let server = json!({"name": "resumed", "version": ""});
                let result =
                    json!({"protocolVersion": revision, "capabilities": {"tools": {}}, "serverInfo": server});
                let message = json!({"jsonrpc": "2.0", "id": request.id, "result": result});
                let message = self.read(&message.to_string())?;
                Some(StreamableHttpPostResponse::Json(message, Some(session)))
            }
            (ClientJsonRpcMessage::Notification(_), Resumption::Answered) => {
                *resumption = Resumption::Over;
                Some(StreamableHttpPostResponse::Accepted)
            }
            _ => None,
        }
    }

    async fn post(
        &self,
        message: &ClientJsonRpcMessage,
        session: Option<&str>,
        headers: ProtocolHeaders,
    ) -> Result<StreamableHttpPostResponse, Failure> {
        self.0.wire.sending(message);
        if let Some(response) = self.resume(message) {
            return Ok(response);
        }
        let request = match message {
            ClientJsonRpcMessage::Request(request) => Some(request),
            _ => None,
        };
        let discovery = request.filter(|one| matches!(one.request, ClientRequest::DiscoverRequest(_)));
        let Some(discovery) = discovery else {
            let answer = self.0.post(message, session, headers).await?;
            return self.respond(answer, session.is_some(), request.map(|request| &request.id));
        };
        let answer = async {
            match self.0.post(message, session, headers).await? {
                Answer::Message(text, _) => Ok(self.read(&text)),
                Answer::Events(events, _) => Ok(events.first_response().await),
                Answer::Status(status @ (StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN), _) => {
                    Err(error::status(status))
                }
                Answer::Status(..) | Answer::Nothing => Ok(None),
            }
        };
        let answer = tokio::time::timeout(self.0.options.times.discovery, answer).await;
        let message = match answer {
            Ok(answer) => answer?,
            Err(_) => None,
        };
        // Anything else than an answer means an earlier revision.
        let text = self.0.wire.end_discovery();
        let message = message.or_else(|| serde_json::from_str(&text?).ok());
        match message {
            Some(mut message) => {
                if let ServerJsonRpcMessage::Error(error) = &mut message {
                    error.id = Some(discovery.id.clone());
                }
                Ok(StreamableHttpPostResponse::Json(message, None))
            }
            None => Err(error::no_response()),
        }
    }

    /// Reads a message of the server; none if the library has nothing to read.
    fn read(&self, text: &str) -> Option<ServerJsonRpcMessage> {
        let text = self.0.wire.read(text).into_text(text)?;
        serde_json::from_str(&text).ok()
    }

    fn respond(
        &self,
        answer: Answer,
        has_session: bool,
        request: Option<&RequestId>,
    ) -> Result<StreamableHttpPostResponse, Failure> {
        match answer {
            Answer::Status(StatusCode::NOT_FOUND, _) if has_session => {
                Err(StreamableHttpError::SessionExpired)
            }
            Answer::Status(status, body) => {
                // Servers explain a refused request with an error of the protocol.
                let message = body.and_then(|text| self.read(&text));
                match message.filter(|_| request.is_some()) {
                    Some(message) => Ok(StreamableHttpPostResponse::Json(message, None)),
                    None => Err(error::status(status)),
                }
            }
            _ if request.is_none() => Ok(StreamableHttpPostResponse::Accepted),
            Answer::Nothing => Ok(StreamableHttpPostResponse::Accepted),
            Answer::Message(text, session) => match self.read(&text) {
                Some(message) => Ok(StreamableHttpPostResponse::Json(message, session)),
                None => Err(error::no_response()),
            },
            Answer::Events(events, session) => Ok(StreamableHttpPostResponse::Sse(Box::pin(events), session)),
        }
    }
}

impl StreamableHttpClient for HttpClient {
    type Error = HttpError;

    async fn post_message(
        &self,
        _: Arc<str>,
        message: ClientJsonRpcMessage,
        session: Option<Arc<str>>,
        _: Option<String>,
        headers: ProtocolHeaders,
    ) -> Result<StreamableHttpPostResponse, Failure> {
        let posted = self.post(&message, session.as_deref(), headers).await;
        posted.inspect_err(|error| self.0.wire.note(explain(error)))
    }

    async fn delete_session(
        &self,
        _: Arc<str>,
        session: Arc<str>,
        _: Option<String>,
        headers: ProtocolHeaders,
    ) -> Result<(), Failure> {
        self.0.delete(&session, headers).await
    }

    async fn get_stream(
        &self,
        _: Arc<str>,
        session: Option<Arc<str>>,
        last_event: Option<String>,
        _: Option<String>,
        headers: ProtocolHeaders,
    ) -> Result<Events, Failure> {
        self.0.listen(session.as_deref(), last_event.as_deref(), headers).await
    }
}
