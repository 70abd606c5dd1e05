//! Messages to and from the program of a server, one on each line.

use std::collections::VecDeque;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use rmcp::RoleClient;
use rmcp::model::{ClientJsonRpcMessage, ClientRequest, ServerJsonRpcMessage};
use rmcp::transport::Transport;
use serde_json::value::RawValue;
use tokio::net::unix::pipe;
use tokio::sync::Mutex;
use tokio::time::{Instant, sleep_until};

use super::MAX_MESSAGE_BYTES;
use super::lines::Lines;
use super::process::Pipes;
use super::wire::{Received, Wire};

/// Reads and writes the messages of a program.
pub(super) struct Stdio {
    wire: Arc<Wire>,
    input: Input,
    lines: Lines<pipe::Receiver>,
    /// Messages of a line that are not read yet.
    batch: VecDeque<String>,
    discovery_time: Duration,
    /// When an answer to `server/discover` comes too late.
    discovery_end: Option<Instant>,
}

/// The standard input of a program; none once it is closed.
pub(super) type Input = Arc<Mutex<Option<pipe::Sender>>>;

impl Stdio {
    pub(super) fn new(wire: &Arc<Wire>, pipes: Pipes, discovery_time: Duration) -> Self {
        Self {
            wire: Arc::clone(wire),
            input: Arc::new(Mutex::new(Some(pipes.input))),
            lines: Lines::new(pipes.output, MAX_MESSAGE_BYTES),
            batch: VecDeque::new(),
            discovery_time,
            discovery_end: None,
        }
    }

    pub(super) fn input(&self) -> Input {
        Arc::clone(&self.input)
    }

    /// Returns the next message as the library is to read it; none at the end. It can be cancelled.
    async fn next(&mut self) -> Option<String> {
        loop {
            if let Some(text) = self.batch.pop_front() {
                match self.wire.read(&text) {
                    Received::Unchanged => return Some(text),
                    Received::Changed(text) => return Some(text),
                    Received::Nothing => continue,
                }
            }
            if !self.wire.is_discovering() {
                self.discovery_end = None;
            }
            let end = self.discovery_end;
            // Lines come last, so that a server cannot keep the others waiting.
            let line = tokio::select! {
                biased;
                () = self.wire.closing.wait() => return None,
                () = wait_until(end) => {
                    self.discovery_end = None;
                    match self.wire.end_discovery() {
                        Some(text) => return Some(text),
                        None => continue,
                    }
                }
                line = self.lines.next() => line?,
            };
            if line.is_cut {
                let reason = format!("the server sent a line of more than {MAX_MESSAGE_BYTES} bytes");
                // The first reason is kept.
                let _ = self.wire.failure.set(reason);
                return None;
            }
            match String::from_utf8(line.bytes) {
                Ok(text) if text.trim_start().starts_with('[') => self.batch.extend(split(&text)),
                Ok(text) if text.trim().is_empty() => {}
                Ok(text) => self.batch.push_back(text),
                Err(error) => self.wire.log(&String::from_utf8_lossy(error.as_bytes())),
            }
        }
    }
}

impl Transport<RoleClient> for Stdio {
    type Error = io::Error;

    fn send(
        &mut self,
        message: ClientJsonRpcMessage,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        self.wire.sending(&message);
        if let ClientJsonRpcMessage::Request(request) = &message
            && matches!(request.request, ClientRequest::DiscoverRequest(_))
        {
            self.discovery_end = Some(Instant::now() + self.discovery_time);
        }
        let (wire, input) = (Arc::clone(&self.wire), Arc::clone(&self.input));
        async move {
            let mut line = serde_json::to_vec(&message)?;
            line.push(b'\n');
            let write = async {
                let mut input = input.lock().await;
                let written = match input.as_ref() {
                    Some(pipe) => write_all(pipe, &line).await,
                    None => Err(io::ErrorKind::BrokenPipe.into()),
                };
                if written.is_err() {
                    // Nothing can follow a line that was not written completely.
                    *input = None;
                }
                written
            };
            tokio::select! {
                biased;
                () = wire.closing.wait() => Err(io::ErrorKind::BrokenPipe.into()),
                written = write => written,
            }
        }
    }

    async fn receive(&mut self) -> Option<ServerJsonRpcMessage> {
        loop {
            let text = self.next().await?;
            match serde_json::from_str(&text) {
                Ok(message) => return Some(message),
                Err(_) => self.wire.log(&text),
            }
        }
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.wire.closing.raise();
        *self.input.lock().await = None;
        Ok(())
    }
}

async fn wait_until(end: Option<Instant>) {
    match end {
        Some(end) => sleep_until(end).await,
        None => std::future::pending().await,
    }
}

/// Writes bytes, and waits for space.
///
/// # Errors
///
/// Fails if the reader has closed the pipe.
pub(crate) async fn write_all(pipe: &pipe::Sender, mut bytes: &[u8]) -> io::Result<()> {
    while !bytes.is_empty() {
        pipe.writable().await?;
        match pipe.try_write(bytes) {
            Ok(count) => bytes = bytes.get(count..).unwrap_or_default(),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Returns the messages of a batch, which some revisions allow. Anything else is returned as it is.
fn split(text: &str) -> Vec<String> {
    match serde_json::from_str::<Vec<&RawValue>>(text) {
        Ok(messages) => messages.into_iter().map(|message| message.get().to_owned()).collect(),
        Err(_) => vec![text.to_owned()],
    }
}
