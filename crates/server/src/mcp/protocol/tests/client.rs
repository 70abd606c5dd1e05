//! A client in the same process, which sends and receives messages as lines over stdio would be.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::sync::mpsc;

use super::Place;
use super::source::FakeSource;
use crate::mcp::protocol::CALLS_AT_ONCE;
use crate::mcp::protocol::direct_answers::DirectAnswers;
use crate::mcp::protocol::handler::Handler;
use crate::mcp::protocol::hub::Hub;
use crate::mcp::protocol::output::Lines;
use crate::mcp::protocol::stdio::{Reader, Stdio, queue, serve};
use crate::transport::run;

/// The time that a test waits for a message.
const DEADLINE: Duration = Duration::from_mins(1);

pub(super) struct Client {
    reader: Option<Reader>,
    lines: Lines,
    received: Receiver<Received>,
    server: Option<JoinHandle<()>>,
    /// The messages that were received while the test waited for another one.
    pub(super) heard: Vec<Value>,
    /// The ids of the requests whose replies did not come from the session.
    pub(super) direct: Vec<Value>,
    asked: i64,
}

/// What a client receives.
enum Received {
    FromSession(Value),
    /// A reply that another thread has written.
    Direct(Value),
    End,
}

impl Client {
    /// Starts a server for a member, without a handshake.
    pub(super) fn open(place: &Place, source: &Arc<FakeSource>, member: &str) -> Self {
        let hub = Hub::new(place.server(source, member)).unwrap();
        let handler = Handler::new(Arc::clone(&hub));
        let direct_answers = DirectAnswers::new(hub, handler.begun_conversation());
        let (messages, queue) = queue();
        let (replies, mut from_session) = mpsc::channel::<Option<Vec<u8>>>(64);
        let (receive, received) = channel();
        let receive_direct = receive.clone();
        let lines = Lines::to_test(move |line| {
            let _ = receive_direct.send(Received::Direct(serde_json::from_slice(line).unwrap()));
        });
        thread::spawn(move || {
            while let Some(Some(line)) = from_session.blocking_recv() {
                let _ = receive.send(Received::FromSession(serde_json::from_slice(&line).unwrap()));
            }
            let _ = receive.send(Received::End);
        });
        let reader = Reader::new(direct_answers, messages, replies.clone(), lines.clone());
        let server = thread::spawn(move || {
            let stdio = Stdio { messages: queue, replies, lines: None };
            let serving = async {
                serve(handler, stdio).await;
                Ok(())
            };
            run(CALLS_AT_ONCE, serving).unwrap();
        });
        Self {
            reader: Some(reader),
            lines,
            received,
            server: Some(server),
            heard: Vec::new(),
            direct: Vec::new(),
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

    /// Makes the client appear not to read its replies at present, or to read them again.
    pub(super) fn set_ready(&self, is_ready: bool) {
        if is_ready {
            self.lines.dequeue();
        } else {
            self.lines.queue();
        }
    }

    pub(super) fn send(&mut self, message: Value) {
        self.reader.as_mut().unwrap().accept(message).unwrap();
    }

    /// Closes the input of the server.
    pub(super) fn close(&mut self) {
        self.reader = None;
    }

    /// Sends a request, and returns its id.
    pub(super) fn request(&mut self, method: &str, params: Value) -> i64 {
        self.asked += 1;
        self.send(json!({"jsonrpc": "2.0", "id": self.asked, "method": method, "params": params}));
        self.asked
    }

    /// Returns what was received; none at the end.
    fn note(&mut self, received: Received) -> Option<Value> {
        match received {
            Received::FromSession(message) => Some(message),
            Received::Direct(message) => {
                // A reply that finds another one being written takes the other way.
                self.lines.wait_for_writer();
                self.direct.push(message["id"].clone());
                Some(message)
            }
            Received::End => None,
        }
    }

    /// Returns the first message that matches, which may have been received before.
    #[track_caller]
    pub(super) fn wait_for(&mut self, is_it: impl Fn(&Value) -> bool) -> Value {
        if let Some(at) = self.heard.iter().position(&is_it) {
            return self.heard.remove(at);
        }
        loop {
            match self.received.recv_timeout(DEADLINE) {
                Ok(received) => match self.note(received) {
                    Some(message) if is_it(&message) => return message,
                    Some(message) => self.heard.push(message),
                    None => panic!("the server has ended, after {:?}", self.heard),
                },
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
        self.close();
        self.server.take().unwrap().join().unwrap();
        let mut rest = std::mem::take(&mut self.heard);
        while let Some(message) = self.note(self.received.recv_timeout(DEADLINE).unwrap()) {
            rest.push(message);
        }
        rest
    }
}
