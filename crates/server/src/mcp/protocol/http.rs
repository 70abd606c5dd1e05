//! The protocol over HTTP, for clients on the same machine.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use crate::transport::{Claims, Connection, Listener, OriginError, Reply, reply, run};
use http_body_util::{BodyExt as _, Full, LengthLimitError, Limited};
use hyper::body::{Bytes, Incoming};
use hyper::header::{AUTHORIZATION, CONTENT_TYPE, HeaderValue, WWW_AUTHENTICATE};
use hyper::{Request, StatusCode};
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use serde::Serialize;

use super::CALLS_AT_ONCE;
use super::handler::Handler;
use super::hub::Hub;
use super::redirect::redirect;
use crate::mcp::frame::{self, Frame, MAX_LINE};
use crate::mcp::server::Server;
use crate::{ServeError, Token};

/// The path of the endpoint.
const PATH: &str = "/mcp";
/// The time limit for receiving a message.
const PATIENCE: Duration = Duration::from_mins(1);

/// Options for serving over HTTP.
#[derive(Clone, Debug)]
pub struct HttpOptions {
    /// The address, which must be a loopback address; port 0 selects a free port.
    pub address: SocketAddr,
    /// The token that every request must have; `None` accepts every program on this machine.
    pub token: Option<Token>,
}

/// A server that is listening.
#[derive(Clone, Debug)]
pub struct HttpServer {
    /// The URL.
    pub url: String,
}

/// What a program that starts the server must know, as JSON.
#[derive(Debug, Serialize)]
pub struct Announcement<'a> {
    /// The token that was generated; omitted if requests need another one or none.
    #[serde(skip_serializing_if = "Option::is_none")]
    token: Option<&'a str>,
    /// The URL.
    url: &'a str,
}

impl HttpServer {
    /// Returns the announcement of the server, with a token that was generated for it.
    pub fn announcement<'a>(&'a self, token: Option<&'a Token>) -> Announcement<'a> {
        Announcement { token: token.map(Token::as_str), url: &self.url }
    }
}

/// Serves over HTTP until the process is asked to end. `announce` receives the URL once requests are accepted.
///
/// # Errors
///
/// Fails if the address is not a loopback address, or cannot be listened on.
pub fn serve_http(
    server: Server,
    options: HttpOptions,
    announce: impl FnOnce(&HttpServer),
) -> Result<(), ServeError> {
    run(CALLS_AT_ONCE, async {
        let listener = Listener::open(options.address).await?;
        server.look_first();
        let endpoint = Arc::new(Endpoint::new(Hub::new(server)?, options.token));
        announce(&HttpServer { url: format!("http://{}{PATH}", listener.address()) });
        let shared = Arc::clone(&endpoint);
        let answer = move |request, visit: Arc<Connection>| {
            let endpoint = Arc::clone(&shared);
            async move { endpoint.answer(request, &visit).await }
        };
        // All sessions end after pending requests are answered.
        listener.serve(answer, || (endpoint.end)()).await;
        Ok(())
    })
}

/// The checks for every request.
struct Endpoint {
    hub: Arc<Hub>,
    service: StreamableHttpService<Handler, LocalSessionManager>,
    token: Option<Token>,
    end: Box<dyn Fn() + Send + Sync>,
}

impl Endpoint {
    fn new(hub: Arc<Hub>, token: Option<Token>) -> Self {
        // Only names of this machine and pages from it are accepted, which prevents DNS rebinding: a foreign page sends its
        // own name.
        let config = StreamableHttpServerConfig::default()
            .with_allowed_hosts(["localhost", "127.0.0.1", "[::1]"])
            .with_allowed_origins(["http://localhost:*", "http://127.0.0.1:*", "http://[::1]:*"])
            .with_max_request_body_bytes(MAX_LINE);
        let stop = config.cancellation_token.clone();
        let sessions = Arc::new(LocalSessionManager::default());
        let shared = Arc::clone(&hub);
        let service =
            StreamableHttpService::new(move || Ok(Handler::new(Arc::clone(&shared))), sessions, config);
        Self { hub, service, token, end: Box::new(move || stop.cancel()) }
    }

    async fn answer(&self, request: Request<Incoming>, visit: &Connection) -> Reply {
        // The library only checks names, and only the first of several headers.
        if let Err(stranger) = Claims::of(&request) {
            return reply(
                StatusCode::FORBIDDEN,
                match stranger {
                    OriginError::Host => "the host name is not that of this server",
                    OriginError::Origin => "requests from other origins are refused",
                },
            );
        }
        if request.uri().path() != PATH {
            return reply(StatusCode::NOT_FOUND, "the protocol is at /mcp");
        }
        let given = request.headers().get(AUTHORIZATION).map(HeaderValue::as_bytes);
        if self.token.as_ref().is_some_and(|token| !token.is_bearer(given)) {
            let mut refusal = reply(StatusCode::UNAUTHORIZED, "the token is missing or wrong");
            refusal.headers_mut().insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
            return refusal;
        }
        visit.trust();
        let (head, body) = request.into_parts();
        let body = match body_of(body).await {
            Ok(body) => body,
            Err(refused) => return refused,
        };
        let mut frame = frame::read(&body);
        let mut body = body;
        if let Frame::Message(message) = &mut frame
            && redirect(message, |name| self.hub.server.may_be_foreign(name))
        {
            body = Bytes::from(message.to_string());
        }
        let replied = self.service.handle(Request::from_parts(head, Full::new(body))).await;
        // The library refuses unreadable requests without an id.
        match frame {
            Frame::Refused(refused) if is_unreadable(replied.status()) => {
                let mut refusal = reply(StatusCode::BAD_REQUEST, refused);
                refusal.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
                refusal
            }
            _ => replied,
        }
    }
}

/// Returns whether a reply reports an unreadable body.
fn is_unreadable(status: StatusCode) -> bool {
    matches!(
        status,
        StatusCode::BAD_REQUEST | StatusCode::UNSUPPORTED_MEDIA_TYPE | StatusCode::UNPROCESSABLE_ENTITY
    )
}

/// Reads the complete body of a request.
async fn body_of(body: Incoming) -> Result<Bytes, Reply> {
    let arrive = Limited::new(body, MAX_LINE).collect();
    match tokio::time::timeout(PATIENCE, arrive).await {
        Ok(Ok(body)) => Ok(body.to_bytes()),
        Ok(Err(error)) if error.is::<LengthLimitError>() => {
            let message = format!("a message must not exceed {MAX_LINE} bytes");
            Err(reply(StatusCode::PAYLOAD_TOO_LARGE, message))
        }
        Ok(Err(_)) => Err(reply(StatusCode::BAD_REQUEST, "the request is incomplete")),
        Err(_) => Err(reply(StatusCode::REQUEST_TIMEOUT, "the message took too long to arrive")),
    }
}
