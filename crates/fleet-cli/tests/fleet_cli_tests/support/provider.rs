//! A provider of models on loopback, with chat completions, which does what a test says.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};

use super::World;

/// The variable with the key.
pub(crate) const KEY_VARIABLE: &str = "MINDS_TEST_MODEL_KEY";
/// The key.
pub(crate) const KEY: &str = "s3cr3t-key-of-the-tests";
/// The longest time for which a test waits for what must happen.
const PATIENCE: Duration = Duration::from_mins(1);

/// What the provider answers to a request.
pub(crate) enum Reply {
    /// An answer of these parts.
    Text(&'static [&'static str]),
    /// Text, after which nothing follows until the client closes the connection.
    Unfinished(&'static str),
    /// A refusal, with these headers.
    Refusal(u16, &'static str),
}

/// A provider. It ends with the process.
pub(crate) struct Provider {
    port: u16,
    requests: Receiver<(String, Value)>,
    closed: Receiver<()>,
}

type Replies = Arc<Mutex<std::vec::IntoIter<Reply>>>;

impl Provider {
    /// Starts a provider with a reply for each request.
    pub(crate) fn start(replies: Vec<Reply>) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let port = listener.local_addr().unwrap().port();
        let (seen, requests) = channel();
        let (closing, closed) = channel();
        let replies: Replies = Arc::new(Mutex::new(replies.into_iter()));
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let (seen, closing, replies) = (seen.clone(), closing.clone(), Arc::clone(&replies));
                std::thread::spawn(move || serve(&stream.unwrap(), &replies, &seen, &closing));
            }
        });
        Self { port, requests, closed }
    }

    /// Makes a fleet with an agent that asks this provider.
    pub(crate) fn world(&self) -> World {
        let world = World::new(&["zeus"], &[]);
        let url = format!("http://127.0.0.1:{}/v1", self.port);
        world.write(
            ".minds/llm.yaml",
            &format!(
                "providers:\n  ours:\n    apiType: openai-compatible\n    baseUrl: {url}\n    apiKeyEnvVar: {KEY_VARIABLE}\n    models: {{large: {{}}}}\n"
            ),
        );
        world.write(
            ".ateam/models.yaml",
            "models:\n  small: {provider: ours, context_window_size: 8000, default_inference: {max_tokens: 100}, model_settings: {model: large, future: 1}}\n",
        );
        world
    }

    /// Returns the next request: its head and its body.
    pub(crate) fn request(&self) -> (String, Value) {
        self.requests.recv_timeout(PATIENCE).expect("a request arrives")
    }

    /// Waits until a client has closed a connection with an unfinished answer.
    pub(crate) fn wait_for_close(&self) {
        self.closed.recv_timeout(PATIENCE).expect("the connection is closed");
    }
}

fn serve(stream: &TcpStream, replies: &Replies, seen: &Sender<(String, Value)>, closing: &Sender<()>) {
    let mut reader = BufReader::new(stream);
    let mut writer = stream;
    loop {
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            if !matches!(reader.read_line(&mut head), Ok(1..)) {
                return;
            }
        }
        let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")?.parse().ok());
        let mut body = vec![0; length.unwrap_or(0)];
        reader.read_exact(&mut body).unwrap();
        let _ = seen.send((head, serde_json::from_slice(&body).unwrap()));
        let reply = replies.lock().unwrap().next().expect("a reply for each request");
        let text = match &reply {
            Reply::Text(parts) => {
                let end =
                    "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n";
                let events: String = parts.iter().map(|part| event(part)).collect();
                format!("{}{}{}0\r\n\r\n", begin(), chunk(&events), chunk(end))
            }
            Reply::Unfinished(text) => format!("{}{}", begin(), chunk(&event(text))),
            Reply::Refusal(status, headers) => {
                format!("HTTP/1.1 {status} x\r\n{headers}content-length: 0\r\n\r\n")
            }
        };
        if writer.write_all(text.as_bytes()).is_err() {
            return;
        }
        if matches!(reply, Reply::Unfinished(_)) {
            let _ = reader.read(&mut [0]);
            let _ = closing.send(());
            return;
        }
    }
}

fn begin() -> &'static str {
    "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"
}

fn event(text: &str) -> String {
    format!("data: {}\n\n", json!({"choices": [{"index": 0, "delta": {"content": text}}]}))
}

fn chunk(text: &str) -> String {
    format!("{:x}\r\n{text}\r\n", text.len())
}
