//! A provider on loopback, which does what a test says.

use std::collections::VecDeque;
use std::io::{BufRead as _, BufReader, Read, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use minds_model_client::{
    Answer, Endpoint, HttpModel, Key, Message, Model as _, ModelError, ModelEvent, ModelRequest, Protocol,
    Times,
};
use serde_json::Value;

use crate::transcripts::line;

/// The key of all requests, which no message contains.
pub(crate) const KEY: &str = "sk-s3cr3t-key";
/// The longest time for which a test waits for what must happen.
pub(crate) const PATIENCE: Duration = Duration::from_secs(30);

/// A part of what the provider does for a request.
pub(crate) enum Step {
    /// It writes.
    Write(Vec<u8>),
    /// It waits until the client closes the connection.
    Hold,
    /// It closes the connection.
    Close,
}

/// A request that arrived.
#[derive(Debug)]
pub(crate) struct Seen {
    pub(crate) head: String,
    pub(crate) body: Value,
    /// The number of the connection, from 1.
    pub(crate) connection: usize,
}

/// A provider. It ends with the process.
pub(crate) struct Server {
    pub(crate) port: u16,
    pub(crate) requests: Receiver<Seen>,
    /// Notified when a client has closed a connection.
    pub(crate) closed: Receiver<()>,
}

type Replies = Arc<Mutex<VecDeque<Vec<Step>>>>;

impl Server {
    /// Starts a provider with a reply for each request.
    pub(crate) fn start(replies: Vec<Vec<Step>>) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let port = listener.local_addr().unwrap().port();
        let (seen, requests) = channel();
        let (closing, closed) = channel();
        let replies: Replies = Arc::new(Mutex::new(replies.into()));
        std::thread::spawn(move || {
            for (number, stream) in listener.incoming().enumerate() {
                let (seen, closing, replies) = (seen.clone(), closing.clone(), Arc::clone(&replies));
                let stream = stream.unwrap();
                std::thread::spawn(move || serve(&stream, number + 1, &replies, &seen, &closing));
            }
        });
        Self { port, requests, closed }
    }

    pub(crate) fn endpoint(&self, protocol: Protocol) -> Endpoint {
        Endpoint {
            provider: "test".to_owned(),
            protocol,
            base_url: format!("http://127.0.0.1:{}/v1", self.port),
            key: Some(Key::new(KEY)),
            times: Times::default(),
        }
    }

    pub(crate) fn model(&self) -> HttpModel {
        HttpModel::new(self.endpoint(Protocol::OpenAi)).unwrap()
    }

    pub(crate) fn request(&self) -> Seen {
        self.requests.recv_timeout(PATIENCE).unwrap()
    }
}

fn serve(
    stream: &TcpStream,
    connection: usize,
    replies: &Replies,
    seen: &Sender<Seen>,
    closing: &Sender<()>,
) {
    let mut reader = BufReader::new(stream);
    while let Some((head, body)) = read_request(&mut reader) {
        let body = serde_json::from_slice(&body).unwrap();
        let _ = seen.send(Seen { head, body, connection });
        let steps = replies.lock().unwrap().pop_front().expect("a reply for each request");
        for step in steps {
            match step {
                // The client may be gone.
                Step::Write(bytes) => drop((&mut &*stream).write_all(&bytes)),
                Step::Hold => {
                    let _ = reader.read(&mut [0]);
                    let _ = closing.send(());
                    return;
                }
                Step::Close => return,
            }
        }
    }
}

fn read_request(reader: &mut impl Read) -> Option<(String, Vec<u8>)> {
    let mut reader = BufReader::with_capacity(1, reader);
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        if reader.read_line(&mut head).ok()? == 0 {
            return None;
        }
    }
    let length = head
        .lines()
        .find_map(|line| line.to_lowercase().strip_prefix("content-length:")?.trim().parse().ok());
    let mut body = vec![0; length.unwrap_or(0)];
    reader.read_exact(&mut body).ok()?;
    Some((head, body))
}

/// Returns the beginning of a response whose body is sent in chunks.
pub(crate) fn head() -> Step {
    Step::Write(
        b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream; charset=utf-8\r\ntransfer-encoding: chunked\r\n\r\n".to_vec(),
    )
}

/// Returns a chunk.
pub(crate) fn chunk(bytes: &[u8]) -> Step {
    Step::Write([format!("{:x}\r\n", bytes.len()).as_bytes(), bytes, b"\r\n"].concat())
}

/// Returns the end of an answer and of its body, which arrive together.
pub(crate) fn end() -> Step {
    match (done(), last_chunk()) {
        (Step::Write(done), Step::Write(last)) => Step::Write([done, last].concat()),
        _ => Step::Close,
    }
}

/// Returns the end of a body in chunks.
pub(crate) fn last_chunk() -> Step {
    Step::Write(b"0\r\n\r\n".to_vec())
}

/// Returns a chunk with text of the model.
pub(crate) fn text(text: &str) -> Step {
    let event = serde_json::json!({"choices": [{"index": 0, "delta": {"content": text}}]});
    chunk(format!("data: {event}\n\n").as_bytes())
}

/// Returns a chunk with the end of an answer.
pub(crate) fn done() -> Step {
    chunk(b"data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n")
}

/// Returns a complete response.
pub(crate) fn response(status: &str, headers: &str, body: &str) -> Vec<Step> {
    let length = body.len();
    vec![Step::Write(
        format!("HTTP/1.1 {status}\r\n{headers}content-length: {length}\r\n\r\n{body}").into_bytes(),
    )]
}

/// Returns a request with some text.
pub(crate) fn question() -> ModelRequest {
    ModelRequest {
        model: "small".to_owned(),
        system: "Be brief.".to_owned(),
        messages: vec![Message::User("s3cr3t question".to_owned())],
        ..ModelRequest::default()
    }
}

/// Reads an answer to its end: its events as lines, and its failure.
pub(crate) fn read_all(answer: &mut dyn Answer) -> (Vec<String>, Option<ModelError>) {
    let mut events = Vec::new();
    loop {
        match answer.next(Duration::from_millis(20)) {
            Ok(None) => {}
            Ok(Some(event)) => {
                let is_end = event == ModelEvent::End;
                events.push(line(&event));
                if is_end {
                    return (events, None);
                }
            }
            Err(error) => return (events, Some(error)),
        }
    }
}

/// Asks, and reads the answer to its end.
pub(crate) fn ask(model: &mut HttpModel) -> (Vec<String>, Option<ModelError>) {
    match model.begin(&question()) {
        Ok(mut answer) => read_all(answer.as_mut()),
        Err(error) => (Vec::new(), Some(error)),
    }
}
