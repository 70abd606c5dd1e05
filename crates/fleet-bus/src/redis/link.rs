//! Commands, their replies, and the messages of channels, over one connection in RESP3.

use std::collections::VecDeque;
use std::io::{self, Read, Write as _};
use std::os::fd::{AsFd, BorrowedFd};
use std::time::Duration;

use minds_fleet_protocol::{ErrorCode, Failure};
use minds_fs::{Watched, wait_for};
use redis::{Cmd, Parser, PushKind, Value, cmd};

use super::settings::Target;
use super::socket::Socket;

/// How long the server may take for a reply.
const REPLY_TIMEOUT: Duration = Duration::from_secs(2);

/// A connection that a caller uses for commands and for channels.
///
/// Every reply is read by the call that sent its command, so a failed connection is noticed by the call that it fails.
pub(super) struct Link {
    socket: Socket,
    name: String,
    parser: Parser,
    expected: VecDeque<Expected>,
    replies: Vec<Value>,
    messages: VecDeque<Message>,
    /// Why the server refused a command whose reply is not read.
    refused: Option<Failure>,
}

/// What a channel delivered.
#[derive(Debug)]
pub(super) struct Message {
    pub(super) channel: String,
    pub(super) payload: Vec<u8>,
}

/// What the server sends for a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Expected {
    /// A reply that the caller reads.
    Reply,
    /// A reply that is not read, unless it is an error.
    Ignored,
    /// A confirmation of a channel, or an error.
    Channel,
}

/// Commands that are sent together.
#[derive(Default)]
pub(super) struct Batch {
    bytes: Vec<u8>,
    expected: Vec<Expected>,
}

impl Batch {
    /// Adds a command whose reply is read.
    pub(super) fn add(&mut self, command: &Cmd) -> &mut Self {
        self.push(command, Expected::Reply)
    }

    /// Adds a command whose reply is read only if it is an error.
    pub(super) fn add_ignored(&mut self, command: &Cmd) -> &mut Self {
        self.push(command, Expected::Ignored)
    }

    /// Subscribes to a channel.
    pub(super) fn subscribe(&mut self, channel: &str) -> &mut Self {
        self.push(cmd("SUBSCRIBE").arg(channel), Expected::Channel)
    }

    /// Ends a subscription.
    pub(super) fn unsubscribe(&mut self, channel: &str) -> &mut Self {
        self.push(cmd("UNSUBSCRIBE").arg(channel), Expected::Channel)
    }

    fn push(&mut self, command: &Cmd, expected: Expected) -> &mut Self {
        command.write_packed_command(&mut self.bytes);
        self.expected.push(expected);
        self
    }
}

impl Link {
    /// Connects and logs in. The name is displayed by `CLIENT LIST`.
    pub(super) fn open(target: &Target, client: &str) -> Result<Self, Failure> {
        let name = target.to_string();
        let socket = Socket::connect(target).map_err(|error| unreachable(&name, &error))?;
        let mut link = Self {
            socket,
            name,
            parser: Parser::new(),
            expected: VecDeque::new(),
            replies: Vec::new(),
            messages: VecDeque::new(),
            refused: None,
        };
        let mut batch = Batch::default();
        let mut hello = cmd("HELLO");
        hello.arg(3);
        if let Some(password) = &target.password {
            hello.arg("AUTH").arg(target.username.as_deref().unwrap_or("default")).arg(password);
        }
        batch.add(hello.arg("SETNAME").arg(client));
        if target.database != 0 {
            batch.add(cmd("SELECT").arg(target.database));
        }
        link.call(&batch)?;
        Ok(link)
    }

    /// Sends commands and returns the replies that are read. What channels deliver meanwhile is kept.
    pub(super) fn call(&mut self, batch: &Batch) -> Result<Vec<Value>, Failure> {
        let replies = self.try_call(batch)?;
        match replies.iter().find_map(|reply| match reply {
            Value::ServerError(error) => Some(format!("{} {}", error.code(), error.details().unwrap_or(""))),
            _ => None,
        }) {
            Some(error) => Err(self.refuse(&error)),
            None => Ok(replies),
        }
    }

    /// Sends commands and returns the replies that are read, which may be errors.
    pub(super) fn try_call(&mut self, batch: &Batch) -> Result<Vec<Value>, Failure> {
        self.send(batch)?;
        self.wait_replies(REPLY_TIMEOUT)
    }

    /// Sends one command, which the server may take longer for, and returns its reply.
    pub(super) fn call_for(&mut self, command: &Cmd, wait: Duration) -> Result<Value, Failure> {
        let mut batch = Batch::default();
        self.send(batch.add(command))?;
        let reply = self.wait_replies(REPLY_TIMEOUT.saturating_add(wait))?.pop();
        match reply.unwrap_or_default() {
            Value::ServerError(error) => {
                let text = format!("{} {}", error.code(), error.details().unwrap_or(""));
                Err(self.refuse(&text))
            }
            value => Ok(value),
        }
    }

