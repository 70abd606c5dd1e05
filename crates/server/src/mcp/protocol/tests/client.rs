//! A client in the same process, which sends and receives messages as lines over stdio would be.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use rmcp::model::ClientJsonRpcMessage;
use serde_json::{Value, json};
use tokio::sync::mpsc;

use super::Place;
use super::source::FakeSource;
use crate::mcp::protocol::CALLS_AT_ONCE;
use crate::mcp::protocol::direct_answers::DirectAnswers;
use crate::mcp::protocol::handler::Handler;
use crate::mcp::protocol::hub::Hub;
use crate::mcp::protocol::output::Lines;
use crate::mcp::protocol::stdio::{Stdio, serve, understand};
use crate::transport::run;

/// The time that a test waits for a message.
const DEADLINE: Duration = Duration::from_mins(1);

pub(super) struct Client {
    direct_answers: DirectAnswers,
    messages: Option<mpsc::Sender<ClientJsonRpcMessage>>,
    received: Receiver<Value>,
    server: Option<JoinHandle<()>>,
    /// The messages that were received while the test waited for another one.
    pub(super) heard: Vec<Value>,
    asked: i64,
}

impl Client {
    /// Starts a server for a member, without a handshake.
    pub(super) fn open(place: &Place, source: &Arc<FakeSource>, member: &str) -> Self {
        let hub = Hub::new(place.server(source, member)).unwrap();
        let handler = Handler::new(Arc::clone(&hub));
        let direct_answers = DirectAnswers::new(hub, handler.begun_conversation());
        let (messages, queue) = mpsc::channel(64);
        let (replies, mut lines) = mpsc::channel::<Option<Vec<u8>>>(64);
        let (receive, received) = channel();
        thread::spawn(move || {
            while let Some(Some(line)) = lines.blocking_recv() {
                let _ = receive.send(serde_json::from_slice(&line).unwrap());
            }
        });
        let server = thread::spawn(move || {
            let stdio = Stdio { messages: queue, replies, lines: None };
            let serving = async {
                serve(handler, stdio).await;
                Ok(())
            };
            run(CALLS_AT_ONCE, serving).unwrap();
        });
        Self {
            direct_answers,
            messages: Some(messages),
            received,
            server: Some(server),
            heard: Vec::new(),
            asked: 0,
        }
    }

    /// Starts a server, and performs the handshake with these capabilities.
    pub(super) fn start(place: &Place, source: &Arc<FakeSource>, member: &str, capabilities: Value) -> Self {
        let mut client = Self::open(place, source, member);
        let hello = json!({"protocolVersion": "2025-11-25", "capabilities": capabilities,
            "clientInfo": {"name": "test", "version": "1"}});
        assert!(client.ask("initialize", hello)["capabilities"]["tools"].is_object());
        client.send(json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        client
    }

    pub(super) fn send(&mut self, mut message: Value) {
        assert!(self.direct_answers.answer(&message).is_none_or(|_| unreachable!("no test reads a file")));
        // A line that waits keeps answers from being written to stdout.
        let lines = Lines::default();
        lines.queue();
        let started = self.direct_answers.redirect(&mut message, &lines);
        let mut message = understand(message).unwrap_or_else(|refused| panic!("{refused:?}"));
        if let Some(started) = started {
            started.attach(&mut message);
        }
        self.messages.as_ref().unwrap().blocking_send(message).unwrap();
    }

    /// Sends a request, and returns its id.
    pub(super) fn request(&mut self, method: &str, params: Value) -> i64 {
        self.asked += 1;
        self.send(json!({"jsonrpc": "2.0", "id": self.asked, "method": method, "params": params}));
        self.asked
    }

    /// Returns the first message that matches, which may have been received before.
    #[track_caller]
    pub(super) fn wait_for(&mut self, is_it: impl Fn(&Value) -> bool) -> Value {
        if let Some(at) = self.heard.iter().position(&is_it) {
            return self.heard.remove(at);
        }
        loop {
            match self.received.recv_timeout(DEADLINE) {
                Ok(message) if is_it(&message) => return message,
                Ok(message) => self.heard.push(message),
                Err(error) => panic!("{error}, after {:?}", self.heard),
            }
        }
    }

    /// Returns the reply to a request.
    #[track_caller]
    pub(super) fn reply(&mut self, id: i64) -> Value {
        self.wait_for(|message| message["id"] == id && message.get("method").is_none())
    }

    /// Returns the result of a request.
    #[track_caller]
    pub(super) fn ask(&mut self, method: &str, params: Value) -> Value {
        let id = self.request(method, params);
        let mut reply = self.reply(id);
        assert!(reply.get("error").is_none(), "{reply}");
        reply["result"].take()
    }

    /// Calls a tool.
    #[track_caller]
    pub(super) fn call(&mut self, tool: &str, arguments: Value) -> Value {
        self.ask("tools/call", json!({"name": tool, "arguments": arguments}))
    }

    /// Returns the listed tools.
    #[track_caller]
    pub(super) fn tools(&mut self) -> Vec<Value> {
        self.ask("tools/list", json!({}))["tools"].as_array().unwrap().clone()
    }

    /// Closes the connection, waits for the end, and returns the remaining messages.
    pub(super) fn end(mut self) -> Vec<Value> {
        drop(self.messages.take());
        self.server.take().unwrap().join().unwrap();
        let mut rest = std::mem::take(&mut self.heard);
        loop {
            match self.received.recv_timeout(DEADLINE) {
                Ok(message) => rest.push(message),
                Err(RecvTimeoutError::Disconnected) => return rest,
                Err(RecvTimeoutError::Timeout) => panic!("the server did not end"),
            }
        }
    }
}
