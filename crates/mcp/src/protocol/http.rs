//! The protocol over HTTP, for clients on the same machine.

use std::net::SocketAddr;
use std::sync::Arc;

use hyper::body::Incoming;
use hyper::header::{AUTHORIZATION, HeaderValue, WWW_AUTHENTICATE};
use hyper::{Request, StatusCode};
use minds_serve::{Listener, Reply, reply, run};
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};

use super::CALLS_AT_ONCE;
use super::handler::Handler;
use super::hub::Hub;
use crate::frame::MAX_LINE;
use crate::server::Server;
use crate::{ServeError, Token};

/// Where the protocol is.
const PATH: &str = "/mcp";

/// Where to listen, and who may talk.
#[derive(Clone, Debug)]
pub struct HttpOptions {
    /// The address, which must be one of this machine; port 0 picks one that is free.
    pub address: SocketAddr,
    /// The word that every request must bring; none to let in everybody on this machine.
    pub token: Option<Token>,
}

/// A server that is listening.
#[derive(Clone, Debug)]
pub struct Listening {
    /// Where it is reached.
    pub url: String,
}

/// Serves over HTTP until somebody asks the process to end. `announce` is told where, as soon as requests are taken.
///
/// # Errors
///
/// Fails if the address is not one of this machine alone, or cannot be listened on.
pub fn serve_http(
    server: Server,
    options: HttpOptions,
    announce: impl FnOnce(&Listening),
) -> Result<(), ServeError> {
    run(CALLS_AT_ONCE, async {
        let listener = Listener::open(options.address).await?;
        server.look_first();
        let door = Arc::new(Door::new(Hub::new(server)?, options.token));
        announce(&Listening { url: format!("http://{}{PATH}", listener.address()) });
        let visited = Arc::clone(&door);
        let answer = move |request| {
            let door = Arc::clone(&visited);
            async move { door.answer(request).await }
        };
        // All sessions end, and what is being answered may finish.
        listener.serve(answer, || (door.end)()).await;
        Ok(())
    })
}

/// What every request passes.
struct Door {
    service: StreamableHttpService<Handler, LocalSessionManager>,
    token: Option<Token>,
    end: Box<dyn Fn() + Send + Sync>,
}

impl Door {
    fn new(hub: Arc<Hub>, token: Option<Token>) -> Self {
        // Only names of this machine, and only pages that come from it: a page of a stranger, whose name was made to point
        // here, says its own name.
        let config = StreamableHttpServerConfig::default()
            .with_allowed_hosts(["localhost", "127.0.0.1", "[::1]"])
            .with_allowed_origins(["http://localhost:*", "http://127.0.0.1:*", "http://[::1]:*"])
            .with_max_request_body_bytes(MAX_LINE);
        let stop = config.cancellation_token.clone();
        let sessions = Arc::new(LocalSessionManager::default());
        let service =
            StreamableHttpService::new(move || Ok(Handler::new(Arc::clone(&hub))), sessions, config);
        Self { service, token, end: Box::new(move || stop.cancel()) }
    }

    async fn answer(&self, request: Request<Incoming>) -> Reply {
        if request.uri().path() != PATH {
            return reply(StatusCode::NOT_FOUND, "the protocol is at /mcp");
        }
        let given = request.headers().get(AUTHORIZATION).map(HeaderValue::as_bytes);
        if self.token.as_ref().is_some_and(|token| !token.is_bearer(given)) {
            let mut refusal = reply(StatusCode::UNAUTHORIZED, "the token is missing or wrong");
            refusal.headers_mut().insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
            return refusal;
        }
        self.service.handle(request).await
    }
}
