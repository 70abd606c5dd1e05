//! The protocol over standard input and output: a message on each line.
//!
//! Lines are judged by [`frame`] before the library sees them, so nothing that a client writes ends the session.

use std::io::{self, Write as _};
use std::sync::Arc;
use std::time::Duration;

use minds_serve::{Ending, run};
use minds_system::{Line, standard_input_lines};
use rmcp::model::{ClientJsonRpcMessage, ClientRequest, GetMeta as _, ProtocolVersion};
use rmcp::service::{RoleServer, ServiceExt as _, TxJsonRpcMessage};
use rmcp::transport::Transport;
use serde_json::Value;
use tokio::sync::{mpsc, oneshot};

use super::CALLS_AT_ONCE;
use super::handler::Handler;
use super::hub::Hub;
use super::quick::Quick;
use crate::ServeError;
use crate::frame::{self, Frame, INVALID_PARAMS, INVALID_REQUEST};
use crate::server::Server;

/// How many messages wait in each direction.
const WAITING: usize = 64;
/// How long a reader is waited for at the end.
const FAREWELL: Duration = Duration::from_secs(2);

/// Serves over standard input and output until the input ends, or somebody asks the process to end. Nothing but messages of
/// the protocol is written.
///
/// # Errors
///
/// Fails if the system does not give the threads that are needed.
pub fn serve_stdio(server: Server) -> Result<(), ServeError> {
    run(CALLS_AT_ONCE, async {
        let ending = Ending::new()?;
        let hub = Hub::new(server)?;
        let (transport, output, closed) = open(Quick::new(Arc::clone(&hub)))?;
        let handler = Handler::new(hub);
        let ended = async {
            tokio::select! {
                () = ending.asked() => minds_system::end_lock_waits(Duration::ZERO),
                // Nobody reads any more.
                _ = closed => {}
            }
        };
        tokio::select! {
            () = serve(handler, transport) => output.finish().await,
            () = ended => {
                // What was said may still be read, but who asks for the end does not wait for a reader that does not read.
                let _ = tokio::time::timeout(FAREWELL, output.finish()).await;
            }
        }
        Ok(())
    })
}

/// Answers until the input ends.
async fn serve(handler: Handler, transport: Stdio) {
    // An error here is an input that ended before anything was asked.
    if let Ok(running) = handler.serve(transport).await {
        let _ = running.waiting().await;
    }
}

/// Standard input and output as a transport.
struct Stdio {
    messages: mpsc::Receiver<ClientJsonRpcMessage>,
    replies: mpsc::Sender<Option<Vec<u8>>>,
}

/// What is still to be written.
struct Output {
    replies: mpsc::Sender<Option<Vec<u8>>>,
    written: oneshot::Receiver<()>,
}

impl Output {
    /// Waits until everything is written, or nobody reads any more.
    async fn finish(self) {
        let _ = self.replies.send(None).await;
        let _ = self.written.await;
    }
}

/// Starts to read and to write; what is returned last resolves when nobody reads any more.
fn open(quick: Quick) -> Result<(Stdio, Output, oneshot::Receiver<()>), ServeError> {
    let (message, messages) = mpsc::channel(WAITING);
    let (reply, replies) = mpsc::channel(WAITING);
    let (closed, is_closed) = oneshot::channel();
    let (written, is_written) = oneshot::channel();
    let thread = |name: &str| std::thread::Builder::new().name(name.to_owned());
    let refusals = reply.clone();
    let reading = thread("read").spawn(move || read(quick, &message, &refusals));
    reading.map_err(ServeError::system("start a thread"))?;
    let writing = thread("write").spawn(move || {
        let _ = if write(replies) { written.send(()) } else { closed.send(()) };
    });
    writing.map_err(ServeError::system("start a thread"))?;
    let output = Output { replies: reply.clone(), written: is_written };
    Ok((Stdio { messages, replies: reply }, output, is_closed))
}