    /// Sends commands and does not wait for their replies.
    pub(super) fn send(&mut self, batch: &Batch) -> Result<(), Failure> {
        let mut bytes = batch.bytes.as_slice();
        while !bytes.is_empty() {
            match self.socket.write(bytes) {
                Ok(0) => return Err(self.fail(&"the server has closed the connection")),
                Ok(count) => bytes = bytes.get(count..).unwrap_or_default(),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => self.wait_for_output()?,
                Err(error) => return Err(self.fail(&error)),
            }
        }
        match self.socket.flush() {
            Err(error) if error.kind() != io::ErrorKind::WouldBlock => return Err(self.fail(&error)),
            _ => {}
        }
        self.expected.extend(&batch.expected);
        Ok(())
    }

    /// Returns the next message that has arrived, without waiting.
    pub(super) fn take_message(&mut self) -> Result<Option<Message>, Failure> {
        while self.messages.is_empty() && self.read_value()? {}
        self.check()?;
        Ok(self.messages.pop_front())
    }

    fn check(&mut self) -> Result<(), Failure> {
        self.refused.take().map_or(Ok(()), Err)
    }

    fn wait_replies(&mut self, timeout: Duration) -> Result<Vec<Value>, Failure> {
        while !self.expected.is_empty() {
            // A reply takes longer than a look at the socket, which is therefore not taken first.
            let watched = [Watched::new(&self.socket)];
            let is_ready = wait_for(&watched, timeout).map_err(|error| self.fail(&error))?;
            if !is_ready.contains(&true) {
                return Err(self.fail(&"the server does not reply"));
            }
            while !self.expected.is_empty() && self.read_value()? {}
        }
        self.check()?;
        Ok(std::mem::take(&mut self.replies))
    }

    fn wait_for_output(&mut self) -> Result<(), Failure> {
        let watched = [Watched { for_output: true, ..Watched::new(&self.socket) }];
        let is_ready = wait_for(&watched, REPLY_TIMEOUT).map_err(|error| self.fail(&error))?;
        // Input that is not read cannot keep the server from reading.
        if is_ready.contains(&true) { Ok(()) } else { Err(self.fail(&"the server does not read")) }
    }

    /// Reads one value, if one has arrived; returns whether it has.
    fn read_value(&mut self) -> Result<bool, Failure> {
        let mut reader = Reader { socket: &mut self.socket, failed: None };
        match self.parser.parse_value(&mut reader) {
            Ok(value) => {
                self.note(value);
                Ok(true)
            }
            Err(error) => match reader.failed {
                Some(kind) if kind.kind() == io::ErrorKind::WouldBlock => Ok(false),
                Some(failed) => Err(self.fail(&failed)),
                None => Err(self.fail(&error)),
            },
        }
    }

    fn note(&mut self, value: Value) {
        match value {
            Value::Push { kind: PushKind::Message, data } => {
                if let [channel, payload] = data.as_slice()
                    && let (Some(channel), Some(payload)) = (text(channel), bytes(payload))
                {
                    self.messages
                        .push_back(Message { channel: channel.to_owned(), payload: payload.to_vec() });
                }
            }
            Value::Push { kind: PushKind::Subscribe | PushKind::Unsubscribe, .. } => {
                self.expected.pop_front();
            }
            Value::Push { .. } => {}
            value => match self.expected.pop_front() {
                Some(Expected::Reply) => self.replies.push(value),
                _ => {
                    if let Value::ServerError(error) = value {
                        let text = format!("{} {}", error.code(), error.details().unwrap_or(""));
                        self.refused = Some(self.refuse(&text));
                    }
                }
            },
        }
    }

    /// Returns `redis.unavailable` because the server refused a command.
    pub(super) fn refuse(&self, error: &str) -> Failure {
        let message = format!("Redis at `{}` refuses a command: {}", self.name, error.trim_end());
        Failure::new(ErrorCode::RedisUnavailable, message)
    }

    fn fail(&self, error: &dyn std::fmt::Display) -> Failure {
        unreachable(&self.name, error)
    }
}

impl AsFd for Link {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}

/// Remembers why a read failed, which the parser does not report.
struct Reader<'s> {
    socket: &'s mut Socket,
    failed: Option<io::Error>,
}

impl Read for Reader<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let error = match self.socket.read(buffer) {
            Ok(0) => io::Error::new(io::ErrorKind::UnexpectedEof, "the server has closed the connection"),
            Ok(count) => return Ok(count),
            Err(error) => error,
        };
        let kind = error.kind();
        if kind != io::ErrorKind::Interrupted {
            self.failed = Some(error);
        }
        Err(kind.into())
    }
}

/// Returns `redis.unavailable`.
fn unreachable(server: &str, error: &dyn std::fmt::Display) -> Failure {
    Failure::new(ErrorCode::RedisUnavailable, format!("cannot reach Redis at `{server}`: {error}"))
}

/// Returns the bytes of a string.
pub(super) fn bytes(value: &Value) -> Option<&[u8]> {
    match value {
        Value::BulkString(bytes) => Some(bytes),
        Value::SimpleString(text) => Some(text.as_bytes()),
        _ => None,
    }
}

/// Returns a string.
pub(super) fn text(value: &Value) -> Option<&str> {
    std::str::from_utf8(bytes(value)?).ok()
}

/// Returns the strings of a list; an empty one for each that is missing.
pub(super) fn read_texts(value: &Value) -> Vec<String> {
    match value {
        Value::Array(values) => {
            values.iter().map(|value| text(value).unwrap_or_default().to_owned()).collect()
        }
        _ => Vec::new(),
    }
}
