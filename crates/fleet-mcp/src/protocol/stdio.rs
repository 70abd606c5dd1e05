//! Stdin and stdout as a transport, with one message per line.
//!
//! A line that is not a message is answered with an error, and does not end the session.

use std::io::{self, Write as _};

use minds_fleet_protocol::limits::MAX_MESSAGE_BYTES;
use minds_process::{Line, standard_input_lines};
use rmcp::model::{ClientJsonRpcMessage, ClientRequest};
use rmcp::service::{RoleServer, TxJsonRpcMessage};
use rmcp::transport::Transport;
use serde_json::{Value, json};
use tokio::sync::{mpsc, oneshot};

use super::work::Closing;

/// The maximum length of a line, in bytes: the longest text, with escapes, and the rest of a message.
const MAX_LINE: usize = 8 * MAX_MESSAGE_BYTES;
/// The maximum number of queued messages in each direction.
const WAITING: usize = 64;
/// The methods that the server has. Their parameters are checked when a line is read.
const METHODS: [&str; 8] = [
    "initialize",
    "ping",
    "server/discover",
    "tasks/cancel",
    "tasks/get",
    "tasks/update",
    "tools/call",
    "tools/list",
];

/// The line is not valid JSON.
const PARSE_ERROR: i32 = -32700;
/// The line is JSON, but not a message.
const INVALID_REQUEST: i32 = -32600;
/// The parameters of a method are not valid.
const INVALID_PARAMS: i32 = -32602;

/// Stdin and stdout.
pub(super) struct Stdio {
    messages: mpsc::Receiver<ClientJsonRpcMessage>,
    replies: mpsc::Sender<Vec<u8>>,
}

/// Starts the threads that read and write. The receiver resolves when everything is written.
pub(super) fn open(closing: Closing) -> io::Result<(Stdio, oneshot::Receiver<()>)> {
    let (message, messages) = mpsc::channel(WAITING);
    let (reply, replies) = mpsc::channel(WAITING);
    let (written, is_written) = oneshot::channel();
    let refusals = reply.clone();
    let thread = |name: &str| std::thread::Builder::new().name(name.to_owned());
    thread("read").spawn(move || {
        read(&message, &refusals);
        // The client is gone, so no call has to wait any longer.
        closing.set();
    })?;
    thread("write").spawn(move || {
        write(replies);
        let _ = written.send(());
    })?;
    Ok((Stdio { messages, replies: reply }, is_written))
}

/// Reads until stdin ends; an error counts as the end.
fn read(messages: &mpsc::Sender<ClientJsonRpcMessage>, refusals: &mpsc::Sender<Vec<u8>>) {
    let mut lines = standard_input_lines(MAX_LINE);
    while let Ok(Some(line)) = lines.next_line() {
        let read = match line {
            Line::Bytes(bytes) => decode(bytes),
            Line::TooLong => {
                let message = format!("the line has more than {MAX_LINE} bytes");
                Err(Some(refusal(&Value::Null, INVALID_REQUEST, &message)))
            }
        };
        let is_open = match read {
            Ok(message) => messages.blocking_send(message).is_ok(),
            Err(Some(refused)) => refusals.blocking_send(refused).is_ok(),
            Err(None) => true,
        };
        if !is_open {
            return;
        }
    }
}

/// Writes until all senders are gone, or nothing reads stdout any more.
fn write(mut replies: mpsc::Receiver<Vec<u8>>) {
    let mut stdout = io::stdout();
    while let Some(line) = replies.blocking_recv() {
        if stdout.write_all(&line).and_then(|()| stdout.flush()).is_err() {
            return;
        }
    }
}

impl Transport<RoleServer> for Stdio {
    type Error = io::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), io::Error>> + Send + 'static {
        let replies = self.replies.clone();
        async move {
            let mut line = serde_json::to_vec(&message)?;
            line.push(b'\n');
            replies.send(line).await.map_err(|_| io::Error::from(io::ErrorKind::BrokenPipe))
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

/// Decodes a line.
///
/// # Errors
///
/// Returns the error reply to a line that is not a message; none if the line is empty or a notification.
fn decode(line: &[u8]) -> Result<ClientJsonRpcMessage, Option<Vec<u8>>> {
    if line.trim_ascii().is_empty() {
        return Err(None);
    }
    let value: Value = serde_json::from_slice(line)
        .map_err(|_| Some(refusal(&Value::Null, PARSE_ERROR, "the line is not valid JSON")))?;
    let id = value.get("id").filter(|id| id.is_string() || id.is_number()).cloned();
    let method = value.get("method").and_then(Value::as_str).map(str::to_owned);
    let is_notification = method.is_some() && value.get("id").is_none();
    let refused = |code, message: &str| {
        (!is_notification).then(|| refusal(&id.clone().unwrap_or_default(), code, message))
    };
    let is_message = value.get("jsonrpc").and_then(Value::as_str) == Some("2.0");
    let message = serde_json::from_value::<ClientJsonRpcMessage>(value).ok().filter(|_| is_message);
    let message =
        message.ok_or_else(|| refused(INVALID_REQUEST, "the line is not a message of the protocol"))?;
    // The library treats a known method with invalid parameters as an unknown one.
    if let ClientJsonRpcMessage::Request(request) = &message
        && let ClientRequest::CustomRequest(custom) = &request.request
        && METHODS.contains(&custom.method.as_str())
    {
        let why = format!("invalid parameters of `{}`", custom.method);
        return Err(refused(INVALID_PARAMS, &why));
    }
    Ok(message)
}

fn refusal(id: &Value, code: i32, message: &str) -> Vec<u8> {
    let error = json!({ "code": code, "message": message });
    let mut line = json!({ "jsonrpc": "2.0", "id": id, "error": error }).to_string().into_bytes();
    line.push(b'\n');
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_are_not_messages_are_answered() {
        for (line, expected) in [
            ("", Err(None)),
            (" \r", Err(None)),
            ("{", Err(Some((Value::Null, PARSE_ERROR)))),
            ("[]", Err(Some((Value::Null, INVALID_REQUEST)))),
            ("7", Err(Some((Value::Null, INVALID_REQUEST)))),
            (r#"{"id":3,"method":"ping"}"#, Err(Some((json!(3), INVALID_REQUEST)))),
            (
                r#"{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":7}}"#,
                Err(Some((json!("a"), INVALID_PARAMS))),
            ),
            (r#"{"method":"notifications/x"}"#, Err(None)),
            (r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#, Ok(())),
            (r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#, Ok(())),
            (r#"{"jsonrpc":"2.0","id":1,"method":"another/method"}"#, Ok(())),
        ] {
            let found = decode(line.as_bytes()).map(drop).map_err(|refused| {
                refused.map(|reply| {
                    let reply: Value = serde_json::from_slice(&reply).unwrap();
                    let code = reply["error"]["code"].as_i64().and_then(|code| i32::try_from(code).ok());
                    (reply["id"].clone(), code.unwrap())
                })
            });
            assert_eq!(found, expected, "{line}");
        }
    }
}
