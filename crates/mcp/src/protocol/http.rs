//! The protocol over HTTP, for clients on the same machine.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt as _, Full};
use hyper::body::{Bytes, Incoming};
use hyper::header::{AUTHORIZATION, HeaderValue, WWW_AUTHENTICATE};
use hyper::service::service_fn;
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use tokio::net::TcpListener;
use tokio::sync::Semaphore;

use super::handler::Handler;
use super::hub::Hub;
use super::{asked_to_end, run};
use crate::frame::MAX_LINE;
use crate::server::Server;
use crate::{ServeError, Token};

/// Where the protocol is.
const PATH: &str = "/mcp";
/// How many connections are served at once; others wait.
const CONNECTIONS: usize = 128;
/// How long a client may take to say what it wants.
const PATIENCE: Duration = Duration::from_secs(15);
/// How long running requests are waited for at the end.
const FAREWELL: Duration = Duration::from_secs(3);

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
    if !options.address.ip().is_loopback() {
        return Err(ServeError::NotLoopback { address: options.address.to_string() });
    }
    run(async {
        let listener = TcpListener::bind(options.address).await.map_err(ServeError::system("listen"))?;
        let address = listener.local_addr().map_err(ServeError::system("listen"))?;
        server.look_first();
        let door = Arc::new(Door::new(Hub::new(server)?, options.token));
        let open = GracefulShutdown::new();
        announce(&Listening { url: format!("http://{address}{PATH}") });
        tokio::select! {
            ended = asked_to_end() => ended.map_err(ServeError::system("wait for signals"))?,
            () = accept(&listener, &door, &open) => {}
        }
        // All sessions end, and what is being answered may finish.
        (door.end)();
        let _ = tokio::time::timeout(FAREWELL, open.shutdown()).await;
        Ok(())
    })
}

async fn accept(listener: &TcpListener, door: &Arc<Door>, open: &GracefulShutdown) {
    let places = Arc::new(Semaphore::new(CONNECTIONS));
    loop {
        let Ok(place) = Arc::clone(&places).acquire_owned().await else { return };
        // A connection that failed is one less; a system without resources needs a moment.
        let Ok((stream, _)) = listener.accept().await else {
            tokio::time::sleep(Duration::from_millis(50)).await;
            continue;
        };
        let visited = Arc::clone(door);
        let service = service_fn(move |request| {
            let door = Arc::clone(&visited);
            async move { Ok::<_, Infallible>(door.answer(request).await) }
        });
        let connection = hyper::server::conn::http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(PATIENCE)
            .serve_connection(TokioIo::new(stream), service);
        let connection = open.watcher().watch(connection);
        tokio::spawn(async move {
            // That a client went away is its own affair.
            let _ = connection.await;
            drop(place);
        });
    }
}

type Reply = Response<BoxBody<Bytes, Infallible>>;

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
            return refusal(StatusCode::NOT_FOUND, "the protocol is at /mcp");
        }
        let given = request.headers().get(AUTHORIZATION).map(HeaderValue::as_bytes);
        if self.token.as_ref().is_some_and(|token| !token.is_in(given)) {
            let mut refusal = refusal(StatusCode::UNAUTHORIZED, "the token is missing or wrong");
            refusal.headers_mut().insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
            return refusal;
        }
        self.service.handle(request).await
    }
}

fn refusal(status: StatusCode, why: &'static str) -> Reply {
    let mut response = Response::new(Full::new(Bytes::from_static(why.as_bytes())).boxed());
    *response.status_mut() = status;
    response
}
