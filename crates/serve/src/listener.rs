//! Requests of this machine.

use std::convert::Infallible;
use std::future::Future;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt as _, Full};
use hyper::body::{Bytes, Incoming};
use hyper::service::service_fn;
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;

use crate::{Ending, ServeError};

/// How many connections are served at once; others wait.
const CONNECTIONS: usize = 128;
/// How long a client may take to say what it wants.
const PATIENCE: Duration = Duration::from_secs(15);
/// How long running requests are waited for at the end.
const FAREWELL: Duration = Duration::from_secs(3);

/// What is answered to a request.
pub type Reply = Response<BoxBody<Bytes, Infallible>>;

/// Returns a reply that is there as a whole.
pub fn reply(status: StatusCode, body: impl Into<Bytes>) -> Reply {
    let mut response = Response::new(Full::new(body.into()).boxed());
    *response.status_mut() = status;
    response
}

/// Where requests of this machine arrive.
#[derive(Debug)]
pub struct Listener {
    socket: TcpListener,
    address: SocketAddr,
    ending: Ending,
}

impl Listener {
    /// Begins to listen; port 0 picks one that is free. From now on the process ends as it should when it is asked to.
    ///
    /// # Errors
    ///
    /// Fails if the address is not one of this machine alone, or cannot be listened on.
    pub async fn open(address: SocketAddr) -> Result<Self, ServeError> {
        if !address.ip().is_loopback() {
            return Err(ServeError::NotLoopback { address: address.to_string() });
        }
        let ending = Ending::new()?;
        let socket = TcpListener::bind(address).await.map_err(ServeError::system("listen"))?;
        let address = socket.local_addr().map_err(ServeError::system("listen"))?;
        Ok(Self { socket, address, ending })
    }

    /// Returns where requests arrive.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Answers requests until somebody asks the process to end. `end` is told then, and what is being answered may finish.
    pub async fn serve<A, F>(self, answer: A, end: impl FnOnce())
    where
        A: Fn(Request<Incoming>) -> F + Clone + Send + 'static,
        F: Future<Output = Reply> + Send + 'static,
    {
        let open = GracefulShutdown::new();
        tokio::select! {
            () = self.ending.asked() => {}
            () = accept(&self.socket, &answer, &open) => {}
        }
        end();
        // A call that waits for a lock is answered by that.
        minds_system::end_lock_waits(Duration::ZERO);
        let _ = tokio::time::timeout(FAREWELL, open.shutdown()).await;
    }
}

async fn accept<A, F>(listener: &TcpListener, answer: &A, open: &GracefulShutdown)
where
    A: Fn(Request<Incoming>) -> F + Clone + Send + 'static,
    F: Future<Output = Reply> + Send + 'static,
{
    let places = Arc::new(Semaphore::new(CONNECTIONS));
    loop {
        let Ok(place) = Arc::clone(&places).acquire_owned().await else { return };
        // A connection that failed is one less; a system without resources needs a moment.
        let Ok((stream, _)) = listener.accept().await else {
            tokio::time::sleep(Duration::from_millis(50)).await;
            continue;
        };
        let answer = answer.clone();
        let service = service_fn(move |request| {
            let answered = answer(request);
            async move { Ok::<_, Infallible>(answered.await) }
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
