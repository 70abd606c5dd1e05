//! A server for HTTP/1.1 on loopback, with as much of the protocol as clients need to talk to a model.

use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

/// The maximum size of a request, which contains the whole conversation.
const MAX_BODY: usize = 64 << 20;

pub(crate) struct Request {
    pub(crate) method: String,
    pub(crate) path: String,
    pub(crate) body: Vec<u8>,
}

pub(crate) struct Response {
    pub(crate) status: u16,
    pub(crate) media_type: &'static str,
    pub(crate) body: String,
    /// Whether the response goes on until the client closes the connection.
    pub(crate) is_unfinished: bool,
}

impl Response {
    pub(crate) fn json(body: String) -> Self {
        Self { status: 200, media_type: "application/json", body, is_unfinished: false }
    }

    pub(crate) fn events(body: String) -> Self {
        Self { status: 200, media_type: "text/event-stream", body, is_unfinished: false }
    }

    pub(crate) fn not_found() -> Self {
        Self { status: 404, ..Self::json("{}".to_owned()) }
    }
}

type Handler = dyn Fn(&Request) -> Response + Send + Sync;

/// A server that runs until the value is dropped.
pub(crate) struct Server {
    address: SocketAddr,
    is_ended: Arc<AtomicBool>,
}

impl Server {
    pub(crate) fn start(handler: Arc<Handler>) -> io::Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", 0))?;
        let (address, is_ended) = (listener.local_addr()?, Arc::new(AtomicBool::new(false)));
        let ended = Arc::clone(&is_ended);
        thread::spawn(move || {
            for stream in listener.incoming() {
                if ended.load(Ordering::Relaxed) {
                    return;
                }
                let (Ok(stream), handler) = (stream, Arc::clone(&handler)) else { continue };
                // A client that ends closes its connections, which ends their threads.
                thread::spawn(move || {
                    let _ = serve(stream, &*handler);
                });
            }
        });
        Ok(Self { address, is_ended })
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.is_ended.store(true, Ordering::Relaxed);
        // Wakes the listener.
        let _ = TcpStream::connect(self.address);
    }
}

fn serve(mut stream: TcpStream, handler: &Handler) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let mut input = BufReader::new(stream.try_clone()?);
    while let Some(request) = read(&mut input)? {
        let response = handler(&request);
        let Response { status, media_type, body, is_unfinished } = response;
        let length = if is_unfinished {
            "connection: close".to_owned()
        } else {
            format!("content-length: {}", body.len())
        };
        let reason = if status == 200 { "OK" } else { "Refused" };
        let head = format!("HTTP/1.1 {status} {reason}\r\ncontent-type: {media_type}\r\n{length}\r\n\r\n");
        stream.write_all(head.as_bytes())?;
        if request.method != "HEAD" {
            stream.write_all(body.as_bytes())?;
        }
        stream.flush()?;
        if is_unfinished {
            // Nothing else is expected on this connection.
            io::copy(&mut input, &mut io::sink())?;
            return Ok(());
        }
    }
    Ok(())
}

/// Reads the next request of a connection, if there is one.
fn read(input: &mut BufReader<TcpStream>) -> io::Result<Option<Request>> {
    let mut line = String::new();
    if input.read_line(&mut line)? == 0 {
        return Ok(None);
    }
    let mut words = line.split(' ');
    let (method, path) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let (method, path) = (method.to_owned(), path.to_owned());
    let (mut length, mut is_chunked) = (0_usize, false);
    loop {
        let mut line = String::new();
        input.read_line(&mut line)?;
        let Some((name, value)) = line.trim_end().split_once(':') else { break };
        match name.to_ascii_lowercase().as_str() {
            "content-length" => length = value.trim().parse().map_err(|_| io::ErrorKind::InvalidData)?,
            "transfer-encoding" => is_chunked = value.trim().eq_ignore_ascii_case("chunked"),
            _ => {}
        }
    }
    let body = if is_chunked { read_chunks(input)? } else { read_bytes(input, length)? };
    Ok(Some(Request { method, path, body }))
}

fn read_bytes(input: &mut BufReader<TcpStream>, length: usize) -> io::Result<Vec<u8>> {
    if length > MAX_BODY {
        return Err(io::ErrorKind::InvalidData.into());
    }
    let mut body = vec![0; length];
    input.read_exact(&mut body)?;
    Ok(body)
}

fn read_chunks(input: &mut BufReader<TcpStream>) -> io::Result<Vec<u8>> {
    let mut body = Vec::new();
    loop {
        let mut line = String::new();
        input.read_line(&mut line)?;
        let size = line.split(';').next().unwrap_or_default().trim();
        let size = usize::from_str_radix(size, 16).map_err(|_| io::ErrorKind::InvalidData)?;
        if size + body.len() > MAX_BODY {
            return Err(io::ErrorKind::InvalidData.into());
        }
        body.extend(read_bytes(input, size)?);
        // Each chunk, also the last one, is followed by an empty line.
        input.read_line(&mut line)?;
        if size == 0 {
            return Ok(body);
        }
    }
}
