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
use tokio::net::{TcpListener, TcpStream};

use crate::timed::Timed;
use crate::visit::{Visit, Visits};
use crate::{Ending, ServeError};

/// How long running requests are waited for at the end.
const FAREWELL: Duration = Duration::from_secs(3);
/// How long a system without resources is left alone.
const BREATH: Duration = Duration::from_millis(50);

/// What is answered to a request.
pub type Reply = Response<BoxBody<Bytes, Infallible>>;

/// Returns a reply that is there as a whole.
pub fn reply(status: StatusCode, body: impl Into<Bytes>) -> Reply {
    let mut response = Response::new(Full::new(body.into()).boxed());
    *response.status_mut() = status;
    response
}

/// How many connections are served at once, and how long they may take.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// How many connections are open of which none was trusted yet; one more closes the oldest of them.
    pub strangers: usize,
    /// How many trusted connections are open. One more is served, but stays among the strangers.
    pub trusted: usize,
    /// How long a client may take to send the head of a request.
    pub head: Duration,
    /// How long a client may take to read anything of a reply.
    pub write: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        let patience = Duration::from_secs(15);
        Self { strangers: 64, trusted: 128, head: patience, write: patience }
    }
}

/// Where requests of this machine arrive.
#[derive(Debug)]
pub struct Listener {
    socket: TcpListener,
    address: SocketAddr,
    ending: Ending,
    limits: Limits,
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
        Ok(Self { socket, address, ending, limits: Limits::default() })
    }

    /// Returns the same with other limits.
    #[must_use]
    pub fn with_limits(self, limits: Limits) -> Self {
        Self { limits, ..self }
    }

    /// Returns where requests arrive.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Answers requests until somebody asks the process to end. `end` is told then, and what is being answered may finish.
    ///
    /// `answer` also gets the connection, which it trusts once a request has proved where it comes from: connections that
    /// are not trusted are closed when others need their place.
    pub async fn serve<A, F>(self, answer: A, end: impl FnOnce())
    where
        A: Fn(Request<Incoming>, Arc<Visit>) -> F + Clone + Send + 'static,
        F: Future<Output = Reply> + Send + 'static,
    {
        let open = GracefulShutdown::new();
        tokio::select! {
            () = self.ending.asked() => {}
            () = accept(&self.socket, self.limits, &answer, &open) => {}
        }
        end();
        // A call that waits for a lock is answered by that.
        minds_system::end_lock_waits(Duration::ZERO);
        let _ = tokio::time::timeout(FAREWELL, open.shutdown()).await;
    }
}

async fn accept<A, F>(listener: &TcpListener, limits: Limits, answer: &A, open: &GracefulShutdown)
where
    A: Fn(Request<Incoming>, Arc<Visit>) -> F + Clone + Send + 'static,
    F: Future<Output = Reply> + Send + 'static,
{
    let mut visits = Visits::new(limits.strangers, limits.trusted);
    loop {
        // A connection that failed is one less; a system without resources needs a moment.
        let Ok((stream, _)) = listener.accept().await else {
            tokio::time::sleep(BREATH).await;
            continue;
        };
        let visit = visits.begin();
        let connection = open.watch(connection(stream, limits, answer.clone(), Arc::clone(&visit)));
        tokio::spawn(async move {
            tokio::select! {
                // That a client went away is its own affair.
                _ = connection => {}
                () = visit.closed() => {}
            }
        });
    }
}

/// Returns a connection that answers what arrives on it.
fn connection<A, F>(
    stream: TcpStream,
    limits: Limits,
    answer: A,
    visit: Arc<Visit>,
) -> impl hyper_util::server::graceful::GracefulConnection<Error = hyper::Error> + Send + 'static
where
    A: Fn(Request<Incoming>, Arc<Visit>) -> F + Clone + Send + 'static,
    F: Future<Output = Reply> + Send + 'static,
{
    let service = service_fn(move |request| {
        let answered = answer(request, Arc::clone(&visit));
        async move { Ok::<_, Infallible>(answered.await) }
    });
    hyper::server::conn::http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(limits.head)
        .serve_connection(TokioIo::new(Timed::new(stream, limits.write)), service)
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

    use super::*;

    const BIG: usize = 64 * 1024 * 1024;

    /// Asks for a path and returns the status line; the rest is not read.
    async fn ask(stream: &mut TcpStream, path: &str) -> String {
        stream.write_all(format!("GET {path} HTTP/1.1\r\nHost: x\r\n\r\n").as_bytes()).await.unwrap();
        let mut line = [0; 12];
        stream.read_exact(&mut line).await.unwrap();
        String::from_utf8_lossy(&line).into_owned()
    }

    /// Serves with few places: what is at `/big` no buffer of the system holds, and `/trusted` makes a connection trusted.
    async fn serve(limits: Limits) -> SocketAddr {
        let listener = Listener::open((Ipv4Addr::LOCALHOST, 0).into()).await.unwrap().with_limits(limits);
        let address = listener.address();
        let answer = |request: Request<Incoming>, visit: Arc<Visit>| async move {
            match request.uri().path() {
                "/big" => reply(StatusCode::OK, vec![b'x'; BIG]),
                "/trusted" => {
                    visit.trust();
                    reply(StatusCode::OK, vec![b'x'; BIG])
                }
                _ => reply(StatusCode::OK, ""),
            }
        };
        tokio::spawn(listener.serve(answer, || {}));
        address
    }

    #[tokio::test]
    async fn connections_that_never_read_take_no_place_of_others() {
        let limits = Limits { strangers: 2, trusted: 1, ..Limits::default() };
        let address = serve(limits).await;
        let mut held = Vec::new();
        let mut trusted = TcpStream::connect(address).await.unwrap();
        assert_eq!(ask(&mut trusted, "/trusted").await, "HTTP/1.1 200");
        for at in 0..8 {
            let mut stream = TcpStream::connect(address).await.unwrap();
            // Half of them send nothing, or half of a request.
            if at % 2 == 0 {
                assert_eq!(ask(&mut stream, "/big").await, "HTTP/1.1 200");
            } else {
                stream.write_all(b"GET / HTTP/1.1\r\n").await.unwrap();
            }
            held.push(stream);
        }
        let mut client = TcpStream::connect(address).await.unwrap();
        assert_eq!(ask(&mut client, "/").await, "HTTP/1.1 200");
        // The trusted one gets all that it asked for.
        let mut count = 0;
        let mut part = vec![0; 1 << 20];
        while count < BIG {
            let read = trusted.read(&mut part).await.unwrap();
            assert_ne!(read, 0, "it is closed after {count} bytes");
            count += read;
        }
    }
}
