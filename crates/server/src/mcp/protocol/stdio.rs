//! The protocol over stdin and stdout, with one message per line.
//!
//! [`frame`] validates lines before the library receives them, so no line from a client ends the session.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use crate::transport::{ShutdownSignal, run};
use minds_process::{Line, standard_input_lines};
use rmcp::model::{ClientJsonRpcMessage, ClientRequest, GetMeta as _, JsonRpcMessage, ProtocolVersion};
use rmcp::service::{RoleServer, ServiceExt as _, TxJsonRpcMessage};
use rmcp::transport::Transport;
use serde_json::Value;
use tokio::sync::{mpsc, oneshot};

use super::CALLS_AT_ONCE;
use super::direct_answers::DirectAnswers;
use super::handler::Handler;
use super::hub::Hub;
use super::output::Lines;
use super::redirect::is_redirected;
use crate::ServeError;
use crate::mcp::frame::{self, Frame, INVALID_PARAMS, INVALID_REQUEST};
use crate::mcp::server::Server;

/// The maximum number of queued messages in each direction.
const WAITING: usize = 64;
/// The time limit for writing the last replies.
const FAREWELL: Duration = Duration::from_secs(2);

/// Serves over stdin and stdout until stdin ends or the process is asked to end. Only messages of the protocol are written.
///
/// # Errors
///
/// Fails if threads cannot be created.
pub fn serve_stdio(server: Server) -> Result<(), ServeError> {
    run(CALLS_AT_ONCE, async {
        let shutdown = ShutdownSignal::new()?;
        let hub = Hub::new(server)?;
        let handler = Handler::new(Arc::clone(&hub));
        let (transport, output, closed) = open(DirectAnswers::new(hub, handler.begun_conversation()))?;
        let ended = async {
            tokio::select! {
                () = shutdown.wait() => minds_fs::end_lock_waits(Duration::ZERO),
                // The reader is gone.
                _ = closed => {}
            }
        };
        tokio::select! {
            () = serve(handler, transport) => output.finish().await,
            () = ended => {
                // Pending replies are still written, but not for a client that does not read them.
                let _ = tokio::time::timeout(FAREWELL, output.finish()).await;
            }
        }
        Ok(())
    })
}

/// Answers until stdin ends.
pub(super) async fn serve(handler: Handler, transport: Stdio) {
    // An error here means that stdin ended before the first request.
    if let Ok(running) = handler.serve(transport).await {
        let _ = running.waiting().await;
    }
}

/// Stdin and stdout as a transport.
pub(super) struct Stdio {
    pub(super) messages: mpsc::Receiver<ClientJsonRpcMessage>,
    pub(super) replies: mpsc::Sender<Option<Vec<u8>>>,
    /// Stdout, for replies that need no other thread.
    pub(super) lines: Option<Lines>,
}

/// The pending output.
struct Output {
    replies: mpsc::Sender<Option<Vec<u8>>>,
    written: oneshot::Receiver<()>,
}

impl Output {
    /// Waits until all output is written, or the reader is gone.
    async fn finish(self) {
        let _ = self.replies.send(None).await;
        let _ = self.written.await;
    }
}

/// Starts reading and writing; the last returned value resolves when the reader is gone.
fn open(direct_answers: DirectAnswers) -> Result<(Stdio, Output, oneshot::Receiver<()>), ServeError> {
    let (message, messages) = mpsc::channel(WAITING);
    let (reply, replies) = mpsc::channel(WAITING);
    let (closed, is_closed) = oneshot::channel();
    let (written, is_written) = oneshot::channel();
    let thread = |name: &str| std::thread::Builder::new().name(name.to_owned());
    let lines = Lines::default();
    let reader = Reader { messages: message, replies: reply.clone(), lines: lines.clone() };
    let reading = thread("read").spawn(move || read(direct_answers, &reader));
    reading.map_err(ServeError::system("start a thread"))?;
    let queued = lines.clone();
    let writing = thread("write").spawn(move || {
        let _ = if write(&queued, replies) { written.send(()) } else { closed.send(()) };
    });
    writing.map_err(ServeError::system("start a thread"))?;
    let output = Output { replies: reply.clone(), written: is_written };
    Ok((Stdio { messages, replies: reply, lines: Some(lines) }, output, is_closed))
}

/// Writes all queued lines; returns whether that succeeded.
fn write(lines: &Lines, mut replies: mpsc::Receiver<Option<Vec<u8>>>) -> bool {
    while let Some(Some(line)) = replies.blocking_recv() {
        if lines.write(&line).is_err() {
            return false;
        }
        lines.dequeue();
    }
    true
}

impl Transport<RoleServer> for Stdio {
    type Error = io::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), io::Error>> + Send + 'static {
        let (replies, lines) = (self.replies.clone(), self.lines.clone());
        async move {
            if let Some(lines) = lines.as_ref().filter(|lines| lines.has_answered())
                && let Some(id) = answered_request(&message)
                && lines.is_answered(&id)
            {
                return Ok(());
            }
            let line = line(&message)?;
            if let Some(lines) = &lines {
                if lines.try_write(&line) {
                    return Ok(());
                }
                lines.queue();
            }
            let sent = replies.send(Some(line)).await;
            sent.map_err(|_| io::Error::from(io::ErrorKind::BrokenPipe))
        }
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        self.messages.recv().await
    }

    async fn close(&mut self) -> Result<(), io::Error> {
        self.messages.close();
        Ok(())
    }
}

