//! A listener for HTTP requests of clients on the same machine.

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

use crate::transport::connection::{Connection, Connections};
use crate::transport::write_timeout::WriteTimeout;
use crate::transport::{ServeError, ShutdownSignal};

/// The time that running requests have to finish at the end.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(3);
/// The delay after the system could not accept a connection.
const ACCEPT_DELAY: Duration = Duration::from_millis(50);

/// The response to a request.
pub type Reply = Response<BoxBody<Bytes, Infallible>>;

/// Returns a reply with a complete body.
pub fn reply(status: StatusCode, body: impl Into<Bytes>) -> Reply {
    let mut response = Response::new(Full::new(body.into()).boxed());
    *response.status_mut() = status;
    response
}

/// Limits of connections.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The maximum number of open connections that are not trusted; one more closes the oldest of them.
    pub untrusted: usize,
    /// The maximum number of trusted connections. Further connections are served, but stay untrusted.
    pub trusted: usize,
    /// The time that a client has to send the headers of a request.
    pub header_timeout: Duration,
    /// The time after which a write fails if the client reads nothing.
    pub write_timeout: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        let timeout = Duration::from_secs(15);
        Self { untrusted: 64, trusted: 128, header_timeout: timeout, write_timeout: timeout }
    }
}

/// A socket that accepts requests of this machine.
#[derive(Debug)]
pub struct Listener {
    socket: TcpListener,
    address: SocketAddr,
    shutdown: ShutdownSignal,
    limits: Limits,
}

impl Listener {
    /// Opens the socket; port 0 selects a free port. From now on, signals stop the process in an orderly way.
    ///
    /// # Errors
    ///
    /// Fails if the address is not a loopback address, or cannot be used.
    pub async fn open(address: SocketAddr) -> Result<Self, ServeError> {
        if !address.ip().is_loopback() {
            return Err(ServeError::NotLoopback { address: address.to_string() });
        }
        let shutdown = ShutdownSignal::new()?;
        let socket = TcpListener::bind(address).await.map_err(ServeError::system("listen"))?;
        let address = socket.local_addr().map_err(ServeError::system("listen"))?;
        Ok(Self { socket, address, shutdown, limits: Limits::default() })
    }

    /// Replaces the limits.
    #[must_use]
    pub fn with_limits(self, limits: Limits) -> Self {
        Self { limits, ..self }
    }

    /// Returns the address of the socket.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Answers requests until the process is asked to stop. Then `end` is called, and running requests may finish.
    ///
    /// `answer` also gets the connection, which it must trust once a request is authenticated: connections that are not
    /// trusted are closed if there are too many of them.
    pub async fn serve<A, F>(self, answer: A, end: impl FnOnce())
    where
        A: Fn(Request<Incoming>, Arc<Connection>) -> F + Clone + Send + 'static,
        F: Future<Output = Reply> + Send + 'static,
    {
        let open = GracefulShutdown::new();
        tokio::select! {
            () = self.shutdown.wait() => {}
            () = accept(&self.socket, self.limits, &answer, &open) => {}
        }
        end();
        // Calls that wait for a lock are answered at once.
        minds_fs::end_lock_waits(Duration::ZERO);
        let _ = tokio::time::timeout(SHUTDOWN_TIMEOUT, open.shutdown()).await;
    }
}

async fn accept<A, F>(listener: &TcpListener, limits: Limits, answer: &A, open: &GracefulShutdown)
where
    A: Fn(Request<Incoming>, Arc<Connection>) -> F + Clone + Send + 'static,
    F: Future<Output = Reply> + Send + 'static,
{
    let mut connections = Connections::new(limits.untrusted, limits.trusted);
    loop {
        // The connection failed, or the system lacks resources.
        let Ok((stream, _)) = listener.accept().await else {
            tokio::time::sleep(ACCEPT_DELAY).await;
            continue;
        };
        let connection = connections.add();
        let served = open.watch(serve_connection(stream, limits, answer.clone(), Arc::clone(&connection)));
        tokio::spawn(async move {
            tokio::select! {
                // A client may close its connection at any time.
                _ = served => {}
                () = connection.wait_for_close() => {}
            }
        });
    }
}

/// Answers the requests of a connection.
fn serve_connection<A, F>(
    stream: TcpStream,
    limits: Limits,
    answer: A,
    connection: Arc<Connection>,
) -> impl hyper_util::server::graceful::GracefulConnection<Error = hyper::Error> + Send + 'static
where
    A: Fn(Request<Incoming>, Arc<Connection>) -> F + Clone + Send + 'static,
    F: Future<Output = Reply> + Send + 'static,
{
    let service = service_fn(move |request| {
        let reply = answer(request, Arc::clone(&connection));
        async move { Ok::<_, Infallible>(reply.await) }
    });
    hyper::server::conn::http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(limits.header_timeout)
        .serve_connection(TokioIo::new(WriteTimeout::new(stream, limits.write_timeout)), service)
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

    use super::*;

    const BIG: usize = 64 * 1024 * 1024;

    /// Requests a path, and returns the status line; the rest is not read.
    async fn request(stream: &mut TcpStream, path: &str) -> String {
        stream.write_all(format!("GET {path} HTTP/1.1\r\nHost: x\r\n\r\n").as_bytes()).await.unwrap();
        let mut line = [0; 12];
        stream.read_exact(&mut line).await.unwrap();
        String::from_utf8_lossy(&line).into_owned()
    }

    /// Serves `/big`, which does not fit into any buffer of the system, and `/trusted`, which makes a connection trusted.
    async fn serve(limits: Limits) -> SocketAddr {
        let listener = Listener::open((Ipv4Addr::LOCALHOST, 0).into()).await.unwrap().with_limits(limits);
        let address = listener.address();
        let answer = |request: Request<Incoming>, connection: Arc<Connection>| async move {
            match request.uri().path() {
                "/big" => reply(StatusCode::OK, vec![b'x'; BIG]),
                "/trusted" => {
                    connection.trust();
                    reply(StatusCode::OK, vec![b'x'; BIG])
                }
                _ => reply(StatusCode::OK, ""),
            }
        };
        tokio::spawn(listener.serve(answer, || {}));
        address
    }

    #[tokio::test]
    async fn connections_that_never_read_do_not_block_other_clients() {
        let limits = Limits { untrusted: 2, trusted: 1, ..Limits::default() };
        let address = serve(limits).await;
        let mut idle = Vec::new();
        let mut trusted = TcpStream::connect(address).await.unwrap();
        assert_eq!(request(&mut trusted, "/trusted").await, "HTTP/1.1 200");
        for at in 0..8 {
            let mut stream = TcpStream::connect(address).await.unwrap();
            // Half of them send nothing, or half of a request.
            if at % 2 == 0 {
                assert_eq!(request(&mut stream, "/big").await, "HTTP/1.1 200");
            } else {
                stream.write_all(b"GET / HTTP/1.1\r\n").await.unwrap();
            }
            idle.push(stream);
        }
        let mut client = TcpStream::connect(address).await.unwrap();
        assert_eq!(request(&mut client, "/").await, "HTTP/1.1 200");
        // The trusted connection still receives its complete reply.
        let mut count = 0;
        let mut part = vec![0; 1 << 20];
        while count < BIG {
            let read = trusted.read(&mut part).await.unwrap();
            assert_ne!(read, 0, "closed after {count} bytes");
            count += read;
        }
    }
}