/// Writes lines until there are no more; returns whether all could be written.
fn write(mut replies: mpsc::Receiver<Option<Vec<u8>>>) -> bool {
    while let Some(Some(line)) = replies.blocking_recv() {
        if write_line(&line).is_err() {
            return false;
        }
    }
    true
}

/// Writes a line whole, whichever thread it comes from.
fn write_line(line: &[u8]) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    stdout.write_all(line)?;
    stdout.flush()
}

impl Transport<RoleServer> for Stdio {
    type Error = io::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), io::Error>> + Send + 'static {
        let replies = self.replies.clone();
        async move {
            let sent = replies.send(Some(line(&message)?)).await;
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

fn line(message: &impl serde::Serialize) -> Result<Vec<u8>, io::Error> {
    let mut line = serde_json::to_vec(message)?;
    line.push(b'\n');
    Ok(line)
}

/// Passes on what is a message, and refuses what is not, until the input ends.
fn read(
    quick: Quick,
    messages: &mpsc::Sender<ClientJsonRpcMessage>,
    replies: &mpsc::Sender<Option<Vec<u8>>>,
) {
    read_lines(quick, messages, replies);
    // Calls that wait for each other get done; a lock that another program keeps does not keep the process.
    minds_system::end_lock_waits(FAREWELL);
}

fn read_lines(
    mut quick: Quick,
    messages: &mpsc::Sender<ClientJsonRpcMessage>,
    replies: &mpsc::Sender<Option<Vec<u8>>>,
) {
    let mut lines = standard_input_lines(frame::MAX_LINE);
    let mut has_begun = false;
    // An input that cannot be read any more has ended.
    while let Ok(Some(line_read)) = lines.next_line() {
        let frame = match line_read {
            Line::Bytes(bytes) => frame::read(bytes),
            Line::TooLong => Frame::Refused(frame::too_long()),
        };
        let refused = match frame {
            Frame::Blank => continue,
            Frame::Refused(refused) => refused,
            Frame::Message(message) => {
                if let Some(reply) = quick.answer(&message) {
                    if write_line(&reply).is_err() {
                        return;
                    }
                    continue;
                }
                match understand(message) {
                    Ok(message) => {
                        has_begun |= begins(&message);
                        // Before the session begins only requests mean anything.
                        let counts = has_begun || matches!(message, ClientJsonRpcMessage::Request(_));
                        if counts && messages.blocking_send(message).is_err() {
                            return;
                        }
                        continue;
                    }
                    Err(Some(refused)) => refused,
                    Err(None) => continue,
                }
            }
        };
        if replies.blocking_send(Some((refused + "\n").into_bytes())).is_err() {
            return;
        }
    }
}

/// Returns the message that a value is.
///
/// # Errors
///
/// Returns the refusal of a request that is none; nothing for what wants no reply.
fn understand(value: Value) -> Result<ClientJsonRpcMessage, Option<String>> {
    let id = frame::id(&value);
    let is_request = value.get("method").is_some() && value.get("id").is_some();
    let refused = |code, why: &str| is_request.then(|| frame::refusal(&id, code, why));
    let message = serde_json::from_value::<ClientJsonRpcMessage>(value);
    let message = message.map_err(|_| refused(INVALID_REQUEST, "this is no message of the protocol"))?;
    match &message {
        // A known method whose parameters are not as they should be is taken for an unknown one.
        ClientJsonRpcMessage::Request(request) => match &request.request {
            ClientRequest::CustomRequest(custom) if METHODS.contains(&custom.method.as_str()) => {
                let why = format!("the parameters of `{}` are not as they should be", custom.method);
                Err(refused(INVALID_PARAMS, &why))
            }
            _ => Ok(message),
        },
        _ => Ok(message),
    }
}

/// The methods that are known.
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

/// Returns whether a session begins with a message: by a handshake, or by a request that says all that one would.
fn begins(message: &ClientJsonRpcMessage) -> bool {
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
