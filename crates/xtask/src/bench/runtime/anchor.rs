//! Another gateway: `mcp-proxy`, which serves a program over HTTP.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use crate::mcp::node::Node;

pub(super) const PACKAGES: [(&str, &str); 2] = [("node", "22.23.3"), ("mcp-proxy", "6.7.19")];
/// The time within which it listens.
const START: Duration = Duration::from_secs(20);

/// The other gateway with a server, and a connection to it that stays open.
pub(super) struct Anchor {
    child: Child,
    stream: BufReader<TcpStream>,
    session: Option<String>,
    requests: u64,
    body: String,
}

impl Anchor {
    /// Starts it with a server, and makes the handshake.
    ///
    /// # Errors
    ///
    /// Returns why that is not possible.
    pub(super) fn start(folder: &Path, server: &[String]) -> Result<Self, String> {
        let node = Node::install(folder, &PACKAGES)?;
        let port = std::net::TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr());
        let port = port.map_err(|error| error.to_string())?.port();
        let mut command = node.command("mcp-proxy");
        command
            .args(["--host", "127.0.0.1", "--port", &port.to_string(), "--server", "stream", "--"])
            .args(server);
        command.stdout(Stdio::null()).stderr(Stdio::null());
        let child = command.spawn().map_err(|error| error.to_string())?;
        let stream = connect(port)?;
        stream.set_nodelay(true).map_err(|error| error.to_string())?;
        let stream = BufReader::with_capacity(1 << 16, stream);
        let mut anchor = Self { child, stream, session: None, requests: 0, body: String::new() };
        anchor.ask("initialize", &super::handshake().to_string())?;
        anchor.post("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}")?;
        Ok(anchor)
    }

    /// Calls a tool of the benchmark's server; returns how long that took.
    pub(super) fn call(&mut self, tool: &str) -> Result<Duration, String> {
        let params = super::call_params(tool);
        let start = Instant::now();
        self.ask("tools/call", &params)?;
        let taken = start.elapsed();
        if self.body.contains("\"text\":\"done\"") { Ok(taken) } else { Err(self.body.clone()) }
    }

    fn ask(&mut self, method: &str, params: &str) -> Result<(), String> {
        self.requests += 1;
        let id = self.requests;
        self.post(&format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"{method}\",\"params\":{params}}}"))
    }

    fn post(&mut self, message: &str) -> Result<(), String> {
        let session = self.session.as_ref().map_or(String::new(), |id| format!("mcp-session-id: {id}\r\n"));
        let request = format!(
            "POST /mcp HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\n\
             accept: application/json, text/event-stream\r\n{session}content-length: {}\r\n\r\n{message}",
            message.len()
        );
        self.stream.get_mut().write_all(request.as_bytes()).map_err(|error| error.to_string())?;
        self.read_response().map_err(|error| error.to_string())
    }

    fn read_response(&mut self) -> std::io::Result<()> {
        let (mut length, mut is_chunked) = (0, false);
        loop {
            let line = self.read_line()?;
            let (name, value) = line.split_once(':').unwrap_or((&line, ""));
            match name.to_ascii_lowercase().as_str() {
                "" => break,
                "content-length" => length = value.trim().parse().unwrap_or(0),
                "transfer-encoding" => is_chunked = true,
                "mcp-session-id" => self.session = Some(value.trim().to_owned()),
                _ => {}
            }
        }
        self.body.clear();
        if !is_chunked {
            return self.read_body(length);
        }
        loop {
            let size = usize::from_str_radix(&self.read_line()?, 16).unwrap_or(0);
            self.read_body(size)?;
            self.read_line()?;
            if size == 0 {
                return Ok(());
            }
        }
    }

    fn read_line(&mut self) -> std::io::Result<String> {
        let mut line = String::new();
        self.stream.read_line(&mut line)?;
        Ok(line.trim_end().to_owned())
    }

    fn read_body(&mut self, length: usize) -> std::io::Result<()> {
        let mut bytes = vec![0; length];
        self.stream.read_exact(&mut bytes)?;
        self.body.push_str(&String::from_utf8_lossy(&bytes));
        Ok(())
    }
}

impl Drop for Anchor {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn connect(port: u16) -> Result<TcpStream, String> {
    let end = Instant::now() + START;
    loop {
        match TcpStream::connect(("127.0.0.1", port)) {
            Ok(stream) => return Ok(stream),
            Err(error) if Instant::now() > end => return Err(error.to_string()),
            Err(_) => std::thread::sleep(Duration::from_millis(20)),
        }
    }
}
