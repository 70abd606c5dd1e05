//! The protocol over stdin and stdout, with one message per line.
//!
//! [`frame`] validates lines before the library receives them, so no line from a client ends the session.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use crate::transport::{ShutdownSignal, run};
use minds_process::{Line, standard_input_lines};
use rmcp::model::{ClientJsonRpcMessage, ClientRequest, GetMeta as _, ProtocolVersion};
use rmcp::service::{RoleServer, ServiceExt as _, TxJsonRpcMessage};
use rmcp::transport::Transport;
use serde_json::Value;
use tokio::sync::{mpsc, oneshot};

use super::CALLS_AT_ONCE;
use super::direct_answers::DirectAnswers;
use super::early::{Disposition, Started};
use super::handler::Handler;
use super::held_calls::{HeldCalls, MAX_HELD};
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

/// A message for the session.
pub(super) enum Incoming {
    Message(Box<ClientJsonRpcMessage>),
    /// A call that has begun, which is not decoded yet.
    Call {
        message: Value,
        started: Started,
    },
}

/// Returns the queue of the session.
pub(super) fn queue() -> (mpsc::Sender<Incoming>, mpsc::Receiver<Incoming>) {
    mpsc::channel(WAITING + MAX_HELD)
}

/// Stdin and stdout as a transport.
pub(super) struct Stdio {
    pub(super) messages: mpsc::Receiver<Incoming>,
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
    let (message, messages) = queue();
    let (reply, replies) = mpsc::channel(WAITING);
    let (closed, is_closed) = oneshot::channel();
    let (written, is_written) = oneshot::channel();
    let thread = |name: &str| std::thread::Builder::new().name(name.to_owned());
    let lines = Lines::default();
    let reader = Reader::new(direct_answers, message, reply.clone(), lines.clone());
    let reading = thread("read").spawn(move || read(reader));
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
        loop {
            let (message, started) = match self.messages.recv().await? {
                Incoming::Message(message) => return Some(*message),
                Incoming::Call { message, started } => (message, started),
            };
            match understand(message) {
                Ok(mut message) => {
                    started.attach(&mut message);
                    return Some(message);
                }
                Err(Some(refused)) => {
                    if let Some(lines) = &self.lines {
                        lines.queue();
                    }
                    let _ = self.replies.send(Some((refused + "\n").into_bytes())).await;
                }
                Err(None) => {}
            }
        }
    }

    async fn close(&mut self) -> Result<(), io::Error> {
        self.messages.close();
        Ok(())
    }
}

fn line(message: &impl serde::Serialize) -> Result<Vec<u8>, io::Error> {
    let mut line = serde_json::to_vec(message)?;
    line.push(b'\n');
    Ok(line)
}

/// Forwards messages, begins calls, and refuses invalid lines.
pub(super) struct Reader {
    direct_answers: DirectAnswers,
    messages: mpsc::Sender<Incoming>,
    replies: mpsc::Sender<Option<Vec<u8>>>,
    lines: Lines,
    calls: HeldCalls,
    has_begun: bool,
}

/// The session has ended, or its client does not read.
#[derive(Debug)]
pub(super) struct Closed;

impl Reader {
    pub(super) fn new(
        direct_answers: DirectAnswers,
        messages: mpsc::Sender<Incoming>,
        replies: mpsc::Sender<Option<Vec<u8>>>,
        lines: Lines,
    ) -> Self {
        let calls = HeldCalls::new(lines.clone());
        Self { direct_answers, messages, replies, lines, calls, has_begun: false }
    }

    /// Acts on a message.
    ///
    /// # Errors
    ///
    /// Fails if no further message is needed.
    pub(super) fn accept(&mut self, message: Value) -> Result<(), Closed> {
        if let Some(reply) = self.direct_answers.answer(&message) {
            return self.lines.write(&reply).map_err(|_| Closed);
        }
        let is_duplicate = self.hand_over_before(&message);
        let disposition = self.direct_answers.begin(message, &self.calls, &self.messages, is_duplicate);
        let message = match disposition {
            Disposition::Held => return Ok(()),
            Disposition::Started(message, started) => return self.send(Incoming::Call { message, started }),
            Disposition::Nothing(message) => message,
        };
        match understand(message) {
            Ok(message) => {
                self.has_begun |= begins_session(&message);
                // Before the session begins, only requests are accepted.
                let counts = self.has_begun || matches!(message, ClientJsonRpcMessage::Request(_));
                if counts { self.send(Incoming::Message(Box::new(message))) } else { Ok(()) }
            }
            Err(Some(refused)) => self.refuse(refused),
            Err(None) => Ok(()),
        }
    }

    /// Hands over the calls that the session has to know before a message; returns whether one has the id of the message.
    fn hand_over_before(&self, message: &Value) -> bool {
        let Some(method) = message.get("method") else { return false };
        if method == "notifications/cancelled" {
            if let Some(id) = message.pointer("/params/requestId") {
                self.calls.hand_over(id);
            }
            return false;
        }
        // A client that uses an id twice at the same time has broken the protocol. The session answers it once.
        message.get("id").is_some_and(|id| self.calls.hand_over(id))
    }

    fn send(&self, message: Incoming) -> Result<(), Closed> {
        self.messages.blocking_send(message).map_err(|_| Closed)
    }

    fn refuse(&self, refused: String) -> Result<(), Closed> {
        self.lines.queue();
        self.replies.blocking_send(Some((refused + "\n").into_bytes())).map_err(|_| Closed)
    }
}

impl Drop for Reader {
    /// The session answers the calls that still run.
    fn drop(&mut self) {
        self.calls.hand_over_all();
    }
}

/// Reads until stdin ends.
fn read(reader: Reader) {
    read_lines(reader);
    // Calls that wait for each other finish; a lock of another process does not delay the end.
    minds_fs::end_lock_waits(FAREWELL);
}

fn read_lines(mut reader: Reader) {
    let mut lines = standard_input_lines(frame::MAX_LINE);
    // A read error is treated as the end of stdin.
    while let Ok(Some(line_read)) = lines.next_line() {
        let frame = match line_read {
            Line::Bytes(bytes) => frame::read(bytes),
            Line::TooLong => Frame::Refused(frame::too_long()),
        };
        let done = match frame {
            Frame::Blank => continue,
            Frame::Refused(refused) => reader.refuse(refused),
            Frame::Message(message) => reader.accept(message),
        };
        if done.is_err() {
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