/// Returns the id, as JSON, of the request that a message answers.
fn answered_request(message: &TxJsonRpcMessage<RoleServer>) -> Option<String> {
    let id = match message {
        JsonRpcMessage::Response(response) => &response.id,
        JsonRpcMessage::Error(error) => error.id.as_ref()?,
        _ => return None,
    };
    serde_json::to_string(id).ok()
}

fn line(message: &impl serde::Serialize) -> Result<Vec<u8>, io::Error> {
    let mut line = serde_json::to_vec(message)?;
    line.push(b'\n');
    Ok(line)
}

/// Where the thread that reads sends messages and replies.
struct Reader {
    messages: mpsc::Sender<ClientJsonRpcMessage>,
    replies: mpsc::Sender<Option<Vec<u8>>>,
    lines: Lines,
}

/// Forwards messages and refuses invalid lines, until stdin ends.
fn read(direct_answers: DirectAnswers, reader: &Reader) {
    read_lines(direct_answers, reader);
    // Calls that wait for each other finish; a lock of another process does not delay the end.
    minds_fs::end_lock_waits(FAREWELL);
}

fn read_lines(mut direct_answers: DirectAnswers, reader: &Reader) {
    let mut lines = standard_input_lines(frame::MAX_LINE);
    let mut has_begun = false;
    // A read error is treated as the end of stdin.
    while let Ok(Some(line_read)) = lines.next_line() {
        let frame = match line_read {
            Line::Bytes(bytes) => frame::read(bytes),
            Line::TooLong => Frame::Refused(frame::too_long()),
        };
        let refused = match frame {
            Frame::Blank => continue,
            Frame::Refused(refused) => refused,
            Frame::Message(mut message) => {
                if let Some(reply) = direct_answers.answer(&message) {
                    if reader.lines.write(&reply).is_err() {
                        return;
                    }
                    continue;
                }
                let started = direct_answers.redirect(&mut message, &reader.lines);
                match understand(message) {
                    Ok(mut message) => {
                        if let Some(started) = started {
                            started.attach(&mut message);
                        }
                        has_begun |= begins_session(&message);
                        // Before the session begins, only requests are accepted.
                        let counts = has_begun || matches!(message, ClientJsonRpcMessage::Request(_));
                        if counts && reader.messages.blocking_send(message).is_err() {
                            return;
                        }
                        continue;
                    }
                    Err(Some(refused)) => refused,
                    Err(None) => continue,
                }
            }
        };
        reader.lines.queue();
        if reader.replies.blocking_send(Some((refused + "\n").into_bytes())).is_err() {
            return;
        }
    }
}

/// Decodes a message.
///
/// # Errors
///
/// Returns the error reply to an invalid request; `None` for a notification.
pub(super) fn understand(value: Value) -> Result<ClientJsonRpcMessage, Option<String>> {
    let id = frame::id(&value);
    let is_request = value.get("method").is_some() && value.get("id").is_some();
    let refused = |code, why: &str| is_request.then(|| frame::refusal(&id, code, why));
    let message = serde_json::from_value::<ClientJsonRpcMessage>(value);
    let message = message.map_err(|_| refused(INVALID_REQUEST, "not a message of the protocol"))?;
    match &message {
        // The library treats a known method with invalid parameters as an unknown one.
        ClientJsonRpcMessage::Request(request) => match &request.request {
            ClientRequest::CustomRequest(custom)
                if METHODS.contains(&custom.method.as_str()) && !is_redirected(custom) =>
            {
                let why = format!("invalid parameters of `{}`", custom.method);
                Err(refused(INVALID_PARAMS, &why))
            }
            _ => Ok(message),
        },
        _ => Ok(message),
    }
}

/// The known methods.
const METHODS: &[&str] = &[
    "completion/complete",
    "initialize",
    "logging/setLevel",
    "ping",
    "prompts/get",
    "prompts/list",
    "resources/list",
    "resources/read",
    "resources/subscribe",
    "resources/templates/list",
    "resources/unsubscribe",
    "server/discover",
    "subscriptions/listen",
    "tools/call",
    "tools/list",
];

/// Returns whether a message begins a session: a handshake, or a request that includes its information.
fn begins_session(message: &ClientJsonRpcMessage) -> bool {
    let ClientJsonRpcMessage::Request(request) = message else { return false };
    match &request.request {
        ClientRequest::InitializeRequest(_) => true,
        ClientRequest::PingRequest(_) | ClientRequest::DiscoverRequest(_) => false,
        other => {
            let meta = other.get_meta();
            meta.missing_required_keys(&ProtocolVersion::V_2026_07_28).is_empty()
                && meta
                    .protocol_version()
                    .is_some_and(|version| ProtocolVersion::KNOWN_VERSIONS.contains(&version))
        }
    }
}
